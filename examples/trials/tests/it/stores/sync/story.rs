//! What may happen to a canvas and to the chats about it.

use canvas_tools::HIDDEN_HEADER;
use proptest::prelude::*;
use proptest::sample::Index;

pub(super) const CHATS: usize = 2;

/// A step of somebody. What cannot be done then is refused, and appears in no story.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// The user changes the text.
    Edit(Change),
    /// The user takes back, and does it again or not.
    Undo {
        redo: bool,
    },
    /// The model of a chat checks out where it must, reads, patches, and keeps the lease or not.
    Write {
        chat: usize,
        change: Change,
        keeps: bool,
    },
    /// The model takes back, and does it again or not.
    ModelUndo {
        chat: usize,
        redo: bool,
    },
    /// The user writes to a chat; the answer may be lost and asked for again.
    Message {
        chat: usize,
        again: bool,
    },
    /// The turn of a chat ends, whoever's turn it is by now.
    End {
        chat: usize,
        again: bool,
    },
    /// The chat is compacted: its model knows nothing any more.
    Forget(usize),
    Cancel,
    Wait(u64),
}

/// What becomes of a text.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Put(Index, &'static str),
    Remove(Index),
    Whole(Vec<&'static str>),
    /// The final newline goes, or comes.
    End,
}

/// Lines that a careless writer of fences, or reader of diffs, would stumble over.
fn line() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => prop::sample::select(vec!["a\n", "b\n", "\n", "- c\n"]),
        1 => prop::sample::select(vec![
            "```\n", "```diff\n", "``````\n", "~~~\n", "+ d\n", "--- e\n", "@@ -1 +1 @@\n", "f\r\n", "g\r", "\u{feff}h\n",
            "\\ No newline at end of file\n", "🦀 é\0\n", HIDDEN_HEADER,
        ]),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        5 => (any::<Index>(), line()).prop_map(|(at, line)| Change::Put(at, line)),
        3 => any::<Index>().prop_map(Change::Remove),
        1 => prop::collection::vec(line(), 0..6).prop_map(Change::Whole),
        1 => Just(Change::End),
    ]
}

impl Change {
    pub(super) fn of(&self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        match self {
            Self::Put(at, line) => lines.insert(at.index(lines.len() + 1), line),
            Self::Remove(at) if !lines.is_empty() => drop(lines.remove(at.index(lines.len()))),
            Self::Remove(_) => {}
            Self::Whole(whole) => lines.clone_from(whole),
            Self::End => match text.strip_suffix('\n') {
                Some(cut) => return cut.to_owned(),
                None => lines.push("\n"),
            },
        }
        lines.concat()
    }
}

fn step() -> impl Strategy<Value = Step> {
    let chat = || 0..CHATS;
    prop_oneof![
        4 => change().prop_map(Step::Edit),
        2 => any::<bool>().prop_map(|redo| Step::Undo { redo }),
        6 => (chat(), change(), any::<bool>())
            .prop_map(|(chat, change, keeps)| Step::Write { chat, change, keeps }),
        // Refused where the user has acted in the turn, which is often so.
        4 => (chat(), any::<bool>()).prop_map(|(chat, redo)| Step::ModelUndo { chat, redo }),
        4 => (chat(), any::<bool>()).prop_map(|(chat, again)| Step::Message { chat, again }),
        3 => (chat(), any::<bool>()).prop_map(|(chat, again)| Step::End { chat, again }),
        1 => chat().prop_map(Step::Forget),
        1 => Just(Step::Cancel),
        // Short of the life of a lease, and past it.
        1 => prop::sample::select(vec![1_000, 16_000]).prop_map(Step::Wait),
    ]
}

/// A whole case: what the host decides, and what is done.
#[derive(Debug, Clone)]
pub(super) struct Story {
    pub(super) first: Vec<&'static str>,
    /// One is fewer than there are, so that chats are evicted for each other.
    pub(super) conversations: usize,
    /// Past it, and where it is shorter, the whole text is sent instead of a diff.
    pub(super) sync_diff_bytes: usize,
    pub(super) steps: Vec<Step>,
}

pub(super) fn story() -> impl Strategy<Value = Story> {
    let first = prop::collection::vec(line(), 0..6);
    let sizes = prop::sample::select(vec![0, 60, 32 << 10]);
    // Whoever is evicted learns texts, and of diffs there is more to see.
    let conversations = prop_oneof![1 => 1..CHATS, 3 => Just(CHATS)];
    (first, conversations, sizes, prop::collection::vec(step(), 1..30)).prop_map(
        |(first, conversations, sync_diff_bytes, steps)| Story {
            first,
            conversations,
            sync_diff_bytes,
            steps,
        },
    )
}
