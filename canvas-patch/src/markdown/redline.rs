//! Shows pending changes as pieces of text that are kept, inserted or deleted.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::diff::edit::TextEdit;
use crate::diff::parts::{PartId, after_within, lines_of};
use crate::diff::words::word_changes;

/// A piece of a redline. The kept and the deleted pieces are the document, and the kept and the inserted pieces are the
/// proposed text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RedlineSpan {
    /// Whether the text is kept, inserted or deleted.
    pub kind: SpanKind,
    /// The text, which is never empty.
    pub text: String,
    /// The part that inserts or deletes the text.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub part: Option<PartId>,
}

/// Whether a piece of a redline is in the document, in the proposed text, or in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SpanKind {
    /// In both texts.
    Keep,
    /// Only in the proposed text.
    Insert,
    /// Only in the document.
    Delete,
}

/// Returns the document with the edits of some parts as pieces. The parts are in the order of the text, and their edits
/// apply to the document and do not overlap.
///
/// A sentence that changes much is replaced as a whole, and words otherwise. No piece begins or ends inside of emphasis, a
/// link or a code span.
///
/// ```
/// use canvas_patch::{Parts, critic_markup, redline};
///
/// let (text, proposed) = ("Buy milk. Call *home*.\n", "Buy oat milk. Call *mum*.\n");
/// let mut parts = Parts::default();
/// parts.propose(text, proposed, &mut 0, None);
/// let spans = redline(text, parts.iter().map(|part| (part.id(), part.edits())));
/// assert_eq!(critic_markup(&spans), "Buy {++oat ++}milk. Call {~~*home*~>*mum*~~}.\n");
/// ```
///
/// # Panics
///
/// Panics if the edits do not fit the document.
pub fn redline<'p>(
    document: &str,
    parts: impl IntoIterator<Item = (PartId, &'p [TextEdit])>,
) -> Vec<RedlineSpan> {
    let parts = parts.into_iter().filter_map(|(id, edits)| {
        let lines = lines_of(document, edits.first()?).start..lines_of(document, edits.last()?).end;
        Some((id, edits, lines))
    });
    let (mut spans, mut done) = (Spans::default(), 0);
    let mut parts = parts.peekable();
    while let Some((id, edits, lines)) = parts.next() {
        spans.push(SpanKind::Keep, &document[done..lines.start], None);
        done = lines.start;
        if parts.peek().is_none_or(|(_, _, next)| lines.end <= next.start) {
            let change = after_within(document, edits, lines.clone());
            spans.compare(&document[lines.clone()], &change, id);
            done = lines.end;
            continue;
        }
        // Parts of several owners share lines.
        let mut end = lines.end;
        let mut here = vec![(id, edits)];
        while let Some((id, edits, lines)) = parts.next_if(|(_, _, next)| next.start < end) {
            end = end.max(lines.end);
            here.push((id, edits));
        }
        let edits = here.into_iter().flat_map(|(id, edits)| edits.iter().map(move |edit| (id, edit)));
        let mut edits: Vec<_> = edits.collect();
        edits.sort_by_key(|(_, edit)| (edit.at, edit.range().end));
        for (id, edit) in edits {
            spans.push(SpanKind::Keep, &document[done..edit.at], None);
            spans.push(SpanKind::Delete, &edit.old, Some(id));
            spans.push(SpanKind::Insert, &edit.new, Some(id));
            done = edit.range().end;
        }
        spans.push(SpanKind::Keep, &document[done..end], None);
        done = end;
    }
    spans.push(SpanKind::Keep, &document[done..], None);
    spans.0
}

/// Writes a redline as CriticMarkup: `{++inserted++}`, `{--deleted--}` and `{~~old~>new~~}`.
pub fn critic_markup(spans: &[RedlineSpan]) -> String {
    let mut text = String::new();
    let mut spans = spans.iter().peekable();
    while let Some(RedlineSpan { kind, text: piece, part }) = spans.next() {
        match kind {
            SpanKind::Keep => text += piece,
            SpanKind::Insert => text.extend(["{++", piece, "++}"]),
            SpanKind::Delete => {
                match spans.next_if(|next| next.kind == SpanKind::Insert && next.part == *part) {
                    Some(next) => text.extend(["{~~", piece, "~>", &next.text, "~~}"]),
                    None => text.extend(["{--", piece, "--}"]),
                }
            }
        }
    }
    text
}

