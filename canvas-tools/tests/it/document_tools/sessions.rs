//! Turns, and the hidden messages that keep a model's picture of the canvas in step.

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::text::{ApplyOptions, apply};
use canvas_core::turn::{Cancel, Promotion};
use canvas_core::{CallId, CanvasId, CodedError as _, ConversationId, Policy, block_on};
use canvas_tools::{HIDDEN_HEADER, SNAPSHOT_HEADER, Session, TurnOpened};
use proptest::prelude::*;
use serde_json::json;

use super::world::{World, failure};

fn begin(world: &World, session: &mut Session, call: &str) -> TurnOpened {
    block_on(session.begin_turn(&world.engine, CallId::new(call).unwrap(), world.now())).unwrap()
}

fn id(call: &str) -> CallId {
    CallId::new(call).unwrap()
}

#[test]
fn the_hidden_message_has_the_exact_form() {
    assert_eq!(
        HIDDEN_HEADER,
        "Canvas update (do not display to user). Apply this diff to your internal canvas state:"
    );
    let mut world = World::new("old line\n");
    world.edit("new line\n");
    let expected = "Canvas update (do not display to user). Apply this diff to your internal canvas state:\n\
                    ```diff\n@@ -1 +1 @@\n-old line\n+new line\n```";
    assert_eq!(world.message().hidden_message.as_deref(), Some(expected));
}

#[test]
fn the_fence_is_longer_than_any_in_the_text() {
    for (text, fence) in [("`\n", "```"), ("````\n", "`````"), ("no newline ```", "````")] {
        let mut world = World::new("a\n");
        world.edit(text);
        let message = world.message().hidden_message.unwrap();
        let mut lines = message.lines();
        assert_eq!(lines.next(), Some(HIDDEN_HEADER));
        assert_eq!(lines.next(), Some(&*format!("{fence}diff")));
        assert_eq!(lines.next_back(), Some(fence));
        assert!(lines.all(|line| !line.starts_with('`')), "{message:?}");
    }
}

#[test]
fn user_edits_are_in_the_next_hidden_message_once() {
    let mut world = World::new("a\n");
    assert_eq!(world.message().hidden_message, None);
    world.edit("b\n");
    world.edit("c\n");
    let reported = world.message().hidden_message.unwrap();
    assert!(reported.contains("-a\n+c\n"), "{reported}");
    assert_eq!(world.message().hidden_message, None);
    assert_eq!(world.end_turn().hidden_message, None);
    // There and back again is nothing to tell.
    world.edit("d\n");
    world.edit("c\n");
    assert_eq!(world.message().hidden_message, None);
}

#[test]
fn model_edits_are_in_the_hidden_message_of_the_turns_end_once() {
    let mut world = World::new("a\n");
    world.message();
    let lease = world.check_out();
    assert!(world.patch(&lease, "@@\n-a\n+b\n").is_ok());
    assert!(world.patch(&lease, "@@\n-b\n+c\n").is_ok());
    let ended = world.end_turn();
    assert!(ended.hidden_message.unwrap().contains("-a\n+c\n"));
    assert_eq!(ended.promotion, Promotion::Promoted);
    assert_eq!(failure(&world.under(&lease, "canvas_read_all")), "LOCK_NOT_OWNED");
    let again = world.end_turn();
    assert_eq!((again.hidden_message, again.promotion), (None, Promotion::Unchanged));
    assert_eq!(world.message().hidden_message, None);
}

#[test]
fn an_interrupted_turn_promotes_nothing_and_the_next_message_does() {
    let mut world = World::new("a\n");
    assert_eq!(world.message().promotion, Promotion::Promoted);
    let lease = world.check_out();
    assert!(world.patch(&lease, "@@\n-a\n+b\n").is_ok());
    world.user(Cancel);
    let ended = world.end_turn();
    assert_eq!(ended.promotion, Promotion::StaleEpoch);
    assert!(ended.hidden_message.unwrap().contains("+b\n"));
    let began = world.message();
    assert_eq!((began.promotion, began.hidden_message), (Promotion::Promoted, None));
}

