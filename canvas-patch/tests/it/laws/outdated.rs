//! A patch for lines that somebody has changed since they were shown is applied nowhere else.

use std::collections::BTreeSet;
use std::ops::Range;

use canvas_patch::{ApplyOptions, Delta, EarlierText, Mode, Reason, StatedLines, apply};
use proptest::prelude::*;
use proptest::sample::Index;

/// What people do to a text of few different lines.
#[derive(Debug, Clone)]
enum Doing {
    Change(Index, char),
    Insert(Index, char),
    Remove(Index),
    /// What was done last is taken back.
    Back,
}

fn doing() -> impl Strategy<Value = Doing> {
    let line = || prop::char::range('a', 'd');
    prop_oneof![
        3 => (any::<Index>(), line()).prop_map(|(at, line)| Doing::Change(at, line)),
        3 => (any::<Index>(), line()).prop_map(|(at, line)| Doing::Insert(at, line)),
        2 => any::<Index>().prop_map(Doing::Remove),
        1 => Just(Doing::Back),
    ]
}

/// A line, and which it is, whatever it says.
type Line = (usize, char);

/// Each text on the way, from the one that was shown.
fn texts_of(shown: &[Line], doings: &[Doing]) -> Vec<Vec<Line>> {
    let mut texts = vec![shown.to_vec()];
    // What can be taken back, as places in `texts`.
    let mut kept = vec![0];
    for (i, doing) in doings.iter().enumerate() {
        let mut text = texts[i].clone();
        let new = shown.len() + i;
        match doing {
            Doing::Back if kept.len() > 1 => {
                kept.pop();
                texts.push(texts[kept[kept.len() - 1]].clone());
                continue;
            }
            Doing::Insert(at, line) => text.insert(at.index(text.len() + 1), (new, *line)),
            Doing::Change(at, line) if !text.is_empty() => {
                let at = at.index(text.len());
                text[at] = (new, *line);
            }
            Doing::Remove(at) if !text.is_empty() => {
                text.remove(at.index(text.len()));
            }
            _ => {}
        }
        texts.push(text);
        kept.push(i + 1);
    }
    texts
}

fn text_of(lines: &[Line]) -> String {
    lines.iter().map(|(_, line)| format!("{line}\n")).collect()
}

/// Lines that two texts have in common, in order, at most.
fn common(a: &[Line], b: &[Line]) -> usize {
    let mut above = vec![0; b.len() + 1];
    for (_, line) in a {
        let mut row = vec![0; b.len() + 1];
        for (j, (_, other)) in b.iter().enumerate() {
            row[j + 1] = if line == other { above[j] + 1 } else { above[j + 1].max(row[j]) };
        }
        above = row;
    }
    above[b.len()]
}

/// Whether the lines are the same ones, or could be: if others like them are beside, nothing in the texts tells which of
/// them were removed, neither from the first to the last nor from each to the next.
fn could_be(texts: &[Vec<Line>], meant: Range<usize>, place: Range<usize>) -> bool {
    let (shown, now) = (&texts[0], &texts[texts.len() - 1]);
    let ids = |lines: &[Line]| lines.iter().map(|line| line.0).collect::<Vec<_>>();
    let (from, to): (Vec<_>, Vec<_>) = (meant.clone().collect(), place.clone().collect());
    if ids(&shown[meant]) == ids(&now[place]) || moved(shown, &from, now).contains(&to) {
        return true;
    }
    let mut ways = BTreeSet::from([from]);
    for pair in texts.windows(2) {
        ways = ways.iter().flat_map(|way| moved(&pair[0], way, &pair[1])).collect();
    }
    ways.contains(&to)
}

