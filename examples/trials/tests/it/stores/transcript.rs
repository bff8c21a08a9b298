//! Commands of the model as calls of the engine, and its answers as the model's codes.

use canvas_core::document::{AppliedPatch, ApplyPatch, Base, Changes, Edit, Edited, Read, Readable};
use canvas_core::lease::{
    CheckIn, CheckOut, CheckedIn, CheckedOut, Epoch, LeaseId, Renew, Renewed, Timestamp, Turn,
};
use canvas_core::store::{Head, Store, TreePath, TurnStart};
use canvas_core::turn::{Cancel, EndTurn, Interrupted, Promotion, SendMessage, TurnBegan, TurnEnded};
use canvas_core::{
    CanvasId, CodedError as _, Engine, EngineError, OpKey, Refusal, Refused as _, Resolution, Revision,
    RevisionId, StoredAnswer,
};

use super::checker::{Asked, Said};
use super::model::{Command, FIRST, Lease, Op, line};
use canvas_store_testing::key_of;

/// The one canvas of these tests.
pub(crate) fn canvas() -> CanvasId {
    canvas_store_testing::canvas("canvas")
}

/// Asks a server, and says what its caller hears.
pub(crate) async fn ask<S: Store>(engine: &Engine<S>, asked: &Asked, now: Timestamp) -> Said {
    let (canvas, key) = (canvas(), key(asked.op));
    let call = Call { engine, canvas: &canvas, key: &key, now };
    let answer = match &asked.command {
        Command::Create => {
            let created = engine.create(&canvas, &text(&FIRST), &key, now).await;
            created.map(|created| (format!("OK-r{}", number(created.revision)), created.replayed))
        }
        // It does not tell whether it repeats itself.
        Command::Delete => engine.delete(&canvas, &key, now).await.map(|()| ("OK".to_owned(), true)),
        Command::Look => engine.snapshot(&canvas, now).await.map(|seen| {
            let lines: Vec<_> = seen.text().lines().collect();
            (format!("OK-r{}: {}", number(seen.revision_id()), lines.join("|")), false)
        }),
        Command::Resolve => engine.resolve(&canvas, &key, now).await.map(|resolution| match resolution {
            Resolution::Done(stored) => (format!("DONE: {}", stored_code(&stored)), false),
            Resolution::NeverDone => ("NEVER".to_owned(), false),
        }),
        Command::CheckOut => call.run(CheckOut).await,
        Command::Renew(id) => call.run(Renew { lease: lease(*id) }).await,
        Command::CheckIn(id) => call.run(CheckIn { lease: lease(*id) }).await,
        Command::Read(id) => call.run(Read::new(lease(*id))).await,
        Command::Write { lease: id, base, line: number } => {
            let patch = number.map_or_else(
                || "@@\n nowhere\n+lost\n".to_owned(),
                |number| format!("@@\n {}\n+{}\n", FIRST[0], line(number)),
            );
            // The number decides; the digits are for people.
            let base = base.map(|base| Base::Number(revision(base)));
            call.run(ApplyPatch { lease: lease(*id), patch, base, scope: None, shown: None }).await
        }
        Command::Edit(lines) => call.run(Edit::overwrite(text(lines))).await,
        Command::Message => call.run(SendMessage).await,
        Command::Cancel => call.run(Cancel).await,
        Command::EndTurn(epoch, start) => {
            let epoch = Epoch::new(*epoch).expect("tests are short");
            call.run(EndTurn { start: TurnStart { epoch, revision: revision(*start) } }).await
        }
    };
    match answer {
        Ok((code, replayed)) => Said::Answer { code, replayed },
        Err(e) => error(&e),
    }
}

/// A call of the engine.
struct Call<'a, S> {
    engine: &'a Engine<S>,
    canvas: &'a CanvasId,
    key: &'a OpKey,
    now: Timestamp,
}

impl<S: Store> Call<'_, S> {
    /// Runs a command, and says its code and whether the answer is an old one.
    async fn run<C: canvas_core::Command<Done: Spoken>>(
        &self,
        command: C,
    ) -> Result<(String, bool), EngineError> {
        let answered = self.engine.call(self.canvas, self.key, command, self.now).await?;
        Ok((code::<C>(&answered.result), answered.replayed))
    }
}

fn error(e: &EngineError) -> Said {
    match e {
        EngineError::Store(error) if error.is_definite() => Said::Failed,
        EngineError::Store(_) => Said::Unknown,
        e => Said::Answer { code: e.code().to_owned(), replayed: false },
    }
}

fn key(Op { who, turn, call }: Op) -> OpKey {
    key_of(who.name(), Turn::new(turn).expect("tests are short"), &call.to_string())
}

pub(crate) fn text<L: AsRef<str>>(lines: &[L]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}

