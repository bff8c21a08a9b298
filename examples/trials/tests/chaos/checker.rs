//! What was recorded, against what was said.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use canvas_core::BlobId;
use canvas_core::store::Head;

/// One state of the row, as the trigger recorded it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) version: u64,
    pub(crate) head: Head,
}

/// What the processes have said of their writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    tried: BTreeSet<String>,
    /// With the revision of the answer.
    acknowledged: BTreeMap<String, u64>,
    refused: BTreeSet<String>,
}

impl Transcript {
    /// Whether a write was acknowledged, and one refused.
    pub(crate) fn has_both_answers(&self) -> bool {
        !self.acknowledged.is_empty() && !self.refused.is_empty()
    }

    pub(crate) fn hear(&mut self, words: &[String]) {
        for line in words {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["try", name] => drop(self.tried.insert(name.into())),
                ["ack", name, revision] => {
                    // A process that is killed in the middle of a word has not said it.
                    if let Ok(revision) = revision.parse() {
                        self.acknowledged.insert(name.into(), revision);
                    }
                }
                ["no", name] => drop(self.refused.insert(name.into())),
                _ => {}
            }
        }
    }
}

/// Counts, the last ones of what must never happen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) kills: u32,
    pub(crate) revisions: usize,
    /// Commits of heads in format 3.
    pub(crate) of_format_3: usize,
    /// Commits of several revisions.
    pub(crate) shared: usize,
    pub(crate) acknowledged: usize,
    pub(crate) refused: usize,
    /// Writes of which a killed process never heard.
    pub(crate) in_doubt: usize,
    pub(crate) preemptions: u64,
    /// Acknowledged and not there, or there under another revision; a revision that brings no line or changes more than
    /// that, or that shares a commit with one of another process.
    pub(crate) lost: usize,
    /// There twice.
    pub(crate) double: usize,
    /// Refused, or never tried, and there.
    pub(crate) unasked: usize,
    /// Written under another lease than the row had, or under an older epoch after a newer one.
    pub(crate) older_epoch: usize,
}

impl Counts {
    pub(crate) fn check(&self) {
        assert_eq!((self.lost, self.double, self.unasked, self.older_epoch), (0, 0, 0, 0), "{self}");
        assert!(
            self.acknowledged > 0
                && self.refused > 0
                && self.preemptions > 0
                && self.shared > 0
                && self.of_format_3 > 0,
            "nobody has fought: {self}"
        );
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kills, revisions, shared, acknowledged, refused, in_doubt, preemptions, .. } = self;
        let Self { of_format_3, lost, double, unasked, older_epoch, .. } = self;
        write!(
            f,
            "{kills} kills, {revisions} revisions, {of_format_3} commits in format 3, {shared} commits of several, {acknowledged} writes acknowledged, {refused} refused, {in_doubt} \
             in doubt, {preemptions} preemptions; lost {lost}, double {double}, unasked {unasked}, older epoch \
             {older_epoch}"
        )
    }
}

/// Whether a lease was preempted, and several writes shared a commit.
pub(crate) fn has_fought(history: &[Entry]) -> bool {
    let any =
        |met: fn(&Head, &Head) -> bool| history.windows(2).any(|pair| met(&pair[0].head, &pair[1].head));
    any(|old, new| old.lock().epoch() < new.lock().epoch())
        && any(|old, new| old.revision().get() + 1 < new.revision().get())
}

/// A line of the text: who wrote it, and the fence and epoch under which it was written.
fn parse(line: &str) -> Option<(&str, (u64, u64))> {
    let (name, lease) = line.split_once(' ')?;
    let lease: canvas_core::lease::LeaseId = lease.parse().ok()?;
    Some((name, (lease.fence().get(), lease.epoch().get())))
}

/// The process that has made a write of this name.
fn process(name: &str) -> Option<&str> {
    Some(name.rsplit_once('-')?.0)
}

fn format(head: &Head) -> u64 {
    let stored: serde_json::Value = serde_json::from_slice(&head.to_json()).expect("a head is JSON");
    stored["format"].as_u64().expect("a head has a format")
}

