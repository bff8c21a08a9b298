//! Shells that run the commands.

use std::fs;
use std::path::Path;
use std::process::{Command as Process, Stdio};

use crate::shells::commands::Command;

/// A shell and how it is started.
pub(crate) struct Shell {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    options: &'static [&'static str],
    /// Defines `w`, which prints the number of its words and the words, with a NUL behind each.
    function: &'static str,
}

const PRINTF: &str = r#"w() { printf '%s\0' "$#" "$@"; }"#;
/// The Debian package has no `printf` of its own.
const PRINT: &str =
    r#"w() { print -nr -- "$#"; print -n '\0'; for a in "$@"; do print -nr -- "$a"; print -n '\0'; done; }"#;

/// The shells, some of them also with options that change how words are read.
pub(crate) const SHELLS: &[Shell] = &[
    Shell { name: "dash", program: "dash", options: &[], function: PRINTF },
    Shell { name: "bash", program: "bash", options: &[], function: PRINTF },
    Shell { name: "bash --posix", program: "bash", options: &["--posix"], function: PRINTF },
    Shell {
        name: "bash -H, extglob",
        program: "bash",
        options: &["-H", "-O", "extglob", "-O", "globstar", "-k"],
        function: PRINTF,
    },
    Shell { name: "busybox sh", program: "busybox", options: &["sh"], function: PRINTF },
    Shell { name: "mksh", program: "mksh", options: &[], function: PRINT },
    Shell { name: "mksh -o posix", program: "mksh", options: &["-o", "posix"], function: PRINT },
    Shell { name: "zsh", program: "zsh", options: &["-f"], function: PRINTF },
    Shell {
        name: "zsh, rcquotes",
        program: "zsh",
        options: &[
            "-f",
            "-o",
            "rcquotes",
            "-o",
            "banghist",
            "-o",
            "extendedglob",
            "-o",
            "kshglob",
            "-o",
            "globsubst",
            "-o",
            "shwordsplit",
            "-o",
            "magicequalsubst",
            "-o",
            "braceccl",
            "-o",
            "interactivecomments",
        ],
        function: PRINTF,
    },
    Shell { name: "yash", program: "yash", options: &[], function: PRINTF },
];

/// Runs all commands by one process in a folder, and gives the words that each has shown.
pub(crate) fn run(shell: &Shell, commands: &[Command], folder: &Path) -> Result<Vec<Vec<String>>, String> {
    let script = folder.with_extension("sh");
    let lines = commands.iter().map(|command| format!("{}\n", command.text));
    fs::write(&script, format!("{}\n{}", shell.function, lines.collect::<String>())).expect("a script");
    let output = Process::new(shell.program)
        .args(shell.options)
        .arg(&script)
        .current_dir(folder)
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("HOME", "/")])
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("{} does not start: {error}", shell.program));
    fs::remove_file(&script).expect("the script");
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(format!("{} {}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    let mut words = text.split_terminator('\0');
    let mut all = Vec::new();
    while let Some(count) = words.next() {
        let count = count.parse().map_err(|_| format!("no number: {count:?}"))?;
        all.push(words.by_ref().take(count).map(str::to_owned).collect());
    }
    Ok(all)
}
