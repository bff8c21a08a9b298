//! A change that waits for a decision, while others edit.

use canvas_patch::strategies::change;
use canvas_patch::{Delta, Moves, PartId, PartState, Parts, SpanKind, critic_markup, part_views, redline};
use proptest::prelude::*;
use proptest::sample::Index;

use super::times;

/// A short text of few words, so that changes meet.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        8 => proptest::collection::vec(prop::sample::select(vec!["a", "b", "*c*", "d.", "`e`", "1"]), 0..5)
            .prop_map(|words| words.join(" ")),
        1 => Just(String::new()),
    ];
    (proptest::collection::vec(line, 0..8), prop::sample::select(vec!["\n", "\r\n"]), any::<bool>()).prop_map(
        |(lines, end, is_whole)| {
            let text = lines.join(end);
            if is_whole && !text.is_empty() { text + end } else { text }
        },
    )
}

/// A text after some changes of words and lines.
fn edited(text: &str, edits: &[(Index, u8)]) -> String {
    let mut text = text.to_owned();
    for (at, kind) in edits {
        let mut words: Vec<String> = text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
        let at = at.index(words.len() + 1);
        match kind % 5 {
            0 => words.insert(at, "new ".into()),
            1 => words.insert(at, "line\n".into()),
            2 if at < words.len() => drop(words.remove(at)),
            3 if at < words.len() => words[at] = words[at].replace(|c: char| c.is_alphanumeric(), "X"),
            _ => words.truncate(at.max(1)),
        }
        text = words.concat();
    }
    text
}

fn edits(most: usize) -> impl Strategy<Value = Vec<(Index, u8)>> {
    proptest::collection::vec((any::<Index>(), 0..4u8), 0..=most)
}

fn ids(parts: &Parts) -> Vec<PartId> {
    parts.iter().map(|part| part.id()).collect()
}

