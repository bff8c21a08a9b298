//! A user and a model write one document; the user undoes the model's changes and keeps the others.
//!
//! `cargo run -p canvas-examples --example undo_by_actor`

use std::error::Error;
use std::io::{self, Write};

use canvas_core::document::{ApplyPatch, Edit, Read};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::{CheckIn, CheckOut, Timestamp};
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{
    Author, CallIds, CanvasId, CodedError as _, Command, ConversationId, Engine, OpKey, Policy, Role,
};

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
/// A host with a store that outlives it draws its own, so that ids never repeat.
const RANDOM: u64 = 1;

/// One canvas, and the operations of its user and model.
struct Canvas {
    engine: Engine<MemoryStore>,
    id: CanvasId,
    ids: CallIds,
}

impl Canvas {
    fn new(markdown: &str) -> Result<Self, Box<dyn Error>> {
        let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
        let canvas = Self { engine, id: CanvasId::new("trip")?, ids: CallIds::new(RANDOM) };
        let create = OpKey::host(canvas.ids.fresh());
        block_on(canvas.engine.create(&canvas.id, markdown, &create, NOW))?;
        Ok(canvas)
    }

    fn operation(&self, who: &str) -> Result<OpKey, Box<dyn Error>> {
        Ok(OpKey::of(ConversationId::new(who)?, self.ids.fresh()))
    }

    fn ask<C: Command>(&self, who: &str, command: C) -> Result<Result<C::Done, C::Refusal>, Box<dyn Error>> {
        let operation = self.operation(who)?;
        Ok(block_on(self.engine.call(&self.id, &operation, command, NOW))?.result)
    }

    fn text(&self) -> Result<String, Box<dyn Error>> {
        Ok(block_on(self.engine.snapshot(&self.id, NOW))?.text().to_owned())
    }

    /// The user types.
    fn types(&self, from: &str, to: &str) -> Result<(), Box<dyn Error>> {
        let markdown = self.text()?.replace(from, to);
        self.ask("user", Edit::overwrite(markdown))??;
        Ok(())
    }

    /// The model reads and patches, under a lease.
    fn patches(&self, patch: &str) -> Result<(), Box<dyn Error>> {
        let lease = Some(self.ask("model", CheckOut)??.lease);
        self.ask("model", Read::new(lease))??;
        self.ask(
            "model",
            ApplyPatch { lease, patch: patch.to_owned(), base: None, scope: None, shown: None },
        )??;
        self.ask("model", CheckIn { lease })??;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let out = &mut io::stdout().lock();
    let canvas = Canvas::new("# Trip\n\n- tent\n- stove\n")?;
    canvas.patches("@@\n - stove\n+- gas\n+- matches\n")?;
    canvas.types("- tent", "- tent, the green one")?;
    canvas.patches("@@\n-# Trip\n+# Trip to the lake\n")?;
    canvas.types("- matches\n", "- matches\n- map\n")?;
    writeln!(out, "Both have written:\n\n{}", canvas.text()?)?;
    history(&canvas, out)?;

    let theirs = || UndoScope::Author { author: Role::Assistant, since: None };
    canvas.ask("user", Undo { by: Author::User, what: theirs() })??;
    writeln!(out, "\nWithout the model's changes, and with all of the user's:\n\n{}", canvas.text()?)?;

    // Where both have changed one place, the undo is refused.
    canvas.patches("@@\n-- map\n+- map of the lake\n")?;
    canvas.types("map of the lake", "map of the lake, the old one")?;
    if let Err(refusal) = canvas.ask("user", Undo { by: Author::User, what: theirs() })? {
        writeln!(out, "{}: {refusal}.", refusal.code())?;
    }
    canvas.ask("user", Undo { by: Author::User, what: UndoScope::Steps(2.try_into()?) })??;
    writeln!(out, "\nStep by step it can be undone:\n\n{}", canvas.text()?)?;
    history(&canvas, out)
}

fn history(canvas: &Canvas, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    for entry in block_on(canvas.engine.history(&canvas.id, None, 20, NOW))?.iter().rev() {
        let (kind, author) = (format!("{:?}", entry.kind), format!("{:?}", entry.author));
        writeln!(out, "{:>3}  {kind:<7} {author:<10} {}", entry.number, entry.summary)?;
    }
    Ok(())
}
