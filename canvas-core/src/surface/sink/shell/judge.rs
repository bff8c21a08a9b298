//! Decides whether each placeholder of a command is allowed at its position.

use std::borrow::Cow;

use crate::surface::sink::part::{Forbidden, Form, Placed, Run, cut};
use crate::surface::sink::shell::commands::{Reads, is_reserved, reads};
use crate::surface::sink::shell::read::{Command, Word, read};

/// Makes a run of each word with a placeholder.
pub(crate) fn judge(items: &[Placed]) -> Result<Vec<Run>, Forbidden> {
    if !items.iter().any(|placed| placed.is_value()) {
        return Ok(cut(items, &[]));
    }
    let judged = Judge { items };
    let mut runs = Vec::new();
    let mut is_value_piped = false;
    for command in &read(items)?.commands {
        is_value_piped &= command.is_piped;
        judged.command(command, is_value_piped)?;
        is_value_piped |= command.words.iter().any(|word| word.has_value);
        let mut after_options = false;
        for word in &command.words {
            if word.has_value {
                runs.push((word.range.clone(), Form::ShellWord { after_options }));
            }
            after_options |= !word.has_value && word.text == "--";
        }
    }
    Ok(cut(items, &runs))
}

struct Judge<'t> {
    items: &'t [Placed],
}

impl Judge<'_> {
    fn forbidden<T>(&self, at: usize, message: impl Into<Cow<'static, str>>) -> Result<T, Forbidden> {
        Err(Forbidden::new(self.items[at].at, message))
    }

    /// `is_value_piped` means that the command's input comes from a command with a value.
    fn command(&self, command: &Command, is_value_piped: bool) -> Result<(), Forbidden> {
        let assignments = command.words.iter().take_while(|word| self.is_assignment(word)).count();
        let (assignments, words) = command.words.split_at(assignments);
        if let Some(word) = assignments.iter().find(|word| word.has_value) {
            let message = "a value may not be assigned to a variable: give it to the command as an argument";
            return self.forbidden(word.range.start, message);
        }
        let has_value = words.iter().any(|word| word.has_value);
        let Some((name, arguments)) = words.split_first() else {
            return if is_value_piped {
                self.forbidden(command.words.first().map_or(0, |word| word.range.start), NAME)
            } else {
                Ok(())
            };
        };
        if name.has_value {
            let message =
                "a value may not name a command: write the command, and the value as an argument after it";
            return self.forbidden(name.range.start, message);
        }
        if name.odd.is_none() && (is_reserved(&name.text) || name.text == "alias") {
            let message = format!(
                "{} makes more than a simple command, so it may have no value: write a list of simple commands",
                name.text
            );
            return self.forbidden(name.range.start, message);
        }
        if !has_value && !is_value_piped {
            return Ok(());
        }
        let is_plain = name.odd.is_none()
            && name.text.starts_with(|c: char| c.is_ascii_alphanumeric() || "./_".contains(c))
            && !name.text.contains('=');
        if !is_plain {
            return self.forbidden(name.range.start, NAME);
        }
        if is_value_piped && matches!(reads(&name.text), Some(Reads::Script | Reads::Command)) {
            let message = format!(
                "{} reads commands from its input, so no value may reach it through a pipe: give the value to a program of its own",
                name.text
            );
            return self.forbidden(name.range.start, message);
        }
        if !has_value {
            return Ok(());
        }
        self.arguments(&name.text, arguments)?;
        arguments.iter().filter(|word| word.has_value).try_for_each(|word| self.word(word))
    }

    fn is_assignment(&self, word: &Word) -> bool {
        let items = &self.items[word.range.clone()];
        let name =
            items.iter().take_while(|p| p.char().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_'));
        let name = name.count();
        name > 0
            && !items[0].char().is_some_and(|c| c.is_ascii_digit())
            && items.get(name).is_some_and(|placed| placed.is('='))
    }

    /// Checks the arguments of a command, at least one of which has a value.
    fn arguments(&self, name: &str, arguments: &[Word]) -> Result<(), Forbidden> {
        let first = arguments.iter().position(|word| word.has_value).unwrap_or(0);
        let at = arguments[first].range.start;
        if reads(name).is_some() {
            let message = format!(
                "{name} reads its arguments as code or as a command, so none of them may be a value: give the value to a program or a script of its own"
            );
            return self.forbidden(at, message);
        }
        // As in `docker exec web sh -c {{…}}`.
        let last = arguments.iter().rposition(|word| word.has_value).unwrap_or(0);
        let script = arguments[..last].windows(2).find(|pair| {
            let is_literal = !pair[0].has_value && !pair[1].has_value;
            is_literal && reads(&pair[0].text) == Some(Reads::Script) && pair[1].text.starts_with('-')
        });
        if let Some([interpreter, _]) = script {
            let message = format!(
                "{} reads what follows as code, so no value may follow it: give the value to a program or a script of its own",
                interpreter.text
            );
            return self.forbidden(at, message);
        }
        if name.rsplit('/').next() == Some("printf") && !is_plain_format(&arguments[0]) {
            let message = "printf takes -v, and reads numbers as code in some shells: begin with a literal format that has %s, %b and %c only";
            return self.forbidden(arguments[0].range.start, message);
        }
        Ok(())
    }

    /// Checks a word with a value.
    fn word(&self, word: &Word) -> Result<(), Forbidden> {
        if let Some(odd) = word.odd {
            let message = match self.items[odd].char() {
                Some('\'' | '"') => {
                    "a value may not be next to quoted text: take the quotes away, or put blanks between"
                }
                Some('~') => {
                    "a value may not be next to ~, which only some words expand: write the folder out"
                }
                Some('*' | '?' | '[' | ']') => {
                    "a value may not be next to a pattern: put blanks between, or name the files"
                }
                Some('$') => "a value may not be next to a variable: put blanks between, or write its value",
                _ => {
                    "only letters, digits and _ . / : = , @ % + - may be next to a value: put blanks between"
                }
            };
            return self.forbidden(odd, message);
        }
        if self.items[word.range.start].is('=') {
            let message =
                "zsh takes a word that begins with = for the path of a command: write something before it";
            return self.forbidden(word.range.start, message);
        }
        Ok(())
    }
}

