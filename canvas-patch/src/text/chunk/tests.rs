use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;

use super::*;

/// A hundredth of the real sizes, so that 3 KiB of text have two dozen chunks.
const SMALL: Sizes = Sizes { least: WINDOW, latest: 500, line: 80, below: u64::MAX / 96 };

/// A part of a text, given by its kind, its length and its place in the noise. It is cheap to make, because the
/// property test makes a million.
type Part = (u8, usize, usize);

fn part() -> impl Strategy<Value = Part> {
    (any::<u8>(), 0..60_usize, any::<usize>())
}

/// Builds a text with lines of every length. Some parts have no mark, and in others nearly every byte is a line.
fn parts(parts: &[Part]) -> String {
    let noise = noise(4_096, 9);
    let mut text = String::new();
    for (kind, len, at) in parts {
        let letters = |len: usize| &noise[at % (noise.len() - len)..][..len];
        match kind % 16 {
            0 => text.push_str(letters(len * 10)),
            1 => text.push_str(&["-", "=", "ab", "é"][at % 4].repeat(len * 6)),
            2 => text.push_str(&letters(3).repeat(len * 3)),
            3 => text.push_str(&"\n".repeat(len * 4)),
            4..7 => text.extend(letters(*len).chars().map(|letter| if letter < 'k' { letter } else { '€' })),
            _ => text.push_str(letters(*len)),
        }
        text.push_str(["\n", "\n", "\n", "\r\n", ""][usize::from(kind / 16) % 5]);
    }
    text
}

/// An edit, given by its position, the number of bytes removed and the text inserted.
type Edit = (Index, Index, Vec<Part>);

/// Generates edits of one text. [`replace`] uses those that do not overlap.
fn edits() -> impl Strategy<Value = Vec<Edit>> {
    prop::collection::vec((any::<Index>(), any::<Index>(), prop::collection::vec(part(), 0..3)), 1..4)
}

/// Replaces ranges of a text, with their ends moved to character boundaries.
fn replace(text: &str, edits: &[Edit]) -> (String, Vec<(Range<usize>, usize)>) {
    let next_character =
        |at: usize| (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let ranges = edits.iter().map(|(at, len, new)| {
        let start = next_character(at.index(text.len() + 1));
        // Most are short, like edits that people make. Some may remove the rest of the text.
        let longest = if len.index(8) == 0 { text.len() } else { 40 };
        (start..next_character((start + len.index(longest + 1)).min(text.len())), parts(new))
    });
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut at, mut done) = (String::new(), 0, Vec::new());
    for (range, new) in ranges {
        if range.start < at {
            continue;
        }
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        at = range.end;
        done.push((range, new.len()));
    }
    out.push_str(&text[at..]);
    (out, done)
}

/// Checks that chunks cover the text, keep to the sizes, and end at lines if possible.
fn check(sizes: Sizes, text: &str, chunks: &Chunks) -> Result<(), TestCaseError> {
    let mut at = 0;
    for (place, range) in chunks.ranges().enumerate() {
        prop_assert_eq!(range.start, at);
        at = range.end;
        let chunk = &text[range.clone()];
        prop_assert!(chunk.len() <= sizes.latest + sizes.line + 3, "{} bytes", chunk.len());
        let is_last = place + 1 == chunks.len();
        prop_assert!(!chunk.is_empty() && (is_last || chunk.len() >= sizes.least), "{} bytes", chunk.len());
        if !is_last && !chunk.ends_with('\n') {
            let line = chunk.rsplit('\n').next().unwrap_or_default();
            prop_assert!(line.len() >= sizes.line, "a line is cut after {} bytes", line.len());
        }
    }
    prop_assert_eq!(at, text.len());
    Ok(())
}

proptest! {
    #![proptest_config(Config::with_cases(10_000))]

    #[test]
    fn equal_texts_have_equal_chunks_by_any_history(
        first in prop::collection::vec(part(), 0..60),
        sequence in prop::collection::vec(edits(), 1..6),
    ) {
        let mut text = parts(&first);
        let mut chunks = SMALL.of(&text);
        check(SMALL, &text, &chunks)?;
        for edits in &sequence {
            let (after, ranges) = replace(&text, edits);
            let edited = SMALL.edited(&chunks, &after, ranges.clone());
            prop_assert_eq!(&edited.chunks, &SMALL.of(&after), "{:?}", ranges);
            // A kept chunk has the same bytes.
            prop_assert_eq!(edited.kept.len(), edited.chunks.len());
            for (range, kept) in edited.chunks.ranges().zip(&edited.kept) {
                if let Some(old) = kept {
                    prop_assert_eq!(&after[range], &text[chunks.begin(*old)..chunks.ends[*old]]);
                }
            }
            (text, chunks) = (after, edited.chunks);
            check(SMALL, &text, &chunks)?;
        }
    }
}

/// Letters that look random but are the same each time.
fn noise(len: usize, seed: u64) -> String {
    let mut state = seed;
    let letters = (0..len).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + ((state >> 33) % 26) as u8)
    });
    letters.collect()
}

/// Lines of such letters.
fn lines(count: usize, seed: u64) -> String {
    let letters = noise(count * 60, seed);
    (0..count).map(|n| letters[n * 60..n * 60 + 20 + n * 7 % 41].to_owned() + "\n").collect()
}

