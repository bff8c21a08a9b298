//! Link labels, which the parser compares without regard to case.

use std::cell::OnceCell;
use std::collections::HashSet;

use pulldown_cmark::Parser;

use super::found::Definition;

const OPEN: &str = "[";
const CLOSE: &str = "]: x\n";

/// Returns a text that defines the same labels, with ASCII letters in lower case.
pub(super) fn definitions_only(definitions: &[Definition]) -> String {
    let mut all: String =
        definitions.iter().flat_map(|definition| [OPEN, &definition.label, CLOSE]).collect();
    all.make_ascii_lowercase();
    all
}

/// The labels of a text that [`definitions_only`] returned.
///
/// ASCII labels are looked up here, at a third of the parser's cost. Only the parser knows how other labels compare.
pub(super) struct Labels<'d> {
    all: &'d str,
    /// Empty if some labels are not ASCII.
    ascii: HashSet<&'d str>,
    parsed: OnceCell<Parser<'d>>,
}

impl<'d> Labels<'d> {
    pub(super) fn of(all: &'d str) -> Self {
        let ascii = if all.is_ascii() { labels(all).collect() } else { HashSet::new() };
        Self { all, ascii, parsed: OnceCell::new() }
    }

    pub(super) fn contains(&self, label: &str) -> bool {
        if !(self.all.is_ascii() && label.is_ascii()) {
            let parsed = self.parsed.get_or_init(|| Parser::new(self.all));
            return parsed.reference_definitions().get(label).is_some();
        }
        if label.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.ascii.contains(&*label.to_ascii_lowercase());
        }
        self.ascii.contains(label)
    }
}

/// Keeps only the first definition of each label.
pub(super) fn keep_firsts(definitions: &mut Vec<Definition>) {
    let all = definitions_only(definitions);
    if all.is_ascii() {
        let mut seen = HashSet::with_capacity(definitions.len());
        let mut labels = labels(&all);
        definitions.retain(|_| labels.next().is_some_and(|label| seen.insert(label)));
        return;
    }
    let parsed = Parser::new(&all);
    let firsts: HashSet<_> =
        parsed.reference_definitions().iter().map(|(_, definition)| definition.span.start).collect();
    let mut at = 0;
    definitions.retain(|definition| {
        let is_first = firsts.contains(&at);
        at += OPEN.len() + definition.label.len() + CLOSE.len();
        is_first
    });
}

/// Lists the labels of a text that [`definitions_only`] returned. A label contains no line end, because the parser
/// turned each into a space.
fn labels(all: &str) -> impl Iterator<Item = &str> {
    all.split_inclusive(CLOSE).map(|line| &line[OPEN.len()..line.len() - CLOSE.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definitions(labels: &[&str]) -> Vec<Definition> {
        let definition =
            |(byte, label): (usize, &&str)| Definition { byte, label: (*label).to_owned(), expansion: 1 };
        labels.iter().enumerate().map(definition).collect()
    }

    /// The parser decides which labels are alike, with ASCII and with other letters.
    #[test]
    fn labels_are_alike_where_the_parser_says_so() {
        let some = [
            "a", "A", "b c", "B C", "s", "\u{17f}", "ss", "ß", "k", "\u{212a}", "é", "É", "\\]: x", "ﬁ", "FI",
        ];
        for one in some {
            for other in some {
                let text = format!("[{one}]: x\n\n[{other}]");
                let linked = Parser::new(&text).any(|event| {
                    matches!(event, pulldown_cmark::Event::Start(pulldown_cmark::Tag::Link { .. }))
                });
                for more in [&[][..], &["z"], &["ö"]] {
                    let mut defined = definitions(&[more, &[one]].concat());
                    let all = definitions_only(&defined);
                    assert_eq!(Labels::of(&all).contains(other), linked, "{one} {other} {more:?}");
                    defined.extend(definitions(&[other]));
                    keep_firsts(&mut defined);
                    assert_eq!(defined.len(), more.len() + 2 - usize::from(linked), "{one} {other} {more:?}");
                }
            }
        }
    }
}
