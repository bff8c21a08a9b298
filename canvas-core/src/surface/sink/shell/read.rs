//! Parses a template as a list of pipelines of simple commands. Text that POSIX shells may interpret differently is
//! refused, so that the context of each value is certain.

use crate::surface::sink::part::{Forbidden, Item, Placed};

/// A list of pipelines, as commands and the operators between them.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) commands: Vec<Command>,
}

#[derive(Debug)]
pub(super) struct Command {
    /// Assignments, then the name, then the arguments.
    pub(super) words: Vec<Word>,
    /// Words for display, with each redirection as two words.
    shown: Vec<String>,
    /// Whether its input is the output of the previous command.
    pub(super) is_piped: bool,
    /// The operator after the command; `None` at the end.
    operator: Option<&'static str>,
}

#[derive(Debug)]
pub(super) struct Word {
    pub(super) range: std::ops::Range<usize>,
    /// Text without quotes and placeholders. `$NAME` is kept verbatim.
    pub(super) text: String,
    pub(super) has_value: bool,
    /// The first item that may not be adjacent to a value.
    pub(super) odd: Option<usize>,
}

/// Returns the words of a command for display to a person, or `None` if the text cannot be parsed.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let items: Vec<_> = text.char_indices().map(|(at, char)| Placed { item: Item::Char(char), at }).collect();
    let script = read(&items).ok()?;
    let words = script.commands.into_iter().flat_map(|command| {
        command.shown.into_iter().chain(command.operator.filter(|o| *o != "\n").map(str::to_owned))
    });
    Some(words.collect())
}

pub(super) fn read(items: &[Placed]) -> Result<Script, Forbidden> {
    let mut reader = Reader { items, at: 0 };
    let mut script = Script::default();
    let mut before = None;
    loop {
        reader.skip(|char| matches!(char, ' ' | '\t' | '\n'));
        if reader.peek().is_none() {
            return match before {
                Some("&&" | "||" | "|") => {
                    reader.forbidden(reader.at, "the command ends with an operator: complete it")
                }
                _ => Ok(script),
            };
        }
        let mut command = reader.command(before == Some("|"))?;
        command.operator = reader.operator()?;
        before = command.operator;
        script.commands.push(command);
    }
}

struct Reader<'t> {
    items: &'t [Placed],
    at: usize,
}

const QUOTED: &str = "a value brings its own quotes: take the quotes around the placeholder away";