#[test]
fn a_message_moves_the_session_into_its_turn() {
    let mut world = World::new("a\n");
    assert_eq!((world.session.turn, world.session.start.epoch.get()), (Turn::ZERO, 0));
    let began = world.message();
    assert_eq!((world.session.turn.get(), world.session.start.epoch, began.epoch.get()), (1, began.epoch, 1));
    world.edit("b\n");
    world.message();
    let start = world.session.start;
    assert_eq!((world.session.turn.get(), start.epoch.get(), start.revision.get()), (2, 3, 2));
    assert_eq!(world.join("main"), world.session);
}

/// The answer was lost: the host asks again with the session that it has.
#[test]
fn a_retried_message_and_a_retried_end_answer_the_same() {
    let mut world = World::new("a\n");
    world.edit("b\n");
    let mut lost = world.session.clone();
    let first = begin(&world, &mut lost, "m1");
    let second = begin(&world, &mut world.session.clone(), "m1");
    assert_eq!(second, first);
    world.session = lost;
    let lease = world.check_out();
    let mut late = Session { turn: Turn::ZERO, ..world.session.clone() };
    assert_eq!(begin(&world, &mut late, "m1"), first);
    assert_eq!(late, world.session, "the turn that it began still runs");
    assert_eq!(begin(&world, &mut late, "m1"), first, "a session that has the answer may ask again");
    assert_eq!(late, world.session);
    assert!(world.patch(&lease, "@@\n-b\n+c\n").is_ok(), "a retry cuts no lease short");
    let end = || block_on(world.session.end_turn(&world.engine, id("e1"), world.now())).unwrap();
    let ended = end();
    assert!(ended.hidden_message.is_some());
    assert_eq!(end(), ended);
}

/// By the time of the retry another conversation's message has ended the turn: the session must not slip into a turn
/// that is not its own.
#[test]
fn a_retried_message_does_not_enter_the_turn_of_another() {
    let world = World::new("a\n");
    let mut first = world.session.clone();
    begin(&world, &mut first, "m1");
    let mut other = world.join("other");
    begin(&world, &mut other, "m2");
    let mut retried = world.session.clone();
    begin(&world, &mut retried, "m1");
    let reply = world.run(&retried, "k", "canvas_check_out", json!({}));
    assert_eq!(failure(&reply), "LOCK_NOT_AVAILABLE/USER_ACTIVE");
    assert_eq!(failure(&world.run(&other, "k", "canvas_check_out", json!({}))), "OK");
}

#[test]
fn a_reused_key_is_refused() {
    let world = World::new("a\n");
    assert!(world.run(&world.session, "k", "canvas_check_out", json!({})).is_ok());
    let mut session = world.session.clone();
    let e = block_on(session.begin_turn(&world.engine, id("k"), world.now())).unwrap_err();
    assert_eq!(e.code(), "CALL_ID_REUSED");
    let e = block_on(session.end_turn(&world.engine, id("k"), world.now())).unwrap_err();
    assert_eq!(e.code(), "CALL_ID_REUSED");
    assert_eq!(session, world.session);
}

#[test]
fn an_abandoned_key_is_refused() {
    let world = World::new("a\n");
    let operation = world.session.operation(id("k"));
    block_on(world.engine.resolve(&world.session.canvas, &operation, world.now())).unwrap();
    let mut session = world.session.clone();
    for e in [
        block_on(session.begin_turn(&world.engine, id("k"), world.now())).unwrap_err(),
        block_on(session.forget(&world.engine, id("k"), world.now())).unwrap_err(),
        block_on(session.end_turn(&world.engine, id("k"), world.now())).unwrap_err(),
    ] {
        assert_eq!(e.code(), "CALL_ABANDONED");
    }
    assert_eq!(session, world.session);
}

