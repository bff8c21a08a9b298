//! Lines on a page of 100 columns: a time, a mark, a name and what there is to say, with or without colour.

use std::io::{self, Write};

/// Columns of the page.
pub(crate) const WIDTH: usize = 100;
/// Where names, diffs and boxes begin.
const NAMES: usize = 10;
/// Where details begin.
const DETAILS: usize = 26;

/// How something is shown on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Plain,
    Dim,
    Bold,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Ink {
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

/// A sign at the beginning of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(pub(crate) char, pub(crate) Ink);

impl Mark {
    pub(crate) const DONE: Self = Self('✓', Ink::Green);
    pub(crate) const REFUSED: Self = Self('✗', Ink::Red);
    pub(crate) const USER: Self = Self('›', Ink::Cyan);
    pub(crate) const SENT: Self = Self('→', Ink::Yellow);
    pub(crate) const NOTE: Self = Self('·', Ink::Dim);
}

/// A page that grows downwards.
#[derive(Debug)]
pub(crate) struct Paint<W> {
    out: W,
    colour: bool,
    /// The tenth of a second that was shown last; the same one is not shown again.
    shown: Option<u64>,
}

impl<W: Write> Paint<W> {
    pub(crate) fn new(out: W, colour: bool) -> Self {
        Self { out, colour, shown: None }
    }

    /// Writes out what is still buffered.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// A title with a rule behind it.
    pub(crate) fn title(&mut self, title: &str) -> io::Result<()> {
        let title = fit(title, WIDTH - 8);
        let rule = "─".repeat(WIDTH - 5 - columns(&title));
        writeln!(self.out, "\n  {} {}", self.inked(Ink::Bold, &title), self.inked(Ink::Dim, &rule))
    }

    /// An entry at a time in milliseconds.
    pub(crate) fn entry(
        &mut self,
        at: u64,
        mark: Mark,
        name: &str,
        ink: Ink,
        detail: &str,
    ) -> io::Result<()> {
        let tenths = at / 100;
        let time = match self.shown.replace(tenths) {
            Some(shown) if shown == tenths => String::new(),
            _ => seconds(at),
        };
        let time = self.inked(Ink::Dim, &format!("{time:>8}"));
        self.row(&time, mark, name, ink, detail)
    }

    /// An entry without a time.
    pub(crate) fn fact(&mut self, mark: Mark, name: &str, ink: Ink, detail: &str) -> io::Result<()> {
        self.row(&" ".repeat(NAMES - 2), mark, name, ink, detail)
    }

    /// A fact on one line, its spaces as they are.
    pub(crate) fn exact(&mut self, mark: Mark, name: &str, ink: Ink, detail: &str) -> io::Result<()> {
        let lines = vec![fit(detail, WIDTH - DETAILS)];
        self.lines(&" ".repeat(NAMES - 2), mark, name, ink, &lines)
    }

    fn row(&mut self, time: &str, mark: Mark, name: &str, ink: Ink, detail: &str) -> io::Result<()> {
        self.lines(time, mark, name, ink, &wrap(detail, WIDTH - DETAILS))
    }

    fn lines(&mut self, time: &str, mark: Mark, name: &str, ink: Ink, lines: &[String]) -> io::Result<()> {
        let (first, more) = lines.split_first().map_or(("", &[][..]), |(first, more)| (first, more));
        let sign = self.inked(mark.1, &mark.0.to_string());
        let name = self.inked(if mark.1 == Ink::Dim { Ink::Dim } else { Ink::Plain }, &format!("{name:<12}"));
        writeln!(self.out, "{time}  {sign} {name}  {}", self.inked(ink, first))?;
        more.iter().try_for_each(|line| {
            let line = self.inked(ink, line);
            writeln!(self.out, "{:DETAILS$}{line}", "")
        })
    }

    /// Lines of a document with their numbers, as many as are worth showing.
    pub(crate) fn numbered<'t>(
        &mut self,
        lines: impl IntoIterator<Item = (u64, &'t str)>,
        most: usize,
    ) -> io::Result<()> {
        let lines: Vec<_> = lines.into_iter().collect();
        let digits = lines.last().map_or(1, |(last, _)| last.to_string().len()).max(3);
        for (number, text) in lines.iter().take(most) {
            let number = self.inked(Ink::Dim, &format!("{number:>digits$} │"));
            let text = fit(text.trim_end_matches(['\r', '\n']), WIDTH - NAMES - digits - 6);
            writeln!(self.out, "{:1$}{number} {text}", "", NAMES + 2)?;
        }
        self.more(lines.len().saturating_sub(most), NAMES + 2)
    }

    /// A unified diff behind a bar.
    pub(crate) fn diff(&mut self, diff: &str, most: usize) -> io::Result<()> {
        let lines: Vec<&str> = diff.lines().collect();
        for line in lines.iter().take(most) {
            let ink = match line.as_bytes().first() {
                Some(b'+') => Ink::Green,
                Some(b'-') => Ink::Red,
                Some(b'@') => Ink::Cyan,
                _ => Ink::Plain,
            };
            self.barred(ink, line)?;
        }
        self.more(lines.len().saturating_sub(most), NAMES + 2)
    }

    /// A text behind a bar, its middle left out where it is long.
    pub(crate) fn quoted(&mut self, text: &str, most: usize) -> io::Result<()> {
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() <= most {
            return lines.iter().try_for_each(|line| self.barred(Ink::Plain, line));
        }
        let (start, rest) = lines.split_at(most.saturating_sub(2));
        start.iter().try_for_each(|line| self.barred(Ink::Plain, line))?;
        self.barred(Ink::Dim, &format!("… {} more lines", rest.len() - 1))?;
        rest.last().map_or(Ok(()), |line| self.barred(Ink::Plain, line))
    }

    fn barred(&mut self, ink: Ink, line: &str) -> io::Result<()> {
        let (bar, line) = (self.inked(Ink::Dim, "│"), fit(line, WIDTH - NAMES - 2));
        writeln!(self.out, "{:NAMES$}{bar} {}", "", self.inked(ink, &line))
    }

    fn more(&mut self, lines: usize, indent: usize) -> io::Result<()> {
        match lines {
            0 => Ok(()),
            1 => writeln!(self.out, "{:indent$}{}", "", self.inked(Ink::Dim, "… 1 more line")),
            n => writeln!(self.out, "{:indent$}{}", "", self.inked(Ink::Dim, &format!("… {n} more lines"))),
        }
    }

    fn inked(&self, ink: Ink, text: &str) -> String {
        if self.colour && ink != Ink::Plain && !text.trim().is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", ink.code())
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

/// A text cut to so many columns, without characters that would move the cursor or turn the line around.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let (mut out, mut used) = (String::new(), 0);
    for c in text.chars().map(shown) {
        used += columns_of(c);
        if used > width {
            // What was written takes at most `width` columns; the sign takes the place of its end.
            while columns(&out) >= width && out.pop().is_some() {}
            out.push('…');
            return out;
        }
        out.push(c);
    }
    out
}

/// Words on lines of so many columns.
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

/// Columns that a terminal gives to a text.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Near enough for clipping.
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