/// Writes a redline as HTML, with the Markdown itself as text. Inserted text is in `<ins>` and deleted text in `<del>`, each
/// with the id of its part in `data-part`. Put it into an element that keeps white space, such as `<pre>`.
///
/// ```
/// use canvas_patch::{Parts, redline, redline_html};
///
/// let mut parts = Parts::default();
/// parts.propose("Buy milk.\n", "Buy <oat> milk.\n", &mut 0, None);
/// let spans = redline("Buy milk.\n", parts.iter().map(|part| (part.id(), part.edits())));
/// assert_eq!(redline_html(&spans), "Buy <ins data-part=\"p1\">&lt;oat&gt; </ins>milk.\n");
/// ```
pub fn redline_html(spans: &[RedlineSpan]) -> String {
    let mut html = String::new();
    for RedlineSpan { kind, text, part } in spans {
        let tag = match kind {
            SpanKind::Keep => None,
            SpanKind::Insert => Some("ins"),
            SpanKind::Delete => Some("del"),
        };
        if let Some(tag) = tag {
            html.extend(["<", tag]);
            if let Some(part) = part {
                html += &format!(" data-part=\"{part}\"");
            }
            html.push('>');
        }
        for character in text.chars() {
            match character {
                '&' => html += "&amp;",
                '<' => html += "&lt;",
                '>' => html += "&gt;",
                '"' => html += "&quot;",
                character => html.push(character),
            }
        }
        if let Some(tag) = tag {
            html.extend(["</", tag, ">"]);
        }
    }
    html
}

#[derive(Default)]
struct Spans(Vec<RedlineSpan>);

impl Spans {
    fn push(&mut self, kind: SpanKind, text: &str, part: Option<PartId>) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.kind == kind && last.part == part => last.text.push_str(text),
            _ => self.0.push(RedlineSpan { kind, text: text.to_owned(), part }),
        }
    }

    fn compare(&mut self, old: &str, new: &str, id: PartId) {
        let (mut old_at, mut new_at) = (0, 0);
        for Kept { from, to, len } in kept(old, new) {
            self.push(SpanKind::Delete, &old[old_at..from], Some(id));
            self.push(SpanKind::Insert, &new[new_at..to], Some(id));
            self.push(SpanKind::Keep, &old[from..from + len], None);
            (old_at, new_at) = (from + len, to + len);
        }
        self.push(SpanKind::Delete, &old[old_at..], Some(id));
        self.push(SpanKind::Insert, &new[new_at..], Some(id));
    }
}

/// A run of bytes that both texts have.
#[derive(Debug, Clone, Copy)]
struct Kept {
    from: usize,
    to: usize,
    len: usize,
}

/// Returns what both texts have, without runs that begin or end inside of markup.
fn kept(old: &str, new: &str) -> Vec<Kept> {
    let mut kept = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (from, to) in sentence_changes(old, new) {
        kept.push(Kept { from: old_at, to: new_at, len: from.start - old_at });
        let words = word_changes(&old[from.clone()], &new[to.clone()]);
        let changed: usize = words.iter().map(|change| change.old.len().max(change.new.len())).sum();
        if changed * 2 <= from.len().max(to.len()) {
            let (mut from_at, mut to_at) = (from.start, to.start);
            for change in words {
                let len = from.start + change.old.start - from_at;
                kept.push(Kept { from: from_at, to: to_at, len });
                (from_at, to_at) = (from.start + change.old.end, to.start + change.new.end);
            }
            kept.push(Kept { from: from_at, to: to_at, len: from.end - from_at });
            (old_at, new_at) = (from.end, to.end);
            continue;
        }
        // The white space after a sentence stays.
        let space = |text: &str| text.len() - text.trim_end().len();
        let (old_end, new_end) = (&old[from.clone()], &new[to.clone()]);
        let is_same =
            !from.is_empty() && old_end[old_end.trim_end().len()..] == new_end[new_end.trim_end().len()..];
        let space = if is_same { space(old_end) } else { 0 };
        (old_at, new_at) = (from.end - space, to.end - space);
    }
    kept.push(Kept { from: old_at, to: new_at, len: old.len() - old_at });
    let (old_markup, new_markup) = (markup(old), markup(new));
    for run in &mut kept {
        loop {
            let before = run.len;
            let start = past_end(&old_markup, run.from, run.len).max(past_end(&new_markup, run.to, run.len));
            (run.from, run.to, run.len) = (run.from + start, run.to + start, run.len - start);
            let end =
                before_start(&old_markup, run.from, run.len).max(before_start(&new_markup, run.to, run.len));
            run.len -= end;
            if run.len == before {
                break;
            }
        }
    }
    kept.retain(|run| run.len > 0);
    kept
}

