//! The input of the story: the document, the users' messages and the models' recorded answers.

use serde_json::Value;

use super::StoryResult;

/// The canvas.
pub(crate) const CANVAS: &str = "picnic";

/// Its first document.
pub(crate) const INITIAL_TEXT: &str = "\
# Picnic on Sunday

To bring:

- bread
- cheese

We leave at ten, from the station.
";

/// The document at the end: two drinks of three, the user's hour, the second model's work.
pub(crate) const EXPECTED_TEXT: &str = "\
# Picnic on Sunday

To bring:

- bread
- cheese
- water
- lemonade
- cups

We leave at nine, from the station; meet at the clock.
";

/// One server's input.
#[derive(Debug)]
pub(crate) struct ServerScript {
    /// The server.
    pub(crate) name: &'static str,
    /// The conversation that it serves.
    pub(crate) chat: &'static str,
    /// The user's message.
    pub(crate) message: &'static str,
    /// The user's edit: a text, and what replaces it.
    pub(crate) typed: (&'static str, &'static str),
    /// The call whose commit is held up, as by a slow network.
    pub(crate) slow: Option<&'static str>,
    /// A list of whole answers of Anthropic Messages, one for each request.
    answers: &'static str,
}

impl ServerScript {
    /// The model's answers.
    pub(crate) fn answers(&self) -> StoryResult<Vec<Value>> {
        serde_json::from_str(self.answers).map_err(|e| format!("{}.json: {e}: correct it", self.name).into())
    }
}

/// The two servers.
pub(crate) static SCRIPTS: [ServerScript; 2] = [
    ServerScript {
        name: "one",
        chat: "the first chat",
        message: "Add three drinks to the list, one at a time.",
        typed: ("- bread", "- bread and butter"),
        slow: Some("toolu_01ThirdDrink"),
        answers: include_str!("one.json"),
    },
    ServerScript {
        name: "two",
        chat: "the second chat",
        message: "We leave at nine now. No more drinks: add cups, and say where we meet.",
        typed: ("We leave at ten", "We leave at nine"),
        slow: None,
        answers: include_str!("two.json"),
    },
];
