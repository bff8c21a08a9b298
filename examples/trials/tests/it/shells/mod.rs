//! Resolved commands, judged by shells: whatever a value is, it is one word and runs nothing.
//!
//! `.ci/shells` installs the shells and says how many random values they get; without it the tests print SKIPPED.

#![expect(clippy::print_stdout, reason = "counts are the result of the comparison")]

mod commands;
mod shape;
mod shell;

use self::commands::{Command, Resolved, resolved};
use self::shape::{shape, statements};
use self::shell::{SHELLS, Shell, run};

/// Random values, as `.ci/shells` says; `None` where it does not run.
fn random() -> Option<usize> {
    let values = std::env::var("CANVAS_SHELLS").ok().map(|values| values.parse().expect("a number"));
    if values.is_none() {
        println!("SKIPPED: shells (run .ci/shells)");
    }
    values
}

#[test]
fn every_value_is_one_word_in_every_shell() {
    let Some(random) = random() else { return };
    let Resolved { commands, refused, values } = resolved(random);
    println!("{values} values: {} commands, {refused} refused", commands.len());
    for shell in SHELLS {
        let judged = judge(shell, &commands).unwrap_or_else(|fault| panic!("{}: {fault}", shell.name));
        println!("{}: {judged} commands, each value one word", shell.name);
        // What is pasted is seen.
        for (text, word) in [
            ("w a b", "a b"),
            ("w 'a'b'", "a'b"),
            ("w a$(touch x)", "a"),
            ("w $HOME", "$HOME"),
            ("w a;", "a;"),
        ] {
            let pasted = Command { text: text.to_owned(), words: vec![word.to_owned()], template: 0 };
            assert!(judge(shell, &[pasted]).is_err(), "{}: {text}", shell.name);
        }
    }
}

/// The number of commands whose words a shell has read as they should be.
fn judge(shell: &Shell, commands: &[Command]) -> Result<usize, String> {
    let folder = std::env::temp_dir().join(format!("canvas-shells-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a folder for the shells");
    let found = run(shell, commands, &folder);
    let left = std::fs::read_dir(&folder).expect("the folder").count();
    std::fs::remove_dir_all(&folder).expect("the folder");
    let found = found?;
    let differs = |(command, words): &(&Command, &Vec<String>)| command.words != **words;
    match commands.iter().zip(&found).find(differs) {
        Some((command, words)) => Err(format!("{} shows {words:?}, not {:?}", command.text, command.words)),
        None if found.len() != commands.len() => {
            Err(format!("{} of {} commands ran", found.len(), commands.len()))
        }
        None if left > 0 => Err(format!("{left} files were made")),
        None => Ok(found.len()),
    }
}

#[test]
fn every_value_makes_the_same_tree() {
    let Some(random) = random() else { return };
    let Resolved { mut commands, .. } = resolved(random);
    // shfmt 3.6 takes this character for the end of the text.
    commands.retain(|command| !command.text.contains('\u{80}'));
    for language in ["posix", "bash", "mksh"] {
        let mut trees: Vec<String> = Vec::new();
        // What shfmt prints is a hundred times as long.
        for some in commands.chunks(1_000) {
            trees.extend(statements(language, some).iter().map(shape));
        }
        assert_eq!(trees.len(), commands.len(), "{language}: statements");
        for (command, tree) in commands.iter().zip(&trees) {
            let first = commands.iter().position(|first| first.template == command.template).unwrap();
            assert_eq!(*tree, trees[first], "{language}: {}", command.text);
        }
        println!("shfmt, {language}: {} commands, one tree for each template", commands.len());
    }
}
