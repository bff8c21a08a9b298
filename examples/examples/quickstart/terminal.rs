//! Lines of 100 columns: a time, a symbol, a name and a detail, with or without colour.

use std::io::{self, Write};

/// Columns of a line.
pub(crate) const WIDTH: usize = 100;
/// Column at which names, diffs and boxes begin.
const NAMES: usize = 10;
/// Column at which details begin.
const DETAILS: usize = 26;

/// Colour or weight of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Dim => "2",
            Self::Bold => "1",
            Self::Red => "31",
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Cyan => "36",
        }
    }
}

/// The character at the beginning of an entry, and its style.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Symbol(pub(crate) char, pub(crate) Style);

impl Symbol {
    pub(crate) const DONE: Self = Self('✓', Style::Green);
    pub(crate) const REFUSED: Self = Self('✗', Style::Red);
    pub(crate) const USER: Self = Self('›', Style::Cyan);
    pub(crate) const SENT: Self = Self('→', Style::Yellow);
    pub(crate) const NOTE: Self = Self('·', Style::Dim);
}

/// Writes entries line by line.
#[derive(Debug)]
pub(crate) struct Terminal<W> {
    out: W,
    colour: bool,
    /// The tenth of a second that was shown last; the same one is not shown again.
    shown: Option<u64>,
}

impl<W: Write> Terminal<W> {
    pub(crate) fn new(out: W, colour: bool) -> Self {
        Self { out, colour, shown: None }
    }

    /// Flushes the output.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// A title, followed by a rule to the end of the line.
    pub(crate) fn title(&mut self, title: &str) -> io::Result<()> {
        let title = fit(title, WIDTH - 8);
        let rule = "─".repeat(WIDTH - 5 - columns(&title));
        writeln!(self.out, "\n  {} {}", self.styled(Style::Bold, &title), self.styled(Style::Dim, &rule))
    }

    /// An entry at a time in milliseconds.
    pub(crate) fn entry(
        &mut self,
        at: u64,
        symbol: Symbol,
        name: &str,
        style: Style,
        detail: &str,
    ) -> io::Result<()> {
        let tenths = at / 100;
        let time = match self.shown.replace(tenths) {
            Some(shown) if shown == tenths => String::new(),
            _ => seconds(at),
        };
        let time = self.styled(Style::Dim, &format!("{time:>8}"));
        self.row(&time, symbol, name, style, detail)
    }

    /// An entry without a time.
    pub(crate) fn fact(&mut self, symbol: Symbol, name: &str, style: Style, detail: &str) -> io::Result<()> {
        self.row(&" ".repeat(NAMES - 2), symbol, name, style, detail)
    }

    /// An entry without a time, on one line and with all its spaces.
    pub(crate) fn exact(&mut self, symbol: Symbol, name: &str, style: Style, detail: &str) -> io::Result<()> {
        let lines = vec![fit(detail, WIDTH - DETAILS)];
        self.lines(&" ".repeat(NAMES - 2), symbol, name, style, &lines)
    }

    fn row(&mut self, time: &str, symbol: Symbol, name: &str, style: Style, detail: &str) -> io::Result<()> {
        self.lines(time, symbol, name, style, &wrap(detail, WIDTH - DETAILS))
    }

    fn lines(
        &mut self,
        time: &str,
        symbol: Symbol,
        name: &str,
        style: Style,
        lines: &[String],
    ) -> io::Result<()> {
        let (first, more) = lines.split_first().map_or(("", &[][..]), |(first, more)| (first, more));
        let sign = self.styled(symbol.1, &symbol.0.to_string());
        let name = self
            .styled(if symbol.1 == Style::Dim { Style::Dim } else { Style::Plain }, &format!("{name:<12}"));
        writeln!(self.out, "{time}  {sign} {name}  {}", self.styled(style, first))?;
        more.iter().try_for_each(|line| {
            let line = self.styled(style, line);
            writeln!(self.out, "{:DETAILS$}{line}", "")
        })
    }

    /// The first `max` lines of a document, with their numbers.
    pub(crate) fn numbered<'t>(
        &mut self,
        lines: impl IntoIterator<Item = (u64, &'t str)>,
        max: usize,
    ) -> io::Result<()> {
        let lines: Vec<_> = lines.into_iter().collect();
        let digits = lines.last().map_or(1, |(last, _)| last.to_string().len()).max(3);
        for (number, text) in lines.iter().take(max) {
            let number = self.styled(Style::Dim, &format!("{number:>digits$} │"));
            let text = fit(text.trim_end_matches(['\r', '\n']), WIDTH - NAMES - digits - 6);
            writeln!(self.out, "{:1$}{number} {text}", "", NAMES + 2)?;
        }
        self.more(lines.len().saturating_sub(max), NAMES + 2)
    }

    /// The first `max` lines of a unified diff, each after a bar.
    pub(crate) fn diff(&mut self, diff: &str, max: usize) -> io::Result<()> {
        let lines: Vec<&str> = diff.lines().collect();
        for line in lines.iter().take(max) {
            let style = match line.as_bytes().first() {
                Some(b'+') => Style::Green,
                Some(b'-') => Style::Red,
                Some(b'@') => Style::Cyan,
                _ => Style::Plain,
            };
            self.barred(style, line)?;
        }
        self.more(lines.len().saturating_sub(max), NAMES + 2)
    }

    /// A text, each line after a bar. Over `max` lines its middle is left out.
    pub(crate) fn quoted(&mut self, text: &str, max: usize) -> io::Result<()> {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() <= max {
            return lines.iter().try_for_each(|line| self.barred(Style::Plain, line));
        }
        let (start, rest) = lines.split_at(max.saturating_sub(2));
        start.iter().try_for_each(|line| self.barred(Style::Plain, line))?;
        self.barred(Style::Dim, &format!("… {} more lines", rest.len() - 1))?;
        rest.last().map_or(Ok(()), |line| self.barred(Style::Plain, line))
    }

    fn barred(&mut self, style: Style, line: &str) -> io::Result<()> {
        let (bar, line) = (self.styled(Style::Dim, "│"), fit(line, WIDTH - NAMES - 2));
        writeln!(self.out, "{:NAMES$}{bar} {}", "", self.styled(style, &line))
    }

    fn more(&mut self, lines: usize, indent: usize) -> io::Result<()> {
        match lines {
            0 => Ok(()),
            1 => writeln!(self.out, "{:indent$}{}", "", self.styled(Style::Dim, "… 1 more line")),
            n => {
                writeln!(self.out, "{:indent$}{}", "", self.styled(Style::Dim, &format!("… {n} more lines")))
            }
        }
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.colour && style != Style::Plain && !text.trim().is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.into()
        }
    }
}

/// A time in milliseconds, shown in seconds.
pub(crate) fn seconds(at: u64) -> String {
    format!("{}.{} s", at / 1_000, at % 1_000 / 100)
}

/// A number with commas between its thousands.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text cut to `width` columns, without characters that would move the cursor or reverse the line.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars().map(shown) {
        used += columns_of(c);
        if used > width {
            // The ellipsis takes the place of the last character that still fits.
            while columns(&out) >= width && out.pop().is_some() {}
            out.push('…');
            return out;
        }
        out.push(c);
    }
    out
}

/// The words of a text on lines of at most `width` columns.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in text.split(' ') {
        let piece = fit(piece, width);
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && columns(line) + 1 + columns(&piece) > width {
            lines.push(piece);
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&piece);
        }
    }
    lines
}

fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '·',
        c if c.is_control() => '·',
        c => c,
    }
}

/// Columns of a text on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Columns of a character, as exactly as clipping needs.
const fn columns_of(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}