fn lease(lease: Lease) -> Option<LeaseId> {
    lease.map(|(fence, epoch)| {
        format!("lease-{fence}-{epoch}").parse().expect("this is how leases are written")
    })
}

fn revision(number: u64) -> Revision {
    Revision::new(number).expect("tests are short")
}

fn number(id: RevisionId) -> u64 {
    id.revision().get()
}

fn reported(changes: Option<&Changes>) -> &'static str {
    match changes {
        Some(Changes { whole: Some(_), .. }) => "whole",
        Some(_) => "diff",
        None => "same",
    }
}

/// An answer as the model's code.
trait Spoken {
    fn code(&self) -> String;
}

impl Spoken for CheckedOut {
    fn code(&self) -> String {
        format!("OK-{}-r{}", self.lease, number(self.revision))
    }
}

impl Spoken for Renewed {
    fn code(&self) -> String {
        format!("OK-r{}", number(self.revision))
    }
}

impl Spoken for CheckedIn {
    fn code(&self) -> String {
        format!("OK-{}-r{}", if self.released { "released" } else { "already" }, number(self.revision))
    }
}

impl Spoken for Readable {
    fn code(&self) -> String {
        format!("OK-r{}", number(self.revision))
    }
}

impl Spoken for AppliedPatch {
    fn code(&self) -> String {
        format!("OK-r{}", number(self.revision))
    }
}

impl Spoken for Edited {
    fn code(&self) -> String {
        format!("OK-e{}-r{}", self.epoch.get(), number(self.revision))
    }
}

impl Spoken for Interrupted {
    fn code(&self) -> String {
        format!("OK-e{}", self.epoch.get())
    }
}

impl Spoken for TurnBegan {
    fn code(&self) -> String {
        let TurnStart { epoch, revision } = self.start;
        let (promoted, reported) = (promoted(self.promotion), reported(self.changes.as_ref()));
        format!("OK-e{}-r{}-{promoted}-{reported}", epoch.get(), revision.get())
    }
}

impl Spoken for TurnEnded {
    fn code(&self) -> String {
        format!("OK-{}-{}", promoted(self.promotion), reported(self.changes.as_ref()))
    }
}

fn code<C: canvas_core::Command<Done: Spoken>>(result: &Result<C::Done, C::Refusal>) -> String {
    match result {
        Ok(done) => done.code(),
        Err(refusal) => match refusal.view() {
            // Which hunks of a patch do not fit is the business of other tests.
            Refusal::Patch(_) => refusal.code().to_owned(),
            view => match view.reason() {
                Some(reason) => format!("{}/{reason}", view.code()),
                None => view.code().to_owned(),
            },
        },
    }
}

/// The code of an answer to whatever command left it.
fn stored_code(stored: &StoredAnswer) -> String {
    fn of<C: canvas_core::Command<Done: Spoken>>(stored: &StoredAnswer) -> Option<String> {
        stored.answer::<C>().map(|result| code::<C>(&result))
    }
    let commands = [
        of::<CheckOut>,
        of::<Renew>,
        of::<CheckIn>,
        of::<ApplyPatch>,
        of::<Edit>,
        of::<SendMessage>,
        of::<Cancel>,
        of::<EndTurn>,
    ];
    if let Some(code) = commands.iter().find_map(|of| of(stored)) {
        return code;
    }
    // A creation, or a deletion.
    let json: serde_json::Value = serde_json::from_str(stored.json()).expect("it is JSON");
    match json["revision"].as_str() {
        Some(id) => format!("OK-r{}", number(id.parse().expect("a revision id"))),
        None => "OK".to_owned(),
    }
}

const fn promoted(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Promoted => "PROMOTED",
        Promotion::Unchanged => "UNCHANGED",
        Promotion::Deferred => "STALE_EPOCH",
    }
}

/// A stored head in the words of the checker; its text is read by the caller.
pub(crate) fn describe(head: &Head, text: &str, is_timeless: bool) -> String {
    let lock = head.lock();
    let mark = if is_timeless { 0 } else { lock.high_water_mark().as_millis() };
    let access = match lock.lease() {
        None => if lock.is_turn_open() { "open" } else { "closed" }.to_owned(),
        Some(lease) => {
            let until = if is_timeless { 0 } else { lease.expires_at.as_millis() };
            format!("held by {} until {until}", lease.operation.as_str())
        }
    };
    let document = head.committed().and_then(|tree| tree.get(&TreePath::document()));
    let artefact = document.map_or_else(|| "none".to_owned(), |blob| blob.to_string());
    let start = head.turn_start();
    format!(
        "r{} e{} f{} t{} at {mark} {access}, began e{}-r{}, artefact {artefact}, text {text}",
        head.revision().get(),
        lock.epoch().get(),
        lock.fence().get(),
        lock.turn().get(),
        start.epoch.get(),
        start.revision.get(),
    )
}