proptest! {
    #![proptest_config(times(4))]

    /// Whatever was proposed one after the other, all parts together are the last proposed text, and none are the document.
    #[test]
    fn parts_add_up_to_the_proposed_text(
        (document, first, second) in text().prop_flat_map(|text| (Just(text), edits(4), edits(4))),
        order in any::<prop::sample::Selector>(),
    ) {
        let (mut parts, mut last) = (Parts::default(), 0);
        let once = edited(&document, &first);
        parts.propose(&document, &once, &mut last, None);
        prop_assert_eq!(parts.proposed(&document), once.clone());
        let before = ids(&parts);
        let twice = edited(&once, &second);
        let changed = parts.propose(&document, &twice, &mut last, None);
        prop_assert_eq!(parts.proposed(&document), twice.clone());
        for id in ids(&parts) {
            prop_assert!(before.contains(&id) || changed.contains(&id));
        }
        // Between parts there is an unchanged line.
        let views: Vec<_> = parts.iter().map(|part| part.view(&document)).collect();
        for pair in views.windows(2) {
            prop_assert!(pair[0].end_line + 1 < pair[1].start_line, "{views:?}");
        }
        for view in &views {
            prop_assert_ne!(&view.before, &view.after);
            let lines = document.split_inclusive('\n').skip(view.start_line - 1);
            let here: String = lines.take(view.end_line + 1 - view.start_line).collect();
            prop_assert_eq!(&here, &view.before);
        }
        let mut now = document.clone();
        let mut left = ids(&parts);
        while !left.is_empty() {
            let id = *order.select(left.iter());
            left.retain(|other| *other != id);
            let (change, accepted) = parts.accept(&[id]);
            prop_assert_eq!(accepted.len(), 1);
            now = change.apply(&now).unwrap();
            prop_assert!(parts.iter().all(|part| part.state() == PartState::Pending));
        }
        prop_assert_eq!(now, twice);
    }

    /// A part that stays pending makes the same edits, and the other's change stays whole. If the change is undone, all is as before.
    #[test]
    fn another_change_moves_parts_or_makes_them_stale(
        (document, own, others) in text().prop_flat_map(|text| (Just(text), edits(3), edits(3))),
        later in edits(2),
    ) {
        let mut parts = Parts::default();
        parts.propose(&document, &edited(&document, &own), &mut 0, Some("why"));
        let (before, now) = (parts.clone(), edited(&document, &others));
        let change = Delta::between(&document, &now);
        let stale = parts.follow(&document, &change, 1);
        for part in parts.iter() {
            let (id, was) = (part.id(), before.get(part.id()).unwrap());
            prop_assert_eq!(part.state() == PartState::Stale, stale.contains(&id));
            let (view, old) = (part.view(&now), was.view(&document));
            prop_assert_eq!(&view.reason, &old.reason);
            if part.state() == PartState::Stale {
                prop_assert_eq!((view.before, view.after), (old.before, old.after));
                continue;
            }
            let texts = |edits: &[canvas_patch::TextEdit]| -> Vec<(String, String)> {
                edits.iter().map(|edit| (edit.old.clone(), edit.new.clone())).collect()
            };
            prop_assert_eq!(texts(part.edits()), texts(was.edits()));
        }
        // The proposed text is the document with the edits of the pending parts: it is built, so they fit.
        parts.proposed(&now);
        let mut undone = parts.clone();
        undone.follow_undo(&now, &change.inverse(), 2, &[1]);
        prop_assert_eq!(&undone, &before);
        // Retyping revives nothing.
        let mut retyped = parts.clone();
        retyped.follow(&now, &change.inverse(), 2);
        prop_assert!(stale.iter().all(|id| retyped.get(*id).unwrap().state() == PartState::Stale));
        // After a later change, an undo revives a part where it was, or not at all.
        let then = edited(&now, &later);
        let moved = Delta::between(&now, &then);
        parts.follow(&now, &moved, 3);
        parts.proposed(&then);
        let mut views: Vec<_> = parts.iter().map(|part| part.view(&then)).collect();
        views.sort_by_key(|view| (view.start_line, view.end_line, view.id));
        prop_assert_eq!(part_views(parts.iter(), &then), views);
        if let Ok(back) = change.inverse().transform(&moved) {
            parts.follow_undo(&then, &back, 4, &[1]);
            let text = back.apply(&then).unwrap();
            parts.proposed(&text);
            for part in parts.iter() {
                let view = part.view(&text);
                prop_assert!(part.state() == PartState::Stale || text.contains(&view.before));
            }
        }
    }

    /// Changes that leave all parts pending are moves, however many there are. What moves give is what the changes give.
    #[test]
    fn moves_are_changes_that_touch_no_part(
        (document, own) in text().prop_flat_map(|text| (Just(text), edits(3))),
        others in proptest::collection::vec(edits(2), 0..6),
    ) {
        let mut parts = Parts::default();
        parts.propose(&document, &edited(&document, &own), &mut 0, None);
        let (stored, mut now, mut moves) = (parts.clone(), document, Moves::default());
        for (nth, other) in others.iter().enumerate() {
            let then = edited(&now, other);
            let change = Delta::between(&now, &then);
            parts.follow(&now, &change, 1 + nth as u64);
            moves.push(&change);
            let (mut shifted, is_pending) = (stored.clone(), parts.iter().all(|part| part.state() == PartState::Pending));
            shifted.shift(&moves);
            prop_assert_eq!(stored.are_shifted(&moves, &parts), shifted == parts);
            prop_assert!(!is_pending || shifted == parts, "{moves:?} {shifted:?} {parts:?}");
            now = then;
        }
    }

    #[test]
    fn a_redline_has_both_texts(change in change(), document in text(), own in edits(5)) {
        let other = edited(&document, &own);
        for (document, proposed) in [(change.before, change.after), (document, other)] {
            let mut parts = Parts::default();
            parts.propose(&document, &proposed, &mut 0, None);
            let spans = redline(&document, parts.iter().map(|part| (part.id(), part.edits())));
            let text = |other: SpanKind| -> String {
                spans.iter().filter(|span| span.kind != other).map(|span| span.text.as_str()).collect()
            };
            prop_assert_eq!(text(SpanKind::Insert), document.clone());
            prop_assert_eq!(text(SpanKind::Delete), proposed);
            prop_assert!(spans.iter().all(|span| !span.text.is_empty()));
            prop_assert!(critic_markup(&spans).len() >= document.len());
        }
    }
}
