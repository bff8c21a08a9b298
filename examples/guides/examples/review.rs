//! A model proposes changes of a document, and a person decides on each part.

use std::{error::Error, io};

use canvas_core::document::Edit;
use canvas_core::history::{ChangesOf, Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::proposal::{DecideParts, PartId, Proposal};
use canvas_core::store::MemoryStore;
use canvas_core::{Author, CallId, CanvasId, Engine, NameError, OpKey, PersonId, Policy};
use canvas_tools::{DocumentTools, Session, SessionMode, ToolCall, Tools};
use serde_json::json;

const DOCUMENT: &str = "# Launch\n\nThe launch is on Monday.\n\n- write the note\n- call the press\n";

pub(crate) async fn story(out: &mut impl io::Write) -> Result<String, Box<dyn Error>> {
    let now = Timestamp::from_millis(1_000);
    let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    let (tools, canvas) = (Tools::new(DocumentTools::default())?, CanvasId::new("launch")?);
    engine.create(&canvas, DOCUMENT, &OpKey::host("create".parse()?), now).await?;
    let anna = |call: &str| Ok::<_, NameError>(OpKey::person(PersonId::default(), CallId::new(call)?));

    // Your host sets the mode of the session, and tells the model.
    let mut session = Session::open(&engine, canvas.clone(), "assistant".parse()?, now).await?;
    session.mode = SessionMode::propose();
    let briefing = tools.briefing_in(&engine, &session.mode);
    writeln!(out, "The model gets {} tools.", briefing.tools.len())?;
    session.begin_turn(&engine, "message-1".parse()?, now).await?;
    let patch = "@@\n-# Launch\n+# Launch of version 2\n@@\n-The launch is on Monday.\n+The launch of version 2 is on Monday.\n@@\n-- call the press\n+- call the press and the partners\n";
    let call =
        ToolCall { id: "1".into(), name: "canvas_apply_patch".into(), arguments: json!({"patch": patch}) };
    let reply = tools.call(&engine, &mut session, &call, now).await;
    writeln!(out, "The model proposes {}.", reply.body()["proposed"])?;
    session.end_turn(&engine, "end-1".parse()?, now).await?;

    // Meanwhile, the person types in a line that the model wants to change.
    let snapshot = engine.snapshot(&canvas, now).await?;
    let edit = Edit::on(snapshot.revision_id(), DOCUMENT.replace("Monday", "Friday"));
    engine.call(&canvas, &anna("edit")?, edit, now).await?.result?;

    // Your page lists the parts.
    let (open, _) = engine.proposals(&canvas, now).await?;
    for Proposal { owner, parts } in open.list() {
        for part in parts {
            let view = part.view;
            writeln!(out, "{} of {owner}, lines {}-{}:", view.id, view.start_line, view.end_line)?;
            write!(out, "{}{}", mark('-', &view.before), mark('+', &view.after))?;
        }
    }
    writeln!(out, "{}", open.critic_markup(None).unwrap_or_default())?;

    // The person accepts two parts, as they were shown, and rejects one with a note.
    let seen = open.list().remove(0).parts.into_iter().map(|part| (part.view.id, part.view.after));
    let decision = DecideParts {
        note: Some("keep the title short".to_owned()),
        seen: seen.collect(),
        ..DecideParts::accept([PartId::new(2), PartId::new(3)]).and_reject([PartId::new(1)])
    };
    let decided = engine.call(&canvas, &anna("decide")?, decision, now).await?;
    decided.result?;
    writeln!(out, "{}", decided.snapshot.text())?;

    // With the next message, the model hears of the note, and of the word that the person typed.
    let began = session.begin_turn(&engine, "message-2".parse()?, now).await?;
    writeln!(out, "{}", began.hidden_message.unwrap_or_default())?;

    // Undo takes the decision back, and all parts wait again.
    let own =
        UndoScope::Select(ChangesOf::Change(engine.history(&canvas, None, 1, now).await?[0].change).into());
    engine.call(&canvas, &anna("undo")?, Undo { by: Author::User, what: own }, now).await?.result?;
    let (open, snapshot) = engine.proposals(&canvas, now).await?;
    writeln!(out, "{} parts wait again.", open.list()[0].parts.len())?;
    Ok(snapshot.text().to_owned())
}

/// Puts a mark before each line.
fn mark(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark} {line}\n")).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    canvas_core::testing::block_on(story(&mut io::stdout()))?;
    Ok(())
}