const NAME: &str = "the name of a command beside a value is written in plain letters, without quotes: write the program's name or path";

/// Whether a format of `printf` accepts only text. It may be quoted.
fn is_plain_format(format: &Word) -> bool {
    let mut rest = format.text.as_str();
    if format.has_value || rest.starts_with('-') || rest.contains('$') {
        return false;
    }
    while let Some((_, after)) = rest.split_once('%') {
        let conversion = after.trim_start_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
        if !conversion.starts_with(['s', 'b', 'c', '%']) {
            return false;
        }
        rest = &conversion[1..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::sink::part::Item;

    /// Returns a template in which `@@` is a placeholder.
    fn items(template: &str) -> Vec<Placed> {
        let mut items = Vec::new();
        let (mut at, mut values) = (0, 0);
        while let Some(char) = template[at..].chars().next() {
            if template[at..].starts_with("@@") {
                items.push(Placed { item: Item::Value(values), at });
                values += 1;
                at += 2;
            } else {
                items.push(Placed { item: Item::Char(char), at });
                at += char.len_utf8();
            }
        }
        items
    }

    #[test]
    fn values_stand_in_arguments_of_simple_commands() {
        for template in [
            "./deploy @@ @@",
            "journalctl -u @@ -n 80",
            "cd \"$HOME/app\" && LANG=C /usr/bin/grep -e @@ *.log 2>/dev/null >>out | sort | uniq -c; true &",
            "dd if=/data/@@/in of=@@.bin",
            "printf '%s\\n%-5s%%' @@ @@",
            "a@@",
            "echo -n --x=@@,@@:%+/@@",
            "grep '#(){}!`$' @@\n\nls\n",
            "docker restart @@ && sh -c 'a b'",
            "systemctl restart mysql @@",
            "2>&1 echo @@",
            "echo a\\ b @@ >&- <&0 <> f >| g",
        ] {
            let judged = judge(&items(template));
            if template == "a@@" {
                assert!(judged.is_err(), "{template}");
            } else {
                assert!(judged.is_ok(), "{template}: {judged:?}");
            }
        }
    }
}
