//! An observer that keeps what it is told, and what must hold of that whatever has happened.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use canvas_core::observe::{
    Basis, CallEnd, CallNumber, CommitEnd, CommitNumber, Decision, EngineEvent, EventKind, Observer,
    Settlement, WaitEnd,
};
use canvas_core::{CodedError as _, EngineError};

use super::world::{Asked, Said, kind};

/// What an event says, to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Began(&'static str),
    Loaded { found: bool, error: Option<&'static str> },
    Fetched { asked: usize, found: usize, bytes: usize },
    Decided(Basis, Decision, Option<&'static str>),
    Waited(Option<CommitNumber>, WaitEnd),
    Settled(Settlement),
    CommitBegan { commit: CommitNumber, calls: usize, blobs: usize, bytes: usize },
    CommitEnded(CommitNumber, CommitEnd),
    BackedOff(u32, Duration),
    Collected { blobs: u64, end: CommitEnd },
    Ended { name: &'static str, end: CallEnd, replayed: bool },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    pub(crate) call: CallNumber,
    pub(crate) what: What,
    /// How long it took, where that is said.
    took: Option<Duration>,
    /// The clock by then.
    at: Duration,
}

/// Its clock goes on by a millisecond each time that it is asked.
#[derive(Debug, Default)]
pub(crate) struct Log {
    clock: AtomicU64,
    told: Mutex<Vec<Told>>,
    /// Each event as it is printed.
    printed: Mutex<String>,
}

impl Observer for Log {
    fn now(&self) -> Duration {
        Duration::from_millis(self.clock.fetch_add(1, Ordering::SeqCst))
    }

    fn event(&self, event: &EngineEvent<'_>) {
        let (what, took) = match event.kind {
            EventKind::Began { name, .. } => (What::Began(name), None),
            EventKind::Loaded { took, found, error, .. } => (What::Loaded { found, error }, Some(took)),
            EventKind::Fetched { took, asked, found, bytes, .. } => {
                (What::Fetched { asked, found, bytes }, Some(took))
            }
            EventKind::Decided { took, basis, decision, code, .. } => {
                (What::Decided(basis, decision, code), Some(took))
            }
            EventKind::Waited { took, commit, end, .. } => (What::Waited(commit, end), Some(took)),
            EventKind::Settled { took, settlement, .. } => (What::Settled(settlement), Some(took)),
            EventKind::CommitBegan { commit, calls, blobs, bytes, .. } => {
                (What::CommitBegan { commit, calls, blobs, bytes }, None)
            }
            EventKind::CommitEnded { commit, took, end, .. } => (What::CommitEnded(commit, end), Some(took)),
            EventKind::BackedOff { losses, pause, .. } => (What::BackedOff(losses, pause), None),
            EventKind::Collected { took, blobs, end, .. } => (What::Collected { blobs, end }, Some(took)),
            EventKind::Ended { name, took, end, replayed, .. } => {
                (What::Ended { name, end, replayed }, Some(took))
            }
            kind => panic!("this test does not know {}", kind.name()),
        };
        let at = Duration::from_millis(self.clock.load(Ordering::SeqCst));
        self.told.lock().unwrap().push(Told { call: event.call, what, took, at });
        self.printed.lock().unwrap().push_str(&format!("{event:?}\n"));
    }
}

impl Log {
    pub(crate) fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }

    pub(crate) fn whats(&self) -> Vec<What> {
        self.told().into_iter().map(|told| told.what).collect()
    }

    pub(crate) fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    fn count(&self, which: impl Fn(&What) -> bool) -> usize {
        self.whats().iter().filter(|what| which(what)).count()
    }

    /// What holds whatever has happened: `asked` is what the store has seen since.
    #[track_caller]
    pub(crate) fn check(&self, asked: Asked) {
        let told = self.told();
        self.check_calls(&told);
        self.check_commits(&told);

        assert_eq!(self.count(|what| matches!(what, What::Loaded { .. })), asked.loads);
        assert_eq!(self.count(|what| matches!(what, What::Fetched { .. })), asked.fetches);
        assert_eq!(self.count(|what| matches!(what, What::Collected { .. })), asked.collections);
        assert_eq!(self.count(|what| matches!(what, What::CommitBegan { .. })), asked.commits);
        let ended = |end: fn(CommitEnd) -> bool| {
            self.count(|what| matches!(what, What::CommitEnded(_, is) if end(*is)))
        };
        assert_eq!(ended(|end| end == CommitEnd::Done), asked.done);
        assert_eq!(ended(|end| end == CommitEnd::Conflict), asked.conflicts);
        assert_eq!(ended(|end| matches!(end, CommitEnd::Failed(_) | CommitEnd::Late)), asked.failed);
        let answered = asked.done + asked.conflicts + asked.failed;
        assert_eq!(ended(|end| end == CommitEnd::Abandoned), asked.commits - answered);
    }

    /// Each call begins once and ends once, with all of it between but for a commit that goes on for others.
    #[track_caller]
    fn check_calls(&self, told: &[Told]) {
        let mut calls: BTreeMap<CallNumber, Vec<Told>> = BTreeMap::new();
        told.iter().for_each(|told| calls.entry(told.call).or_default().push(*told));
        for told in calls.values() {
            let What::Began(began) = told[0].what else { panic!("it begins with {:?}", told[0]) };
            let begins = told.iter().filter(|told| matches!(told.what, What::Began(_))).count();
            let ends: Vec<_> =
                (0..told.len()).filter(|i| matches!(told[*i].what, What::Ended { .. })).collect();
            assert_eq!((begins, ends.len()), (1, 1), "{told:#?}");
            let What::Ended { name, .. } = told[ends[0]].what else { unreachable!() };
            assert_eq!(name, began);
            for told in &told[ends[0] + 1..] {
                let goes_on =
                    matches!(told.what, What::CommitEnded(..) | What::BackedOff(..) | What::Loaded { .. });
                assert!(goes_on, "after the end of its call: {told:?}");
            }
            // By the clock too, all that took its time lies between.
            let start = told[0].at;
            for Told { took, at, what, .. } in told {
                let took = took.unwrap_or_default();
                assert!(*at >= start + took, "{what:?} began before its call");
                let is_timed =
                    !matches!(what, What::Began(_) | What::CommitBegan { .. } | What::BackedOff(..));
                assert!(!is_timed || !took.is_zero(), "{what:?} took nothing");
            }
            self.check_doubts(told);
        }
    }

    /// Who does not know what became of its commit settles it before it goes on, or has no answer.
    #[track_caller]
    fn check_doubts(&self, told: &[Told]) {
        let mut in_doubt = false;
        for told in told {
            match told.what {
                What::Waited(_, WaitEnd::InDoubt) => {
                    assert!(!in_doubt);
                    in_doubt = true;
                }
                What::Settled(_) => {
                    assert!(in_doubt, "nothing was to be settled");
                    in_doubt = false;
                }
                What::Ended { end, .. } if in_doubt => {
                    let is_open = end == CallEnd::Failed("STORE_INDETERMINATE") || end == CallEnd::Abandoned;
                    assert!(is_open, "{end:?} in doubt");
                }
                _ => {}
            }
        }
    }

    /// Each commit begins once and ends once, and those who have waited for it hear the same.
    #[track_caller]
    fn check_commits(&self, told: &[Told]) {
        let (mut sent, mut ended) = (BTreeSet::new(), BTreeMap::new());
        for told in told {
            match told.what {
                What::CommitBegan { commit, .. } => assert!(sent.insert(commit), "{commit:?} begins twice"),
                What::CommitEnded(commit, end) => {
                    assert!(sent.contains(&commit) && ended.insert(commit, end).is_none(), "{commit:?}");
                }
                What::Waited(Some(commit), heard) => {
                    let is_it = match (heard, ended[&commit]) {
                        (WaitEnd::Stored, CommitEnd::Done) | (WaitEnd::Conflict, CommitEnd::Conflict) => true,
                        (WaitEnd::InDoubt, CommitEnd::Failed(code)) => code == "STORE_INDETERMINATE",
                        (WaitEnd::Failed(heard), CommitEnd::Failed(code)) => heard == code,
                        (WaitEnd::Again, _) => true,
                        _ => false,
                    };
                    assert!(is_it, "{heard:?} of {:?}", ended[&commit]);
                }
                _ => {}
            }
        }
        assert_eq!(sent.len(), ended.len());
    }

    /// The calls have ended with what their callers were given, in the order in which they began.
    #[track_caller]
    pub(crate) fn check_answers<'s>(
        &self,
        said: impl IntoIterator<Item = &'s Option<Result<Said, EngineError>>>,
    ) {
        let mut ends: Vec<_> = self
            .told()
            .into_iter()
            .filter_map(|told| match told.what {
                What::Ended { end, replayed, .. } => Some((told.call, end, replayed)),
                _ => None,
            })
            .collect();
        ends.sort_by_key(|(call, ..)| *call);
        let mut ends = ends.into_iter();
        for said in said {
            let (_, end, replayed) = ends.next().expect("each call has ended");
            match said {
                None => assert_eq!(end, CallEnd::Abandoned),
                Some(Err(error)) => assert_eq!(end, CallEnd::Failed(error.code())),
                Some(Ok(said)) => {
                    assert_eq!(replayed, said.replayed);
                    let is_refused = kind(&said.json) == "refused";
                    assert_eq!(matches!(end, CallEnd::Refused(_)), is_refused, "{end:?} for {}", said.json);
                    assert!(is_refused || end == CallEnd::Answered);
                }
            }
        }
        assert!(ends.next().is_none(), "more calls have ended than were made");
    }
}
