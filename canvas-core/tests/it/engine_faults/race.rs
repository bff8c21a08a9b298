//! Two engines fight over one store, and the store fails now and then.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use canvas_core::CodedError as _;
use canvas_core::document::Edit;
use canvas_core::lease::{CheckOut, CheckedOut, LeaseId};
use proptest::prelude::*;

use crate::document::any::{Call, Outcome, code};
use crate::document::world::Asked::{Commit, Load};
use crate::document::world::{Trouble, World, apply};

/// One act at one of two servers, with what befalls its first commits.
#[derive(Debug, Clone)]
struct Act {
    server: usize,
    what: What,
    befalls: Vec<Mishap>,
}

#[derive(Debug, Clone)]
enum What {
    /// Puts a line of its own after the first line, under whatever lease the model had last.
    Write,
    CheckOut,
    /// Puts a line of its own after the first line of the newest text, as the user.
    Edit,
    /// Sends an earlier write again, at this server.
    Again(prop::sample::Index),
    /// A commit that was lost on its way arrives.
    Late,
}

#[derive(Debug, Clone, Copy)]
enum Mishap {
    None,
    Definite,
    AnswerLost,
    LostOnTheWay,
    /// The other server writes a line first.
    OtherWrites,
    /// The user edits at the other server first.
    OtherEdits,
    /// The load after it fails.
    LoadFails,
    /// Time passes, perhaps beyond the lease.
    Delay(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let what = prop_oneof![
        6 => Just(What::Write),
        // Each edit ends the lease, and writing is the point.
        3 => Just(What::CheckOut),
        1 => Just(What::Edit),
        3 => any::<prop::sample::Index>().prop_map(What::Again),
        2 => Just(What::Late),
    ];
    let mishap = prop_oneof![
        3 => Just(Mishap::None),
        1 => Just(Mishap::Definite),
        2 => Just(Mishap::AnswerLost),
        2 => Just(Mishap::LostOnTheWay),
        2 => Just(Mishap::OtherWrites),
        1 => Just(Mishap::OtherEdits),
        1 => Just(Mishap::LoadFails),
        1 => (0..20_000u64).prop_map(Mishap::Delay),
    ];
    (0..2usize, what, prop::collection::vec(mishap, 0..4)).prop_map(|(server, what, befalls)| Act {
        server,
        what,
        befalls,
    })
}

/// What may be said of a line that somebody wanted in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Acknowledged: it is there once.
    Written,
    /// Refused: it is not there and never will be.
    Refused,
    /// In doubt: it may be there, once.
    Unknown,
    /// Nothing was written, says the store: it is not there unless it is sent again.
    Unwritten,
}

#[derive(Clone)]
struct Race {
    servers: Arc<[World; 2]>,
    shared: Arc<Mutex<Shared>>,
}

#[derive(Default)]
struct Shared {
    lease: Option<LeaseId>,
    lines: usize,
    writes: Vec<(Call, String)>,
    fates: BTreeMap<String, Fate>,
}

impl Race {
    fn new() -> Self {
        let world = World::new("top\nend\n");
        let peer = world.peer();
        Self { servers: Arc::new([world, peer]), shared: Arc::default() }
    }

    fn line(&self) -> String {
        let mut shared = self.shared.lock().unwrap();
        shared.lines += 1;
        format!("line-{}", shared.lines)
    }

    fn act(&self, Act { server, what, befalls }: &Act) {
        for mishap in befalls {
            self.prepare(*server, *mishap);
        }
        let world = &self.servers[*server];
        match what {
            What::Write => self.write(*server),
            What::CheckOut => self.check_out(*server),
            What::Edit => self.edit(*server),
            What::Again(which) => {
                let again = {
                    let shared = self.shared.lock().unwrap();
                    (!shared.writes.is_empty()).then(|| which.get(&shared.writes).clone())
                };
                if let Some((call, line)) = again {
                    self.send(*server, &call, &line);
                }
            }
            What::Late => drop(world.spy().deliver_late()),
        }
        self.servers.iter().for_each(|world| world.spy().clear_script());
    }