impl Reader<'_> {
    fn peek(&self) -> Option<Placed> {
        self.items.get(self.at).copied()
    }

    /// Returns the next character, or `None` at a placeholder and at the end.
    fn char(&self) -> Option<char> {
        self.peek()?.char()
    }

    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        while self.char().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    /// Consumes a character if it is the next one.
    fn takes(&mut self, char: char) -> bool {
        let takes = self.char() == Some(char);
        self.at += usize::from(takes);
        takes
    }

    fn forbidden<T>(&self, at: usize, message: &'static str) -> Result<T, Forbidden> {
        let end = self.items.last().map_or(0, |last| last.at);
        Err(Forbidden::new(self.items.get(at).map_or(end, |placed| placed.at), message))
    }

    /// Reads the operator after a command.
    fn operator(&mut self) -> Result<Option<&'static str>, Forbidden> {
        let start = self.at;
        let Some(char) = self.char() else { return Ok(None) };
        self.at += 1;
        Ok(Some(match char {
            '\n' => "\n",
            ';' => ";",
            '|' if self.takes('|') => "||",
            '|' if self.char() != Some('&') => "|",
            '&' if self.takes('&') => "&&",
            '&' if self.char() != Some('>') => "&",
            _ => return self.forbidden(start, "only some shells know this operator: write && || | ; or &"),
        }))
    }

    fn command(&mut self, is_piped: bool) -> Result<Command, Forbidden> {
        let mut command = Command { words: Vec::new(), shown: Vec::new(), is_piped, operator: None };
        loop {
            self.skip(|char| matches!(char, ' ' | '\t'));
            match self.char() {
                Some('<' | '>') => self.redirection("", &mut command)?,
                Some('\n' | ';' | '&' | '|') => break,
                None if self.peek().is_none() => break,
                _ => {
                    let word = self.word()?;
                    let is_redirected = matches!(self.char(), Some('<' | '>'));
                    if is_redirected && word.has_value {
                        return self.forbidden(
                            self.at,
                            "a redirection may not touch a value: write a blank before it",
                        );
                    }
                    if is_redirected && word.odd.is_none() && word.text.bytes().all(|b| b.is_ascii_digit()) {
                        self.redirection(&word.text, &mut command)?;
                    } else {
                        command.shown.push(word.text.clone());
                        command.words.push(word);
                    }
                }
            }
        }
        if command.shown.is_empty() {
            return self
                .forbidden(self.at, "a command is missing here: write one on each side of an operator");
        }
        Ok(command)
    }

    /// Starts at `<` or `>`, after its file descriptor number.
    fn redirection(&mut self, number: &str, command: &mut Command) -> Result<(), Forbidden> {
        let start = self.at;
        let mut operator = number.to_owned();
        let direction = if self.takes('<') { '<' } else { '>' };
        self.at = start + 1;
        operator.push(direction);
        if direction == '<' && self.char() == Some('<') {
            return self.forbidden(start, "here-documents are not understood: pass the text as a word");
        }
        let more: &[char] = if direction == '<' { &['>', '&'] } else { &['>', '|', '&'] };
        let more = self.char().filter(|char| more.contains(char));
        if let Some(char) = more {
            self.at += 1;
            operator.push(char);
        }
        self.skip(|char| matches!(char, ' ' | '\t'));
        if self.peek().is_none() || matches!(self.char(), Some('\n' | ';' | '&' | '|' | '<' | '>')) {
            return self.forbidden(start, "a redirection needs a file: name it");
        }
        let target = self.word()?;
        if target.has_value {
            let message =
                "a value may not be the target of a redirection: give it to a program, or write the name";
            return self.forbidden(target.range.start, message);
        }
        if more == Some('&') && target.text != "-" && !target.text.bytes().all(|b| b.is_ascii_digit()) {
            return self
                .forbidden(target.range.start, "only some shells know this redirection: write > and 2>&1");
        }
        command.shown.extend([operator, target.text]);
        Ok(())
    }

    /// Starts at a character that is neither a blank nor an operator.
    fn word(&mut self) -> Result<Word, Forbidden> {
        let start = self.at;
        let mut word = Word { range: start..start, text: String::new(), has_value: false, odd: None };
        while let Some(placed) = self.peek() {
            let here = self.at;
            let Some(char) = placed.char() else {
                word.has_value = true;
                self.at += 1;
                continue;
            };
            if matches!(char, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>') {
                break;
            }
            if !(char.is_ascii_alphanumeric() || "_./:=,@%+-".contains(char)) {
                word.odd.get_or_insert(here);
            }
            self.at += 1;
            match char {
                '\'' => self.single_quoted(here, &mut word.text)?,
                '"' => self.double_quoted(here, &mut word.text)?,
                '\\' => self.escaped(here, &mut word.text)?,
                '$' => self.variable(here, &mut word.text)?,
                _ => match refusal(char) {
                    Some(message) => return self.forbidden(here, message),
                    None => word.text.push(char),
                },
            }
        }
        word.range.end = self.at;
        Ok(word)
    }

    /// Starts after `'`.
    fn single_quoted(&mut self, start: usize, text: &mut String) -> Result<(), Forbidden> {
        loop {
            match self.peek().map(|placed| placed.char()) {
                Some(Some('\'')) => break,
                Some(Some(char)) => text.push(char),
                Some(None) => return self.forbidden(self.at, QUOTED),
                None => return self.forbidden(start, "a quote is left open: close it"),
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    /// Starts after `"`.
    fn double_quoted(&mut self, start: usize, text: &mut String) -> Result<(), Forbidden> {
        loop {
            let here = self.at;
            let Some(placed) = self.peek() else {
                return self.forbidden(start, "a quote is left open: close it");
            };
            let Some(char) = placed.char() else { return self.forbidden(here, QUOTED) };
            self.at += 1;
            match char {
                '"' => return Ok(()),
                '$' => self.variable(here, text)?,
                '`' | '!' => return self.forbidden(here, refusal(char).unwrap_or(QUOTED)),
                '\\' => match self.char() {
                    Some(char @ ('$' | '`' | '"' | '\\')) => {
                        self.at += 1;
                        text.push(char);
                    }
                    Some('\n') => return self.forbidden(here, CONTINUED),
                    _ => text.push('\\'),
                },
                _ => text.push(char),
            }
        }
    }

    /// Starts after a backslash outside of quotes.
    fn escaped(&mut self, start: usize, text: &mut String) -> Result<(), Forbidden> {
        match self.char() {
            Some(char) if char.is_ascii_graphic() || char == ' ' => {
                self.at += 1;
                text.push(char);
                Ok(())
            }
            _ => self.forbidden(start, CONTINUED),
        }
    }

    /// Starts after `$`, and accepts only the name of a variable.
    fn variable(&mut self, start: usize, text: &mut String) -> Result<(), Forbidden> {
        if !self.char().is_some_and(|char| char.is_ascii_alphabetic() || char == '_') {
            let message = "only $NAME is understood here: leave substitutions, arithmetic and $'…' out, and put a $ of its own into single quotes";
            return self.forbidden(start, message);
        }
        text.push('$');
        while let Some(char) = self.char().filter(|char| char.is_ascii_alphanumeric() || *char == '_') {
            text.push(char);
            self.at += 1;
        }
        Ok(())
    }
}

const CONTINUED: &str =
    "this backslash is before a placeholder, a line's end or the text's end: take it away, values are quoted";

/// Returns the reason why a character may not occur outside of quotes.
fn refusal(char: char) -> Option<&'static str> {
    Some(match char {
        '(' | ')' => "subshells, functions and patterns are not understood: write a list of simple commands",
        '`' => "command substitution is not understood: run the command in an action of its own",
        '{' | '}' => "groups and brace expansion are not understood: write the words out",
        '!' => {
            "negation and history expansion are not understood: leave the ! out, or put it into single quotes"
        }
        '#' => "comments are not understood: leave them out, or put the # into single quotes",
        '^' => "an old shell takes ^ for a pipe: put it into single quotes",
        _ if char.is_ascii_graphic() => return None,
        _ => "shells differ in what this character is: put it into single quotes",
    })
}