fn one_edit(text: &str, at: usize, new: &str) -> (String, EditedChunks) {
    let after = [&text[..at], new, &text[at..]].concat();
    let edited = Chunks::new(text).edited(&after, [(at..at, new.len())]);
    assert!(edited.chunks == Chunks::new(&after), "an edit at {at} leads elsewhere");
    (after, edited)
}

fn touched(edited: &EditedChunks) -> usize {
    edited.kept.iter().filter(|kept| kept.is_none()).count()
}

/// The numbers come from another program, which was written only from the rules in the module documentation.
#[test]
fn the_format_is_pinned() {
    assert_eq!((TABLE[0], TABLE[255]), (0xe220_a839_7b1d_cdaf, 0x5a58_32bb_47bc_f19e));
    let chunks = Chunks::new(&lines(5_000, 1));
    let first: Vec<_> = chunks.ranges().map(|range| range.end).take(6).collect();
    assert_eq!((chunks.len(), first), (14, vec![13_081, 18_436, 45_020, 53_213, 71_916, 78_428]));
    let chunks = Chunks::new(&noise(300_000, 1));
    let first: Vec<_> = chunks.ranges().map(|range| range.end).take(6).collect();
    assert_eq!((chunks.len(), first), (16, vec![26_819, 49_611, 62_737, 76_143, 102_898, 116_333]));
}

#[test]
fn chunks_have_the_sizes_that_are_promised() {
    let text = lines(60_000, 2);
    let chunks = Chunks::new(&text);
    check(SIZES, &text, &chunks).unwrap();
    let average = text.len() / chunks.len();
    assert!((15 << 10..17 << 10).contains(&average), "{average}");
    assert_eq!(Chunks::MAX_BYTES, 64 << 10);
}

#[test]
fn texts_at_the_bounds() {
    assert!(Chunks::new("").is_empty());
    let text = lines(10_000, 3);
    for len in [1, LEAST - 1, LEAST, LEAST + 1, LATEST, LATEST + 1, 64 << 10, (64 << 10) + 1] {
        let text = &text[..len];
        let chunks = Chunks::new(text);
        check(SIZES, text, &chunks).unwrap();
        assert_eq!(chunks.len() == 1, len <= LEAST || chunks.ranges().next() == Some(0..len), "{len}");
        for (at, new) in [(0, "x"), (len, "x"), (len / 2, "\n")] {
            one_edit(text, at, new);
        }
    }
}

#[test]
fn a_long_line_is_cut_at_places_that_stay() {
    let text = noise(2 << 20, 4);
    let (after, edited) = one_edit(&text, 1 << 20, "an edit");
    check(SIZES, &after, &edited.chunks).unwrap();
    assert!(
        edited.chunks.len() > 40 && touched(&edited) <= 8,
        "{} of {}",
        touched(&edited),
        edited.chunks.len()
    );
    // Multi-byte characters are never cut.
    let text = "é€😀ß".repeat(60_000);
    let (after, edited) = one_edit(&text, "é€".len(), "x");
    check(SIZES, &after, &edited.chunks).unwrap();
}

#[test]
fn texts_without_marks_and_with_marks_only_are_linear() {
    for text in ["x".repeat(1 << 20), "\n".repeat(1 << 20), "- a\n".repeat(1 << 18)] {
        let (after, edited) = one_edit(&text, 100, "y");
        check(SIZES, &after, &edited.chunks).unwrap();
        assert!(edited.chunks.len() <= (1 << 20) / LEAST + 1);
    }
    // Each chunk ends as early as possible.
    let marks = Sizes { below: u64::MAX, ..SIZES };
    let text = lines(20_000, 5);
    let chunks = marks.of(&text);
    check(marks, &text, &chunks).unwrap();
    assert!(chunks.len() > text.len() / (LEAST + 100), "{}", chunks.len());
}

#[test]
fn edits_that_cannot_lead_to_the_text_are_not_used() {
    let text = lines(5_000, 6);
    let (chunks, after) = (Chunks::new(&text), lines(4_000, 7));
    let wrong: [&[(Range<usize>, usize)]; 4] = [
        &[],
        &[(Range { start: 9, end: 3 }, 0)],
        &[(5..9, 0), (7..8, 0)],
        &[(text.len()..text.len() + 1, 0)],
    ];
    for edits in wrong {
        let edited = chunks.edited(&after, edits.iter().cloned());
        assert_eq!((edited.chunks.len(), touched(&edited)), (edited.kept.len(), edited.kept.len()));
        assert_eq!(edited.chunks, Chunks::new(&after));
    }
    assert_eq!(Chunks::with_ends(vec![3, 3]), None);
    assert_eq!(Chunks::with_ends(vec![0]), None);
    assert_eq!(Chunks::with_ends(vec![]), Some(Chunks::default()));
    assert_eq!(Chunks::with_ends(chunks.ends.clone()), Some(chunks));
}

#[test]
fn a_short_edit_touches_few_chunks() {
    let text = lines(20_000, 8);
    let chunks = Chunks::new(&text);
    let edit = |n: usize| {
        let at = text.len() / 100 * n;
        let after = [&text[..at], "one line\n", &text[at..]].concat();
        touched(&chunks.edited(&after, [(at..at, "one line\n".len())]))
    };
    let mut counts: Vec<_> = (0..100).map(edit).collect();
    counts.sort_unstable();
    assert!(counts[50] <= 3 && counts[98] <= 8, "{counts:?}");
}
