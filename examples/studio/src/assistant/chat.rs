//! What a chat shows.

use std::collections::VecDeque;

use canvas_core::PersonId;
use canvas_core::board::ComponentId;
use canvas_core::history::ChangeNumber;
use canvas_tools::directive::RecentEdits;
use canvas_tools::{ActionRequest, SessionMode};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::preview::Row;

/// Items that a chat keeps; older ones are dropped.
const KEPT: usize = 500;

/// Characters of a text that are shown.
const SHOWN: usize = 20_000;

/// One chat.
#[derive(Debug, Default)]
pub(super) struct Chat {
    items: VecDeque<Item>,
    made: u64,
    pub(super) is_running: bool,
    pub(super) edits: Edits,
    pub(super) recent: RecentEdits,
}

/// How the model edits the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Edits {
    /// By the tools of the document, under a lease.
    #[default]
    Tools,
    /// By directives that are patches.
    Patches,
    /// By directives that insert, replace and annotate.
    Legacy,
    /// By the tools of the document, and each edit waits for a decision of a person.
    Proposals,
}

impl Edits {
    pub(super) fn mode(self) -> SessionMode {
        if self == Self::Proposals { SessionMode::propose() } else { SessionMode::Direct }
    }
}

/// A chat as it is kept.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptChat {
    items: Vec<Item>,
    made: u64,
    edits: Edits,
}

/// Who an item is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Speaker {
    User,
    Assistant,
    System,
}

/// What kind of call an item shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Icon {
    Patch,
    Replace,
    Insert,
    Annotate,
    Board,
    Surface,
    Read,
    Recipe,
}

/// Whether a call was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Applied,
    Refused,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub(super) enum Content {
    Text {
        text: String,
    },
    Edit {
        tool: String,
        icon: Icon,
        summary: String,
        preview: Vec<Row>,
        status: Status,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// What the person may take back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<ChangeNumber>,
    },
    /// An action of a component that the assistant asks the person to run.
    Request {
        component_id: ComponentId,
        action_id: String,
        label: String,
        params: Map<String, Value>,
    },
    Notice {
        code: String,
        text: String,
        advice: String,
    },
    Suggestion {
        trigger_id: String,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        view_id: Option<String>,
    },
}

/// One item, without its number and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Item {
    id: u64,
    at: u64,
    role: Speaker,
    /// The named person who said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<PersonId>,
    #[serde(flatten)]
    content: Content,
}

impl Item {
    fn new(role: Speaker, content: Content) -> Self {
        Self { id: 0, at: 0, role, by: None, content }
    }

    pub(super) fn text(role: Speaker, text: &str) -> Self {
        Self::new(role, Content::Text { text: text.chars().take(SHOWN).collect() })
    }

    /// The message of a person.
    pub(super) fn said(by: Option<PersonId>, text: &str) -> Self {
        Self { by, ..Self::text(Speaker::User, text) }
    }

    pub(super) fn edit(content: Content) -> Self {
        Self::new(Speaker::Assistant, content)
    }

    pub(super) fn request(request: ActionRequest) -> Self {
        let ActionRequest { component_id, action_id, label, params } = request;
        Self::new(Speaker::Assistant, Content::Request { component_id, action_id, label, params })
    }

    pub(super) fn notice(code: &str, text: &str, advice: &str) -> Self {
        let (code, text, advice) = (code.to_owned(), text.to_owned(), advice.to_owned());
        Self::new(Speaker::System, Content::Notice { code, text, advice })
    }

    pub(super) fn suggestion(trigger: &str, text: &str, view: Option<&str>) -> Self {
        let view_id = view.map(str::to_owned);
        let content = Content::Suggestion { trigger_id: trigger.to_owned(), text: text.to_owned(), view_id };
        Self::new(Speaker::System, content)
    }
}

impl Chat {
    /// Adds an item, and gives it as pages get it.
    pub(super) fn append(&mut self, item: Item, at: u64) -> Value {
        self.made += 1;
        let item = Item { id: self.made, at, ..item };
        let json = json!(item);
        self.items.push_back(item);
        if self.items.len() > KEPT {
            self.items.pop_front();
        }
        json
    }

    pub(super) fn to_json(&self) -> Value {
        json!({"items": self.items, "running": self.is_running, "edits": self.edits})
    }

    /// What a restart of the server keeps of it. Suggestions are made again, and requests are of their turn.
    pub(super) fn kept(&self) -> KeptChat {
        let is_kept =
            |item: &&Item| !matches!(item.content, Content::Suggestion { .. } | Content::Request { .. });
        let items = self.items.iter().filter(is_kept).cloned().collect();
        KeptChat { items, made: self.made, edits: self.edits }
    }

    pub(super) fn of(kept: KeptChat) -> Self {
        Self { items: kept.items.into(), made: kept.made, edits: kept.edits, ..Self::default() }
    }
}
