//! Commands of the model as calls of the engine, and its answers as the model's codes.

use canvas_core::lease::{Epoch, LeaseId, Timestamp, Turn};
use canvas_core::{
    BlobId, Call, CallId, CanvasId, Changes, ConversationId, Engine, EngineError, Head, OpKey, Outcome,
    Promotion, Refusal, Resolution, Revision, RevisionId, Store, TreePath, TurnStart,
};

use super::model::{Command, FIRST, Lease, Op, line};
use super::referee::{Asked, Said};

/// The one canvas of these tests.
pub(crate) fn canvas() -> CanvasId {
    CanvasId::new("canvas").expect("the name is short")
}

/// Asks a server, and says what its caller hears.
pub(crate) async fn ask<S: Store>(engine: &Engine<S>, asked: &Asked, now: Timestamp) -> Said {
    let (canvas, key) = (canvas(), key(asked.op));
    let answer = match &asked.command {
        Command::Create => {
            let created = engine.create(&canvas, &text(&FIRST), &key, now).await;
            created.map(|answered| (code(&answered.outcome), answered.replayed))
        }
        // It does not tell whether it repeats itself.
        Command::Delete => engine.delete(&canvas, &key, now).await.map(|()| ("OK".to_owned(), true)),
        Command::Look => engine.snapshot(&canvas, now).await.map(|seen| {
            let lines: Vec<_> = seen.text().lines().collect();
            (format!("OK-r{}: {}", seen.revision_id().revision().get(), lines.join("|")), false)
        }),
        Command::Resolve => engine.resolve(&canvas, &key, now).await.map(|resolution| match resolution {
            Resolution::Done(outcome) => (format!("DONE: {}", code(&outcome)), false),
            Resolution::NeverDone => ("NEVER".to_owned(), false),
        }),
        command => {
            let call = Call { operation: key, command: worded(command) };
            let answered = engine.call(&canvas, &call, now).await;
            answered.map(|answered| (code(&answered.outcome), answered.replayed))
        }
    };
    match answer {
        Ok((code, replayed)) => Said::Answer { code, replayed },
        Err(e) => error(&e),
    }
}

fn error(e: &EngineError) -> Said {
    match e.code() {
        "STORE_FAILED" => Said::Failed,
        "STORE_INDETERMINATE" => Said::Unknown,
        code => Said::Answer { code: code.to_owned(), replayed: false },
    }
}

fn key(Op { who, turn, call }: Op) -> OpKey {
    OpKey {
        conversation: ConversationId::new(who.name()).expect("the name is short"),
        turn: Turn::new(turn).expect("tests are short"),
        call: CallId::new(&call.to_string()).expect("a number is short"),
    }
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

fn worded(command: &Command) -> canvas_core::Command {
    use canvas_core::Command as C;

    match command {
        Command::CheckOut => C::CheckOut,
        Command::Renew(id) => C::Renew { lease: lease(*id) },
        Command::CheckIn(id) => C::CheckIn { lease: lease(*id) },
        Command::Read(id) => C::Read { lease: lease(*id) },
        Command::Write { lease: id, base, line: number } => {
            let patch = number.map_or_else(
                || "@@\n nowhere\n+lost\n".to_owned(),
                |number| format!("@@\n {}\n+{}\n", FIRST[0], line(number)),
            );
            // The number decides; the digits are for people.
            let base = base.map(|base| RevisionId::new(revision(base), BlobId::of(b"")));
            C::Apply { lease: lease(*id), patch, base }
        }
        Command::Edit(lines) => C::Edit { markdown: text(lines) },
        Command::Message => C::Message,
        Command::Cancel => C::Cancel,
        Command::EndTurn(epoch, start) => {
            let epoch = Epoch::new(*epoch).expect("tests are short");
            C::EndTurn { start: TurnStart { epoch, revision: revision(*start) } }
        }
        Command::Create | Command::Delete | Command::Look | Command::Resolve => {
            unreachable!("the engine has a method of its own for {command:?}")
        }
    }
}

fn code(outcome: &Outcome) -> String {
    let number = |id: &RevisionId| id.revision().get();
    let told = |changes: &Option<Changes>| if changes.is_some() { "diff" } else { "same" };
    match outcome {
        Outcome::Created { revision }
        | Outcome::Renewed { revision, .. }
        | Outcome::Readable { revision, .. } => format!("OK-r{}", number(revision)),
        Outcome::Applied(applied) => format!("OK-r{}", number(&applied.revision)),
        Outcome::Deleted => "OK".to_owned(),
        Outcome::CheckedOut { lease, revision, .. } => format!("OK-{lease}-r{}", number(revision)),
        Outcome::CheckedIn { released, revision } => {
            format!("OK-{}-r{}", if *released { "released" } else { "already" }, number(revision))
        }
        Outcome::Edited { epoch, revision } => format!("OK-e{}-r{}", epoch.get(), number(revision)),
        Outcome::Interrupted { epoch } => format!("OK-e{}", epoch.get()),
        Outcome::TurnBegan { start, changes, promotion } => format!(
            "OK-e{}-r{}-{}-{}",
            start.epoch.get(),
            start.revision.get(),
            promoted(*promotion),
            told(changes)
        ),
        Outcome::TurnEnded { changes, promotion } => {
            format!("OK-{}-{}", promoted(*promotion), told(changes))
        }
        Outcome::Amended { .. }
        | Outcome::Undone { .. }
        | Outcome::Redone { .. }
        | Outcome::HistoryCleared { .. }
        | Outcome::BoardCreated { .. }
        | Outcome::Board { .. }
        | Outcome::Forgotten => unreachable!("nobody asks for it here: {outcome:?}"),
        // Which hunks of a patch do not fit is the business of other tests.
        Outcome::Refused(refusal @ Refusal::PatchRejected(_)) => refusal.code().to_owned(),
        Outcome::Refused(refusal) => match refusal.reason() {
            Some(reason) => format!("{}/{reason}", refusal.code()),
            None => refusal.code().to_owned(),
        },
    }
}

const fn promoted(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Promoted => "PROMOTED",
        Promotion::Unchanged => "UNCHANGED",
        Promotion::StaleEpoch => "STALE_EPOCH",
    }
}

/// A stored head in the words of the referee; its text is read by the caller.
pub(crate) fn describe(head: &Head, text: &str, is_timeless: bool) -> String {
    let lock = head.lock();
    let mark = if is_timeless { 0 } else { lock.high_water_mark().as_millis() };
    let access = match lock.lease() {
        None => if lock.turn_open() { "open" } else { "closed" }.to_owned(),
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