/// Goes through the history from its first revision, whose text is `top`.
pub(crate) fn check(
    history: &[Entry],
    text: impl Fn(BlobId) -> Option<String>,
    transcript: &Transcript,
    counts: &mut Counts,
) {
    let document = |head: &Head| {
        let path = canvas_core::store::TreePath::document();
        head.draft().get(&path).and_then(&text).unwrap_or_default()
    };
    let mut written: BTreeMap<String, u64> = BTreeMap::new();
    let mut newest = 0;
    for pair in history.windows(2) {
        let [Entry { version: was, head: old }, Entry { version: is, head: new }] = pair else { continue };
        let (revision, epoch) = (new.revision().get(), new.lock().epoch().get());
        counts.of_format_3 += usize::from(format(new) == 3);
        counts.preemptions += epoch.saturating_sub(old.lock().epoch().get());
        let rises = was < is && old.revision() <= new.revision() && old.lock().epoch() <= new.lock().epoch();
        counts.lost += usize::from(!rises);
        let (before, after) = (document(old), document(new));
        if old.revision() == new.revision() {
            counts.lost += usize::from(before != after);
            continue;
        }
        let first = old.revision().get() + 1;
        let steps = usize::try_from(revision.saturating_sub(first - 1)).unwrap_or(usize::MAX);
        counts.revisions += steps;
        counts.shared += usize::from(steps > 1);
        // The lines come after the first one, the newest above, and nothing else has changed.
        let lines: Vec<&str> = after.lines().skip(1).take(steps).collect();
        let expected = before.replacen("top\n", &format!("top\n{}\n", lines.join("\n")), 1);
        let writes: Vec<_> = lines.into_iter().rev().filter_map(parse).collect();
        let processes: BTreeSet<_> = writes.iter().map(|(name, _)| process(name)).collect();
        let is_shared_by_one = processes.len() == 1 && processes.first().is_some_and(Option::is_some);
        if expected != after || writes.len() != steps || steps > 1 && !is_shared_by_one {
            counts.lost += 1;
            continue;
        }
        for ((name, (fence, under)), revision) in writes.into_iter().zip(first..) {
            let lock = old.lock();
            let holds = lock
                .lease()
                .is_some_and(|lease| (lease.id.fence().get(), lease.id.epoch().get()) == (fence, under));
            counts.older_epoch += usize::from(!holds || under < newest || under != epoch);
            newest = newest.max(under);
            counts.double += usize::from(written.insert(name.into(), revision).is_some());
            counts.unasked +=
                usize::from(!transcript.tried.contains(name) || transcript.refused.contains(name));
        }
    }
    let last = history.last().map(|entry| document(&entry.head)).unwrap_or_default();
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in last.lines().filter_map(parse) {
        *there.entry(name).or_default() += 1;
    }
    counts.double += there.values().filter(|count| **count > 1).count();
    for (name, revision) in &transcript.acknowledged {
        let kept = there.contains_key(name.as_str()) && written.get(name) == Some(revision);
        counts.lost += usize::from(!kept);
    }
    counts.acknowledged += transcript.acknowledged.len();
    counts.refused += transcript.refused.len();
    let heard =
        |name: &&String| transcript.acknowledged.contains_key(*name) || transcript.refused.contains(*name);
    counts.in_doubt += transcript.tried.iter().filter(|name| !heard(name)).count();
}

/// The check must see what is wrong, or the fight shows nothing.
pub(crate) mod tests {
    use std::collections::HashMap;

    use canvas_core::Engine;
    use canvas_core::document::ApplyPatch;
    use canvas_core::lease::{CheckOut, Turn};
    use canvas_core::store::MemoryStore;
    use canvas_core::testing::block_on;
    use canvas_core::turn::SendMessage;
    use canvas_store_testing::{canvas, key, key_of, system_now};

    use super::super::client::policy;
    use super::*;

    struct Reported {
        history: Vec<Entry>,
        texts: HashMap<BlobId, String>,
        transcript: Transcript,
    }

