//! Strategies that generate texts, edits and patches for property tests (feature `proptest`).
//!
//! Use them to test code that keeps Markdown and applies patches to it. All of them shrink to short texts and few
//! changes. The values that a strategy yields may change with any version, so do not keep its seeds for long.
//!
//! ```
//! use canvas_patch::{ApplyOptions, apply, strategies};
//! use proptest::prelude::*;
//!
//! let text_and_patch =
//!     strategies::markdown().prop_flat_map(|text| (strategies::patch_for(&text), Just(text)));
//! proptest!(|((fitting, text) in text_and_patch)| {
//!     let applied = apply(&text, &fitting.built.patch, &ApplyOptions::default())?;
//!     prop_assert_eq!(applied.text(), &fitting.after);
//! });
//! ```

mod hostile;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::diff::build::{BuildOptions, Built, build_unique};

pub use self::hostile::hostile_markdown;
#[cfg(test)]
pub(crate) use self::hostile::{hostile_line, hostile_lines};

/// Generates documents with front matter, both kinds of heading, prose, lists, quotes, fences, tables, comments and
/// link definitions. Blocks come in any order, and some are broken off.
///
/// Lines end in LF, in CRLF, or in a mixture of both and lone CRs. The last line may have no terminator. Some texts
/// begin with a byte order mark. Some are empty, and most are short.
pub fn markdown() -> impl Strategy<Value = String> {
    const MIXED: [&str; 4] = ["\n", "\r\n", "\n", "\r"];
    let front_matter = prop_oneof![
        6 => Just(String::new()),
        1 => "---\n(title: [a-c]{1,3}\n){0,2}---\n",
        1 => Just("---\ntitle: a\n".to_owned()),
    ];
    let mark = prop_oneof![9 => Just(""), 1 => Just("\u{feff}")];
    let blocks = prop::collection::vec((block(), blank()), 0..10);
    (mark, front_matter, blocks, prop::collection::vec(any::<Index>(), 8), any::<bool>(), style()).prop_map(
        |(mark, front_matter, blocks, choices, ends, style)| {
            let blocks: String = blocks.into_iter().map(|(block, blank)| block + blank).collect();
            let mut text = mark.to_owned();
            for (number, line) in (front_matter + &blocks).split_inclusive('\n').enumerate() {
                text += line.trim_end_matches('\n');
                text += style.unwrap_or_else(|| *choices[number % choices.len()].get(&MIXED[..]));
            }
            if !ends {
                text.truncate(text.trim_end_matches(['\n', '\r']).len());
            }
            text
        },
    )
}

/// Generates one block, in which each line ends in LF.
fn block() -> impl Strategy<Value = String> {
    // Headings and lists have high weights because addresses refer to them.
    prop_oneof![
        4 => "#{1,4} [A-C]( [a-c]{1,3})?( #)?\n",
        1 => "[A-C][a-c]{0,3}\n(===|---)\n",
        4 => "([a-c]{1,4}( |, |`x`|\\*é\\*)){1,4}\n([a-c🦀]{1,4}\n)?",
        3 => "([-*+] (\\[[ x]\\] )?[a-c]{1,3}\n( {2,4}(- |1\\. )?[a-c]{1,3}\n){0,2}){1,3}",
        2 => "([1-3][.)] [a-c]{1,3}\n){1,3}",
        2 => "(> (- |## )?[a-c]{1,3}\n){1,2}",
        2 => "(`{3,4}|~~~)(md)?\n(# [a-c]\n|[a-c]*\n){0,3}(```|~~~|````|)\n",
        1 => "\\| a \\| b \\|\n\\|---\\|---\\|\n(\\| [a-c] \\| é \\|\n){0,2}",
        1 => "<!--\n# [a-c]\n(-->)?\n",
        1 => "\\[[a-c]\\]: [a-c]{1,3}\n",
        1 => "( {4}[a-c]{1,3}\n){1,2}",
        1 => line().prop_map(|line| line + "\n"),
    ]
}

fn blank() -> impl Strategy<Value = &'static str> {
    select(vec!["\n", "\n", "\n", "", "\n\n", "  \n"])
}

/// Two versions of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The version before the change.
    pub before: String,
    /// The version after the change, which may equal `before`.
    pub after: String,
}

/// Generates two versions of a text that have most lines in common.
///
/// Lines repeat, so that places become ambiguous. Some look like Markdown or like a diff. They end in LF, in CRLF or in
/// both, and the last line of either text may have no terminator.
pub fn change() -> impl Strategy<Value = Change> {
    let terminator = select(vec!["\n", "\r\n"]);
    let lines = prop::collection::vec((line(), terminator, fate()), 0..24);
    (lines, style(), any::<(bool, bool)>()).prop_map(|(lines, style, ends)| {
        let kept = |(line, terminator, _): &(String, &'static str, Fate)| {
            (line.clone(), style.unwrap_or(terminator))
        };
        let (lines, fates): (Vec<_>, Vec<_>) = lines.iter().map(|one| (kept(one), one.2.clone())).unzip();
        let after = after(lines.clone(), fates);
        Change { before: written(lines, ends.0), after: written(after, ends.1) }
    })
}

