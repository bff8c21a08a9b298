//! The input of a run: the document, the user's messages and the model's recorded answers.

use std::error::Error;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use canvas_core::Policy;
use canvas_core::proposal::{DecideParts, PartId};
use serde_json::Value;

use super::derive;
use super::terminal::{fit, grouped};

/// Three turns on one document.
pub(crate) struct Script {
    /// The document's name, for people.
    pub(crate) name: String,
    /// The document.
    pub(crate) text: String,
    /// The turn that goes well, after a second try.
    pub(crate) first: Turn,
    /// The turn in which the user types.
    pub(crate) second: Turn,
    /// The user's edit during that turn.
    pub(crate) user_edit: UserEdit,
    /// The turn in which the model only proposes.
    pub(crate) third: Turn,
    /// The user's decision on what it proposes.
    pub(crate) decision: DecideParts,
    /// The user's last message.
    pub(crate) farewell: String,
}

/// A message of the user and the model's answers to it.
pub(crate) struct Turn {
    pub(crate) prompt: String,
    /// Whole answers of Anthropic Messages, one for each request.
    pub(crate) answers: Vec<Value>,
}

/// An edit that the user makes while the model writes.
pub(crate) struct UserEdit {
    /// The answer that is being written at that time, from 1.
    pub(crate) during: usize,
    /// Words that the document holds afterwards and not before.
    pub(crate) words: &'static str,
    /// From the text before to the text after.
    pub(crate) edit: fn(&str) -> String,
}

const OLD_STEP: &str = "2. Delete the old database: `dropdb orchard`.";
const NEW_STEP: &str = "2. Set the old database aside: `psql -c 'alter database orchard rename to old'`.";

impl Script {
    /// The three turns on the runbook, from the files beside this one.
    pub(crate) fn runbook() -> Result<Self, Box<dyn Error>> {
        let answers = |name: &str, json: &str| {
            serde_json::from_str(json).map_err(|e| format!("{name} is no list of answers: {e}"))
        };
        Ok(Self {
            name: "runbook.md".into(),
            text: include_str!("runbook.md").into(),
            first: Turn {
                prompt: "Keep the nightly dumps for 30 days instead of 14, here and everywhere.".into(),
                answers: answers("turn_1.json", include_str!("turn_1.json"))?,
            },
            second: Turn {
                prompt: "Step 2 of the restore throws the old data away. Set it aside instead.".into(),
                answers: answers("turn_2.json", include_str!("turn_2.json"))?,
            },
            user_edit: UserEdit {
                during: 3,
                words: NEW_STEP,
                edit: |text| text.replacen(OLD_STEP, NEW_STEP, 1),
            },
            third: Turn {
                prompt: "What else does the restore need? Propose it, and I decide later.".into(),
                answers: answers("turn_3.json", include_str!("turn_3.json"))?,
            },
            decision: DecideParts {
                note: Some("the channel knows it by then".into()),
                ..DecideParts::accept([PartId::new(2)]).and_reject([PartId::new(1)])
            },
            farewell: "Good, leave it like that.".into(),
        })
    }

    /// Three turns on any text file, with calls that suit its content. The file is only read.
    pub(crate) fn of_file(path: &Path) -> Result<Self, Box<dyn Error>> {
        let name = fit(&path.display().to_string(), 60);
        let text = read(path).map_err(|problem| format!("{name} {problem}"))?;
        Ok(derive::script(name, text))
    }
}

/// Room for what the turns add.
const ROOM: usize = 4 << 10;

fn read(path: &Path) -> Result<String, String> {
    let limit = Policy::default().document.bytes - ROOM;
    let unreadable = |e| format!("cannot be read ({e}): name a text file");
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    // One byte more than allowed shows that there is more, also where a device has no end.
    file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() > limit {
        return Err(format!("has more than {} bytes: name a smaller file", grouped(limit)));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("is no UTF-8 text (byte {}): name a text file", grouped(at + 1))
    })
}
