//! What is given from outside: the document, the users' words, the models' answers.

use serde_json::Value;

use super::Told;

/// The canvas.
pub(crate) const CANVAS: &str = "picnic";

/// Its first document.
pub(crate) const BEGINNING: &str = "\
# Picnic on Sunday

To bring:

- bread
- cheese

We leave at ten, from the station.
";

/// What must be left at the end: two drinks of three, the user's hour, the second model's work.
pub(crate) const ENDING: &str = "\
# Picnic on Sunday

To bring:

- bread
- cheese
- water
- lemonade
- cups

We leave at nine, from the station; meet at the clock.
";

/// What one server has to do in the story.
#[derive(Debug)]
pub(crate) struct Part {
    /// The server.
    pub(crate) name: &'static str,
    /// The conversation that it serves.
    pub(crate) chat: &'static str,
    /// The user's message.
    pub(crate) message: &'static str,
    /// What the user replaces, and by what.
    pub(crate) typed: (&'static str, &'static str),
    /// The call whose commit is kept on its way, as a slow network does.
    pub(crate) slow: Option<&'static str>,
    /// A list of whole answers of Anthropic Messages, one for each request.
    answers: &'static str,
}

impl Part {
    /// The model's answers.
    pub(crate) fn answers(&self) -> Told<Vec<Value>> {
        serde_json::from_str(self.answers).map_err(|e| format!("{}.json: {e}: correct it", self.name).into())
    }
}

/// The two servers.
pub(crate) static PARTS: [Part; 2] = [
    Part {
        name: "one",
        chat: "the first chat",
        message: "Add three drinks to the list, one at a time.",
        typed: ("- bread", "- bread and butter"),
        slow: Some("toolu_01ThirdDrink"),
        answers: include_str!("one.json"),
    },
    Part {
        name: "two",
        chat: "the second chat",
        message: "We leave at nine now. No more drinks: add cups, and say where we meet.",
        typed: ("We leave at ten", "We leave at nine"),
        slow: None,
        answers: include_str!("two.json"),
    },
];