/// Generates the terminator of all lines of a text, or `None` if terminators are mixed.
fn style() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        3 => Just(Some("\n")),
        2 => Just(Some("\r\n")),
        1 => Just(None),
    ]
}

/// Generates a line without its terminator. The few short ones make lines repeat. The others look like words, Markdown
/// or a diff, or contain unusual characters.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]".prop_map(String::from),
        2 => Just(String::new()),
        4 => "[a-z]{2,6}",
        1 => "#{1,3} [A-C]",
        1 => " {0,2}[-*] [a-c ]{0,3}",
        1 => select(vec!["```", "~~~", "---", "> q", "| a | b |", "-- a", "++ b", "@@ -1 +1 @@", "\\ x"])
            .prop_map(String::from),
        1 => select(vec!["é", "🦀 𝔘", "a\rb", "\u{feff}x", "a\0b", "\u{85}", " ", "\t"]).prop_map(String::from),
    ]
}

/// The change to one line of the old text.
#[derive(Debug, Clone)]
enum Fate {
    Kept,
    Removed,
    Replaced(String),
    Preceded(String),
}

fn fate() -> impl Strategy<Value = Fate> {
    // Most lines are kept, so that changes are far apart and a patch has several hunks.
    prop_oneof![
        8 => Just(Fate::Kept),
        1 => Just(Fate::Removed),
        1 => line().prop_map(Fate::Replaced),
        1 => line().prop_map(Fate::Preceded),
    ]
}

/// A line and its terminator.
type Line = (String, &'static str);

fn after(lines: Vec<Line>, fates: Vec<Fate>) -> Vec<Line> {
    let now = |((line, terminator), fate): (Line, Fate)| {
        let (first, second) = match fate {
            Fate::Kept => (None, Some(line)),
            Fate::Removed => (None, None),
            Fate::Replaced(new) => (None, Some(new)),
            Fate::Preceded(new) => (Some(new), Some(line)),
        };
        [first, second].into_iter().flatten().map(move |line| (line, terminator))
    };
    lines.into_iter().zip(fates).flat_map(now).collect()
}

/// Joins lines into a text. If `ends` is false, the last line loses its terminator. An empty last line keeps its
/// terminator, because the line would vanish without it.
fn written(lines: Vec<Line>, ends: bool) -> String {
    let open =
        lines.last().map_or(0, |(line, terminator)| if line.is_empty() { 0 } else { terminator.len() });
    let mut text: String =
        lines.into_iter().flat_map(|(line, terminator)| [line, terminator.to_owned()]).collect();
    if !ends {
        text.truncate(text.len() - open);
    }
    text
}

/// A patch that applies to a text, with the resulting text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitting {
    /// The text that results from the patch.
    pub after: String,
    /// The patch, which applies in strict mode. In anchored mode it needs its line numbers only for the hunks in
    /// [`Built::ambiguous`].
    pub built: Built,
}

/// Generates a patch that applies to `text` and changes it. Hunks have up to four lines of context, or up to 16 if
/// their pre-image would otherwise occur several times.
pub fn patch_for(text: &str) -> impl Strategy<Value = Fitting> + use<> {
    let before = text.to_owned();
    let options = (0..5_usize, 0..17_usize);
    (edited(text), options).prop_map(move |(after, (context, widest_context))| {
        let built = build_unique(&before, &after, &BuildOptions { context, widest_context });
        Fitting { after, built }
    })
}

/// Generates a version of `text` that differs from it.
fn edited(text: &str) -> impl Strategy<Value = String> + use<> {
    let before = text.to_owned();
    let first = before.split_inclusive('\n').next().unwrap_or_default();
    let style = if first.ends_with("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<Line> = before
        .split_inclusive('\n')
        .map(|line| match line.strip_suffix("\r\n") {
            Some(content) => (content.to_owned(), "\r\n"),
            None => match line.strip_suffix('\n') {
                Some(content) => (content.to_owned(), "\n"),
                None => (line.to_owned(), style),
            },
        })
        .collect();
    let fates = prop::collection::vec(fate(), lines.len());
    (fates, prop::option::weighted(0.2, line()), any::<bool>()).prop_map(move |(fates, last, ends)| {
        let mut after = after(lines.clone(), fates);
        after.extend(last.map(|line| (line, style)));
        let text = written(after.clone(), ends);
        if text != before {
            return text;
        }
        after.push(("added".to_owned(), style));
        written(after, ends)
    })
}

/// A kind of defect in a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Defect {
    /// A header counts one line too many, on each side that has lines.
    Counts,
    /// A header states lines further down, at which the pre-image does not occur.
    Starts,
    /// No header has numbers.
    Bare,
    /// A quoted line of a pre-image does not occur in the text.
    Misquoted,
    /// A line of a hunk begins with `*` instead of its prefix.
    Unprefixed,
    /// Two neighbouring hunks are swapped.
    Reordered,
}

