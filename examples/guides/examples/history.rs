//! A person and a model change a document. The host shows who wrote what, and goes back to a named version.

use std::{error::Error, io};

use canvas_core::document::{Edit, HostEdit};
use canvas_core::history::{At, PastDocument};
use canvas_core::lease::Timestamp;
use canvas_core::rollout::Rollout;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::text::Delta;
use canvas_core::version::{NameVersion, Restore, VersionLabel};
use canvas_core::{Actor, CallId, CanvasId, Engine, NameError, OpKey, PersonId, Policy};

const DOCUMENT: &str = "- write the note\n- book the room\n";

pub(crate) async fn story(out: &mut impl io::Write) -> Result<String, Box<dyn Error>> {
    let now = Timestamp::from_millis(1_000);
    let policy = Policy { rollout: Rollout::Write, ..Policy::default() };
    let (engine, canvas) = (Engine::new(MemoryStore::new(move || now), policy), CanvasId::new("launch")?);
    engine.create(&canvas, DOCUMENT, &OpKey::host("create".parse()?), now).await?;
    let anna = |call: &str| {
        Ok::<_, NameError>(OpKey::person(PersonId::new("anna").unwrap_or_default(), CallId::new(call)?))
    };
    let chat = OpKey::of("assistant".parse()?, "1".parse()?);

    // A person gives the first text a label.
    let label = VersionLabel::new("as sent to the board")?;
    let name = NameVersion { label: label.clone(), note: Some("by mail".to_owned()), of: None };
    let version = engine.call(&canvas, &anna("name")?, name, now).await?.result?;
    writeln!(out, "{:?} is revision {}.", version.label.as_str(), version.revision.get())?;

    // The person edits, then the model.
    let text = format!("{DOCUMENT}- call the press\n");
    engine.call(&canvas, &anna("edit")?, Edit::overwrite(text.clone()), now).await?.result?;
    let base = engine.snapshot(&canvas, now).await?.revision_id();
    let delta = Delta::between(&text, &text.replace("the note", "the note and the page"));
    let edit = HostEdit { base: base.into(), delta, summary: "adds the page".to_owned(), request: None };
    engine.call(&canvas, &chat, edit, now).await?.result?;

    // Your page shows next to each line who wrote it last.
    let snapshot = engine.snapshot(&canvas, now).await?;
    let lines: Vec<&str> = snapshot.text().lines().collect();
    for run in engine.blame(&canvas, None, now).await? {
        let who = run.writer.as_ref().map_or_else(|| "nobody".to_owned(), |writer| name_of(&writer.actor));
        for line in &lines[run.start_line - 1..run.end_line] {
            writeln!(out, "{who:>9} | {line}")?;
        }
    }

    // It compares the version with the current document, and restores it.
    let diff = engine.diff(&canvas, label.clone(), snapshot.head.revision(), now).await?;
    write!(out, "{}", diff.patch)?;
    let sent: PastDocument = engine.document_at(&canvas, At::Version(label), now).await?;
    let restored = engine.call(&canvas, &anna("restore")?, Restore { faces: sent.into() }, now).await?;
    restored.result?;
    let last = engine.history(&canvas, None, 1, now).await?;
    writeln!(out, "{}: {}", name_of(&last[0].made_by()), last[0].summary)?;
    Ok(restored.snapshot.text().to_owned())
}

fn name_of(actor: &Actor) -> String {
    match actor {
        Actor::Person { person } => person.to_string(),
        Actor::Conversation { conversation, .. } => conversation.to_string(),
        Actor::Host => "the host".to_owned(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    block_on(story(&mut io::stdout()))?;
    Ok(())
}