    fn prepare(&self, server: usize, mishap: Mishap) {
        let spy = self.servers[server].spy();
        let (race, other) = (self.clone(), 1 - server);
        match mishap {
            Mishap::None => spy.expect(Commit, Trouble::after(|| ())),
            Mishap::Definite => spy.expect(Commit, Trouble::Definite),
            Mishap::AnswerLost => spy.expect(Commit, Trouble::AnswerLost),
            Mishap::LostOnTheWay => spy.expect(Commit, Trouble::LostOnTheWay),
            Mishap::OtherWrites => spy.expect(Commit, Trouble::after(move || race.write(other))),
            Mishap::OtherEdits => spy.expect(Commit, Trouble::after(move || race.edit(other))),
            Mishap::LoadFails => spy.expect(Load, Trouble::Definite),
            Mishap::Delay(millis) => {
                let clock = self.servers[server].clock.clone();
                spy.expect(Commit, Trouble::after(move || clock.wait(millis)));
            }
        }
    }

    fn check_out(&self, server: usize) {
        let call = self.servers[server].fresh("model", CheckOut);
        if let Ok(Outcome::CheckedOut(CheckedOut { lease, .. })) =
            self.servers[server].try_run(&call).map(|a| a.outcome)
        {
            self.shared.lock().unwrap().lease = Some(lease);
        }
    }

    fn write(&self, server: usize) {
        let Some(lease) = self.shared.lock().unwrap().lease else { return };
        let line = self.line();
        let call = self.servers[server].fresh("model", apply(lease, &format!("top>>{line}")));
        self.shared.lock().unwrap().writes.push((call.clone(), line.clone()));
        self.send(server, &call, &line);
    }

    fn send(&self, server: usize, call: &Call, line: &str) {
        let fate = match self.servers[server].try_run(call) {
            Ok(answered) => match answered.outcome {
                Outcome::Applied(_) => Fate::Written,
                Outcome::Refused(_) => Fate::Refused,
                other => panic!("a write is answered {other:?}"),
            },
            Err(e) => {
                assert!(e.is_retryable(), "{e}");
                if e.code() == "STORE_FAILED" { Fate::Unwritten } else { Fate::Unknown }
            }
        };
        let mut shared = self.shared.lock().unwrap();
        let known = shared.fates.entry(line.to_owned()).or_insert(Fate::Unwritten);
        match (*known, fate) {
            (Fate::Unwritten, fate) => *known = fate,
            // What failed for sure this time says nothing of an earlier try in doubt.
            (_, Fate::Unwritten) => {}
            (Fate::Unknown, fate) => *known = fate,
            (_, Fate::Unknown) => {}
            (known, fate) => assert_eq!(known, fate, "the same call is answered the same: {line}"),
        }
    }

    /// The user's text is the newest there is with one line more, so that it takes nothing away.
    fn edit(&self, server: usize) {
        let line = self.line();
        let world = &self.servers[server];
        let text = world.text().replacen("top\n", &format!("top\n{line}\n"), 1);
        let call = world.fresh("user", Edit::overwrite(text));
        // A user's text that others have overtaken would take their lines away; a host blocks typing meanwhile.
        world.spy().clear_script();
        let answered = world.run(&call);
        assert_eq!(code(&answered.outcome), "OK");
        self.shared.lock().unwrap().fates.insert(line, Fate::Written);
    }

    fn check(&self) {
        let text = self.servers[0].text();
        let shared = self.shared.lock().unwrap();
        for (line, fate) in &shared.fates {
            let times = text.lines().filter(|there| there == line).count();
            match fate {
                Fate::Written => assert_eq!(times, 1, "{line} was acknowledged: {text:?}"),
                Fate::Refused | Fate::Unwritten => assert_eq!(times, 0, "{line} is {fate:?}: {text:?}"),
                Fate::Unknown => assert!(times <= 1, "{line} was doubled: {text:?}"),
            }
        }
    }
}

proptest! {
    /// What was acknowledged is there once, what was refused is not there, what is in doubt is there at most once;
    /// at every moment, and after every late commit has arrived and every call been sent again.
    #[test]
    fn no_write_is_lost_and_none_doubled(acts in prop::collection::vec(act(), 1..40)) {
        let race = Race::new();
        race.check_out(0);
        for act in &acts {
            race.act(act);
            race.check();
        }
        for server in race.servers.iter() {
            server.spy().deliver_late();
        }
        race.check();
        let writes = race.shared.lock().unwrap().writes.clone();
        for (call, line) in &writes {
            race.send(0, call, line);
            race.send(1, call, line);
        }
        race.check();
        prop_assert!(race.shared.lock().unwrap().fates.values().all(|fate| matches!(fate, Fate::Written | Fate::Refused)));
    }
}