impl Defect {
    /// Returns whether anchored mode applies the patch in spite of the defect and yields the intended text.
    pub const fn is_arithmetic(self) -> bool {
        matches!(self, Self::Counts | Self::Starts | Self::Bare)
    }
}

/// A patch with one defect, which strict mode refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// The text of the patch, a unified diff.
    pub patch: String,
    /// The defect of the patch, which decides whether anchored mode can apply it.
    pub fault: Defect,
    /// The intended text after the patch. If the text has mixed line terminators, inserted lines use the terminators of
    /// their neighbours.
    pub meant: String,
}

/// Generates a patch for `text` with one defect.
///
/// Each pre-image occurs at one place of the text, so that only the defect decides the outcome.
pub fn near_miss_for(text: &str) -> impl Strategy<Value = NearMiss> + use<> {
    let text = text.to_owned();
    (patch_for(&text), any::<(Index, Index)>()).prop_filter_map(
        "pre-images repeat",
        move |(fitting, (which, at))| {
            let Fitting { after: meant, built } = fitting;
            // If headers have no numbers, a removed line `-- x` reads as the header of another file.
            if !built.ambiguous.is_empty() || built.patch.contains("\n--- ") {
                return None;
            }
            let lines: Vec<&str> = built.patch.split_inclusive('\n').collect();
            let places =
                |of: &dyn Fn(&str) -> bool| (0..lines.len()).filter(|&at| of(lines[at])).collect::<Vec<_>>();
            let headers = places(&|line| line.starts_with("@@"));
            let old = places(&|line| line.starts_with([' ', '-']));
            let body = places(&|line| line.starts_with([' ', '-', '+']));
            let mut faults = vec![Defect::Counts, Defect::Starts, Defect::Bare, Defect::Unprefixed];
            faults.extend((!old.is_empty()).then_some(Defect::Misquoted));
            faults.extend((headers.len() > 1).then_some(Defect::Reordered));
            let fault = *which.get(&faults);
            let with = |at: usize, line: String| -> String {
                lines
                    .iter()
                    .enumerate()
                    .map(|(number, old)| if number == at { &line } else { *old })
                    .collect()
            };
            let patch = match fault {
                Defect::Counts => {
                    let at = *at.get(&headers);
                    with(at, restated(lines[at], |[start, count]| [start, count + count.min(1)]))
                }
                Defect::Starts => {
                    let (number, distance) = (*at.get(&headers), 1 + at.index(9));
                    with(number, restated(lines[number], |[start, count]| [start + distance, count]))
                }
                Defect::Bare => {
                    lines.iter().map(|line| if line.starts_with("@@") { "@@\n" } else { line }).collect()
                }
                Defect::Misquoted => {
                    let at = *at.get(&old);
                    with(at, misquoted(lines[at], &text))
                }
                Defect::Unprefixed => {
                    let at = *at.get(&body);
                    with(at, format!("*{}", &lines[at][1..]))
                }
                Defect::Reordered => {
                    let first = at.index(headers.len() - 1);
                    let end = headers.get(first + 2).copied().unwrap_or(lines.len());
                    let (one, other, end) = (headers[first], headers[first + 1], end);
                    [&lines[..one], &lines[other..end], &lines[one..other], &lines[end..]].concat().concat()
                }
            };
            Some(NearMiss { patch, fault, meant })
        },
    )
}

/// Applies `change` to both pairs of a header `@@ -start,count +start,count @@`.
fn restated(header: &str, change: impl Fn([usize; 2]) -> [usize; 2]) -> String {
    let pair = |pair: &str| {
        let pair = &pair[1..];
        let (start, count) = pair.split_once(',').unwrap_or((pair, "1"));
        let [start, count] = [start, count].map(|number| number.parse().expect("a built header has numbers"));
        change([start, count])
    };
    let mut words = header.split(' ').skip(1);
    let mut next = || pair(words.next().expect("a built header has two pairs"));
    let ([old, olds], [new, news]) = (next(), next());
    format!("@@ -{old},{olds} +{new},{news} @@\n")
}

/// Changes the content of a hunk line so that no line of the text contains it.
fn misquoted(line: &str, text: &str) -> String {
    let content = line.trim_end_matches(['\n', '\r']);
    let terminator = &line[content.len()..];
    let mut wrong = content.to_owned();
    while wrong == content || text.contains(&wrong[1..]) {
        wrong.push('§');
    }
    wrong + terminator
}