/// Returns how much a run must lose at its start to begin outside of markup.
fn past_end(markup: &[Range<usize>], at: usize, len: usize) -> usize {
    around(markup, at).map_or(0, |range| (range.end - at).min(len))
}

/// Returns how much a run must lose at its end to end outside of markup.
fn before_start(markup: &[Range<usize>], at: usize, len: usize) -> usize {
    around(markup, at + len).map_or(0, |range| (at + len - range.start).min(len))
}

/// Returns the markup that a place is inside of, not at its ends.
fn around(markup: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    markup.get(markup.partition_point(|range| range.end <= at)).filter(|range| range.start < at)
}

/// Returns the outermost emphasis, links, images and code spans, in order.
fn markup(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    if !text.contains(['*', '_', '~', '`', '[', '<']) {
        return found;
    }
    for (event, bytes) in Parser::new_ext(text, Options::ENABLE_STRIKETHROUGH).into_offset_iter() {
        let is_markup = matches!(
            event,
            Event::Code(_)
                | Event::Start(
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
                )
        );
        if is_markup && found.last().is_none_or(|last| last.end <= bytes.start) {
            found.push(bytes);
        }
    }
    found
}

/// Returns the sentences that differ, as byte ranges of both texts.
fn sentence_changes(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    if let Some(change) = only_change(old, new) {
        return vec![change];
    }
    let mut input = InternedInput::default();
    input.update_before(Sentences { rest: old });
    input.update_after(Sentences { rest: new });
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let ends = |tokens: &[imara_diff::Token]| {
        let ends = tokens.iter().scan(0, |at, &token| {
            *at += input.interner[token].len();
            Some(*at)
        });
        std::iter::once(0).chain(ends).collect::<Vec<_>>()
    };
    let (old_ends, new_ends) = (ends(&input.before), ends(&input.after));
    let bytes = |ends: &[usize], run: Range<u32>| ends[run.start as usize]..ends[run.end as usize];
    diff.hunks().map(|hunk| (bytes(&old_ends, hunk.before), bytes(&new_ends, hunk.after))).collect()
}

/// Returns the sentences that differ, if it is one of each text. A comparison of so little costs more than this.
fn only_change(old: &str, new: &str) -> Option<(Range<usize>, Range<usize>)> {
    let (mut from, mut to) = (Sentences { rest: old }, Sentences { rest: new });
    loop {
        let (one, other) = (from.next()?, to.next()?);
        if one != other {
            let (from_end, to_end) = (old.len() - from.rest.len(), new.len() - to.rest.len());
            let change = (from_end - one.len()..from_end, to_end - other.len()..to_end);
            return (from.rest == to.rest).then_some(change);
        }
    }
}

/// The sentences of a text, in order and without gaps. A line ends a sentence.
struct Sentences<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Sentences<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let mut is_over = false;
        let end = self.rest.char_indices().find_map(|(at, c)| {
            if c == '\n' {
                return Some(at + 1);
            }
            if is_over && !c.is_whitespace() {
                return Some(at);
            }
            let before = self.rest[..at].chars().next_back();
            is_over = is_over || (c.is_whitespace() && matches!(before, Some('.' | '!' | '?' | '…' | '。')));
            None
        });
        let (sentence, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(sentence)
    }
}