/// Who has lost the document, or was evicted for others, gets the whole of it.
#[test]
fn an_evicted_conversation_gets_the_whole_document() {
    let world = World::with("a\n```\n", Policy { conversations: 1, ..Policy::default() });
    let mut session = world.session.clone();
    let begin = |session: &mut Session, call: &str| {
        block_on(session.begin_turn(&world.engine, id(call), world.now())).unwrap().hidden_message
    };
    assert_eq!(begin(&mut session, "m1"), None);
    let whole = format!("{SNAPSHOT_HEADER}\n````markdown\na\n```\n````");
    block_on(session.forget(&world.engine, id("f1"), world.now())).unwrap();
    assert_eq!(begin(&mut session, "m2").as_deref(), Some(whole.as_str()));
    assert_eq!(begin(&mut session, "m3"), None);
    let other = ConversationId::new("other").unwrap();
    let mut other =
        block_on(Session::join(&world.engine, world.session.canvas.clone(), other, world.now())).unwrap();
    assert_eq!(begin(&mut other, "m4").as_deref(), Some(whole.as_str()));
    assert_eq!(begin(&mut session, "m5").as_deref(), Some(whole.as_str()));
}

#[test]
fn there_is_no_session_without_a_canvas() {
    let world = World::new("a\n");
    let (canvas, who) = (CanvasId::new("none").unwrap(), ConversationId::new("main").unwrap());
    let now = Timestamp::from_millis(1_000);
    let e = block_on(Session::join(&world.engine, canvas.clone(), who, now)).unwrap_err();
    assert_eq!(e.code(), "CANVAS_NOT_FOUND");
    let mut lost = Session { canvas, ..world.session.clone() };
    let e = block_on(lost.begin_turn(&world.engine, id("k"), now)).unwrap_err();
    assert_eq!(e.code(), "CANVAS_NOT_FOUND");
}

/// A model that does as the hidden messages say, and nothing else.
struct Reader(String);

impl Reader {
    fn read(&mut self, message: Option<&str>) {
        let Some(message) = message else { return };
        let (header, fenced) = message.split_once('\n').unwrap();
        assert_eq!(header, HIDDEN_HEADER);
        let (fence, rest) = fenced.split_once("diff\n").unwrap();
        assert!(fence.len() >= 3 && fence.chars().all(|c| c == '`'));
        // The first line that closes the fence is the last one.
        let diff = rest.strip_suffix(fence).unwrap();
        assert!(diff.split('\n').all(|line| !line.starts_with(fence)));
        let options = ApplyOptions::default();
        self.0 = apply(&self.0, diff, &options).unwrap().into_text();
    }
}

proptest! {
    /// From the first text and the hidden messages alone, a reader has the text at every turn's start and end.
    #[test]
    fn who_reads_the_hidden_messages_knows_the_text(
        turns in prop::collection::vec(("[ab`\\n\r]{0,12}", "[ab`\\n\r]{0,12}", any::<bool>()), 1..8)
    ) {
        let mut world = World::new("a\nb\n");
        let mut reader = Reader(world.text());
        for (users, models, cancelled) in &turns {
            world.edit(users);
            let began = world.message();
            reader.read(began.hidden_message.as_deref());
            prop_assert_eq!(&reader.0, &world.text());
            let lease = world.check_out();
            let patch = canvas_core::text::build(&world.text(), models, 3);
            let reply = world.patch(&lease, &patch);
            // A patch without a change is refused, and so is one of lines that have changed since they were shown.
            prop_assert!(reply.is_ok() || reply.code() == Some("PATCH_REJECTED"), "{:?}", reply.body());
            if *cancelled {
                world.user(Cancel);
            }
            let ended = world.end_turn();
            reader.read(ended.hidden_message.as_deref());
            prop_assert_eq!(&reader.0, &world.text());
        }
    }
}