/// Where some lines of one text may be in another, if as many lines as possible stayed.
fn moved(before: &[Line], lines: &[usize], after: &[Line]) -> BTreeSet<Vec<usize>> {
    // For each way so far: where its lines are, and how many lines before its last one stayed.
    let mut ways = vec![(Vec::new(), 0)];
    let (mut start, stays) = (0, common(before, after));
    for &line in lines {
        ways = ways
            .into_iter()
            .flat_map(|(way, stayed): (Vec<usize>, usize)| {
                let next = way.last().map_or(0, |last| last + 1);
                (next..after.len())
                    .filter(|&at| after[at].1 == before[line].1)
                    .map(move |at| {
                        let between = common(&before[start..line], &after[next..at]);
                        (way.iter().copied().chain([at]).collect(), stayed + between + 1)
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        start = line + 1;
    }
    ways.into_iter()
        .filter(|(way, stayed)| {
            let next = way.last().map_or(0, |last| last + 1);
            stayed + common(&before[start..], &after[next..]) == stays
        })
        .map(|(way, _)| way)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn no_line_is_taken_for_another(
        shown in prop::collection::vec(prop::char::range('a', 'd'), 1..9),
        doings in prop::collection::vec(doing(), 1..5),
        (first, length) in (any::<Index>(), 1_usize..4),
        has_number in any::<bool>(),
        now_shown in prop::option::of((0_usize..9, 1_usize..9)),
    ) {
        let shown: Vec<Line> = shown.into_iter().enumerate().collect();
        let texts = texts_of(&shown, &doings);
        let deltas: Vec<_> = texts.windows(2).map(|pair| Delta::between(&text_of(&pair[0]), &text_of(&pair[1]))).collect();
        let since: Vec<_> = deltas.iter().collect();
        let now = &texts[texts.len() - 1];
        let start = first.index(shown.len());
        let meant = start..shown.len().min(start + length);
        let quoted: String = shown[meant.clone()].iter().map(|(_, line)| format!("-{line}\n")).collect();
        let header = if has_number {
            format!("@@ -{},{} +{},1 @@", start + 1, meant.len(), start + 1)
        } else {
            "@@".to_owned()
        };
        let patch = format!("{header}\n{quoted}+z\n");
        let (before, all) = (text_of(&shown), 0..shown.len());
        let earlier = [EarlierText { text: &before, lines: std::slice::from_ref(&all), since: &since }];
        let lines: Vec<_> = now_shown.iter().map(|&(start, length)| start..start + length).collect();
        let options = ApplyOptions {
            mode: Mode::Anchored,
            stated_lines: StatedLines::Shown(&lines),
            earlier: &earlier,
            ..ApplyOptions::default()
        };
        let text = text_of(now);
        match apply(&text, &patch, &options) {
            Ok(applied) => {
                let place = applied.spans()[0].old_lines.clone();
                let is_shown = |at: &Range<usize>| lines.iter().any(|lines| lines.start <= at.start && at.end <= lines.end);
                // Who is shown the lines as they are now means these.
                let is_known = is_shown(&place) && (!has_number || is_shown(&meant) || text_of(&shown) == text);
                prop_assert!(
                    is_known || could_be(&texts, meant, place.clone()),
                    "{:?} of {:?} went to line {} of {:?}", patch, before, place.start + 1, text
                );
            }
            Err(refused) => {
                let reasons = [Reason::Outdated, Reason::NotFound, Reason::Ambiguous];
                prop_assert!(reasons.contains(&refused.reason()), "{}", refused);
                let without = apply(&text, &patch, &ApplyOptions { earlier: &[], ..options });
                // It refuses more, and nothing else.
                prop_assert!(without.is_ok() || refused.reason() != Reason::Outdated);
                for conflict in refused.conflicts().iter().filter(|c| c.reason == Reason::Outdated) {
                    let line = conflict.line.expect("it says where");
                    let actual = now.get(line - 1).map(|(_, line)| line.to_string());
                    if let Some(mismatch) = &conflict.mismatch {
                        prop_assert_eq!(&mismatch.actual, &actual);
                        prop_assert_ne!(Some(&mismatch.expected), actual.as_ref());
                    }
                }
            }
        }
    }
}
