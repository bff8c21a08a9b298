//! Hidden messages keep a model's copy of the document equal to it: edits by user and model, an undo, a compacted chat.
//!
//! `cargo run -p canvas-examples --example context_sync`

use std::error::Error;
use std::io::{self, Write};

use canvas_core::document::Edit;
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::text::{ApplyOptions, apply};
use canvas_core::{Author, CallIds, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::{DocumentTools, HIDDEN_HEADER, SNAPSHOT_HEADER, Session, ToolCall, Tools};
use serde_json::{Value, json};

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
/// A host with a store that outlives it draws its own, so that ids never repeat.
const RANDOM: u64 = 1;
const FIRST: &str = "# Notes\n\n- one\n- two\n- three\n";

/// A chat about a canvas, and the copy that its model has: the first text, changed by the hidden messages alone.
struct Chat {
    engine: Engine<MemoryStore>,
    tools: Tools<MemoryStore>,
    session: Session,
    copy: String,
    ids: CallIds,
}

impl Chat {
    fn open() -> Result<Self, Box<dyn Error>> {
        let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
        let (canvas, chat) = (CanvasId::new("notes")?, ConversationId::new("chat")?);
        let create = OpKey::of(chat.clone(), "create".parse()?);
        block_on(engine.create(&canvas, FIRST, &create, NOW))?;
        let session = block_on(Session::open(&engine, canvas, chat, NOW))?;
        let tools = Tools::new(DocumentTools::default())?;
        Ok(Self { engine, tools, session, copy: FIRST.to_owned(), ids: CallIds::new(RANDOM) })
    }

    fn user<C: Command>(&self, command: C) -> Result<(), Box<dyn Error>>
    where
        C::Refusal: 'static,
    {
        let operation = OpKey::user(self.ids.fresh());
        block_on(self.engine.call(&self.session.canvas, &operation, command, NOW))?.result?;
        Ok(())
    }

    fn text(&self) -> Result<String, Box<dyn Error>> {
        Ok(block_on(self.engine.snapshot(&self.session.canvas, NOW))?.text().to_owned())
    }

    fn tool(&mut self, name: &str, arguments: Value) -> Result<Value, Box<dyn Error>> {
        let call = ToolCall { id: self.ids.fresh().into(), name: name.into(), arguments };
        let reply = block_on(self.tools.call(&self.engine, &mut self.session, &call, NOW));
        if reply.is_ok() { Ok(reply.body().clone()) } else { Err(reply.body().to_string().into()) }
    }

    /// The user sends a message; the hidden one comes before it.
    fn message(&mut self, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
        let id = self.ids.fresh();
        let began = block_on(self.session.begin_turn(&self.engine, id, NOW))?;
        self.apply_hidden("The user sends a message", began.hidden_message, out)
    }

    /// The model's turn ends; the hidden message comes after its last reply.
    fn end_turn(&mut self, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
        let id = self.ids.fresh();
        let ended = block_on(self.session.end_turn(&self.engine, id, NOW))?;
        self.apply_hidden("The model's turn ends", ended.hidden_message, out)
    }

    /// Applies a hidden message to the copy, as a model would.
    fn apply_hidden(
        &mut self,
        when: &str,
        message: Option<String>,
        out: &mut impl Write,
    ) -> Result<(), Box<dyn Error>> {
        match &message {
            Some(message) => writeln!(out, "{when}, and the history gets:\n\n{message}\n")?,
            None => writeln!(out, "{when}, and there is nothing new.\n")?,
        }
        if let Some(message) = message {
            let (header, fenced) = message.split_once('\n').ok_or("a message has a header")?;
            let inner: Vec<_> = fenced.lines().collect();
            let inner: String = inner[1..inner.len() - 1].iter().map(|line| format!("{line}\n")).collect();
            self.copy = match header {
                HIDDEN_HEADER => apply(&self.copy, &inner, &ApplyOptions::default())?.into_text(),
                SNAPSHOT_HEADER => inner,
                other => return Err(format!("no such header: {other}").into()),
            };
        }
        if self.copy == self.text()? { Ok(()) } else { Err("the copy is not the document".into()) }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = &mut io::stdout().lock();
    let mut chat = Chat::open()?;

    // Two edits by the user become one diff.
    let edited = FIRST.replace("- two", "- two, by the user");
    chat.user(Edit::overwrite(edited.clone()))?;
    chat.user(Edit::overwrite(edited + "- four\n"))?;
    chat.message(out)?;

    // A hidden message at the end of the turn has the model's own edits: another model may not get its tool results.
    let lease = chat.tool("canvas_check_out", json!({}))?["lease_id"].clone();
    chat.tool(
        "canvas_apply_patch",
        json!({"lease_id": lease, "patch": "@@\n-- one\n+- one, by the model\n"}),
    )?;
    chat.end_turn(out)?;

    // The user undoes the model's edit: that is a change too.
    chat.user(Undo { by: Author::User, what: UndoScope::Steps(1.try_into()?) })?;
    chat.message(out)?;

    // The host compacts the chat: the model knows nothing of the document any more, so it gets all of it.
    let id = chat.ids.fresh();
    block_on(chat.session.forget(&chat.engine, id, NOW))?;
    chat.copy.clear();
    chat.message(out)?;
    writeln!(out, "At each step the first text and the hidden messages gave the document.")?;
    Ok(())
}