    /// Two writes of one lease, a message, and a write of the next.
    fn play() -> Reported {
        let engine = Engine::new(MemoryStore::new(system_now), policy());
        let canvas = canvas("c");
        block_on(engine.create(&canvas, "top\n", &key("create"), system_now())).expect("made");
        let mut reported =
            Reported { history: Vec::new(), texts: HashMap::new(), transcript: Transcript::default() };
        let note = |reported: &mut Reported| {
            let snapshot = block_on(engine.snapshot(&canvas, system_now())).expect("it is there");
            reported.texts.insert(snapshot.document.id(), snapshot.text().to_owned());
            let head = Head::clone(&snapshot.head);
            reported.history.push(Entry { version: reported.history.len() as u64 + 1, head });
        };
        note(&mut reported);
        let mut name = 0;
        for turn in [0, 1] {
            let key = |call: &str| key_of("red", Turn::new(turn).expect("small"), &format!("{turn} {call}"));
            let out = block_on(engine.call(&canvas, &key("check out"), CheckOut, system_now()));
            let lease = out.expect("it answers").result.expect("nobody else has it").lease;
            note(&mut reported);
            for _ in 0..2 {
                name += 1;
                let patch = format!("@@\n top\n+w{name} {lease}\n");
                let write = ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None };
                let written = block_on(engine.call(&canvas, &key(&format!("w{name}")), write, system_now()));
                let applied = written.expect("it answers").result.expect("it fits");
                let revision = applied.revision.revision().get();
                note(&mut reported);
                reported.transcript.hear(&[format!("try w{name}"), format!("ack w{name} {revision}")]);
            }
            let sent = block_on(engine.call(&canvas, &key("message"), SendMessage, system_now()));
            sent.expect("it answers").result.expect("a user may always write");
            note(&mut reported);
        }
        reported.transcript.hear(&["try w9".into(), "no w9".into()]);
        reported
    }

    fn verdict(reported: &Reported) -> (usize, usize, usize, usize) {
        let mut counts = Counts::default();
        check(&reported.history, |id| reported.texts.get(&id).cloned(), &reported.transcript, &mut counts);
        (counts.lost, counts.double, counts.unasked, counts.older_epoch)
    }

    fn double_a_line(reported: &mut Reported) {
        let last = &reported.history.last().expect("there are some").head;
        let id = last.draft().get(&canvas_core::store::TreePath::document()).expect("a document");
        let text = reported.texts.get_mut(&id).expect("its text is known");
        let line = text.lines().nth(1).expect("a line").to_owned();
        *text += &format!("{line}\n");
    }

    fn name_an_older_lease(reported: &mut Reported) {
        reported.texts.values_mut().for_each(|text| *text = text.replace("lease-2-1", "lease-1-0"));
    }

    pub(crate) fn all() {
        let reported = play();
        assert_eq!(verdict(&reported), (0, 0, 0, 0));
        let check =
            |what: &str, doctor: fn(&mut Reported), sees: fn((usize, usize, usize, usize)) -> usize| {
                let mut reported = play();
                doctor(&mut reported);
                assert!(sees(verdict(&reported)) > 0, "the check does not see that {what}");
            };
        check("a revision is missing", |reported| drop(reported.history.remove(2)), |(lost, ..)| lost);
        check("the last writes are gone", |reported| reported.history.truncate(4), |(lost, ..)| lost);
        check("two states are swapped", |reported| reported.history.swap(2, 3), |(lost, ..)| lost);
        check(
            "a version is used twice",
            |reported| reported.history[3].version = reported.history[2].version,
            |(lost, ..)| lost,
        );
        check(
            "a revision is another's",
            |reported| reported.transcript.hear(&["ack w1 9".into()]),
            |(lost, ..)| lost,
        );
        check(
            "nothing of it is there",
            |reported| reported.transcript.hear(&["ack w8 2".into()]),
            |(lost, ..)| lost,
        );
        check(
            "a text has lost a line",
            |reported| reported.texts.values_mut().for_each(|text| *text = text.replace("w1 ", "x ")),
            |(lost, ..)| lost,
        );
        check("a line is there twice", double_a_line, |(_, double, ..)| double);
        check(
            "a refused write is there",
            |reported| reported.transcript.hear(&["no w1".into()]),
            |(_, _, unasked, _)| unasked,
        );
        check("an older lease has written", name_an_older_lease, |(.., older)| older);
    }
}
