//! A git repository of recorded histories, which judges texts of the past and blame, and is a peer.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::people::{History, Version};

/// A bare repository in a folder of its own. Each history is a branch with one file, and a commit says which revision it is,
/// counted from 1.
#[derive(Debug)]
pub struct Repository {
    folder: PathBuf,
}

/// The last writer of a line, according to git.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitLine {
    /// The number of the revision, counted from 1.
    pub revision: usize,
    /// Name of the author.
    pub author: String,
    /// Seconds since 1970.
    pub at: u64,
}

impl Repository {
    /// Makes the repository of histories in a folder, which is emptied before. The branches are their numbers, counted from 0.
    ///
    /// # Errors
    ///
    /// If git is not installed or fails.
    pub fn of(folder: &Path, histories: &[History]) -> io::Result<Self> {
        Self::new(folder, |git| {
            histories.iter().enumerate().try_for_each(|(branch, History { file, revisions })| {
                let mut numbered = revisions.iter().zip(1..);
                numbered.try_for_each(|(version, number)| commit(git, branch, file, (number, version)))
            })
        })
    }

    /// Makes a repository like [`Repository::of`], whose commits [`commit`] writes.
    ///
    /// # Errors
    ///
    /// Like [`Repository::of`], or an error of `commits`.
    pub fn new(
        folder: &Path,
        commits: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send,
    ) -> io::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder)?;
        let repository = Self { folder: folder.to_owned() };
        repository.run(&["init", "--quiet", "--bare"])?;
        repository.run_on(&["fast-import", "--quiet"], commits)?;
        Ok(repository)
    }

    /// Returns a command of git in the repository, without anybody's settings.
    pub fn git(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(&self.folder).env("GIT_CEILING_DIRECTORIES", &self.folder);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        git
    }

    /// Runs git in the repository, and returns its output.
    ///
    /// # Errors
    ///
    /// If git is not installed or fails.
    pub fn run(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.run_on(arguments, |_| Ok(()))
    }

    fn run_on(
        &self,
        arguments: &[&str],
        input: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send,
    ) -> io::Result<Vec<u8>> {
        let mut git = self.git(arguments).spawn()?;
        let mut stdin = BufWriter::new(git.stdin.take().expect("it is piped"));
        let output = std::thread::scope(|threads| {
            // Git answers while it reads. If it ends early, its status says so.
            threads.spawn(move || input(&mut stdin).and_then(|()| stdin.flush()));
            git.wait_with_output()
        })?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    /// Returns the text of each revision of a branch.
    ///
    /// # Errors
    ///
    /// Like [`Repository::run`].
    ///
    /// # Panics
    ///
    /// If git prints another form.
    pub fn texts(&self, branch: usize, history: &History) -> io::Result<Vec<String>> {
        let count = history.revisions.len();
        let asked = |git: &mut dyn Write| {
            (0..count).rev().try_for_each(|back| writeln!(git, "{branch}~{back}:{}", history.file))
        };
        let printed = String::from_utf8(self.run_on(&["cat-file", "--batch=%(objectsize)"], asked)?);
        let (printed, mut texts) = (printed.expect("the texts are UTF-8"), Vec::new());
        let mut rest = printed.as_str();
        while let Some((size, after)) = rest.split_once('\n') {
            let (text, after) = after.split_at(size.parse().expect("a size"));
            texts.push(text.to_owned());
            rest = &after[1..];
        }
        Ok(texts)
    }

    /// Returns the blame of a revision.
    ///
    /// # Errors
    ///
    /// Like [`Repository::run`].
    ///
    /// # Panics
    ///
    /// If git prints another form.
    pub fn blame(&self, branch: usize, history: &History, revision: usize) -> io::Result<Vec<GitLine>> {
        let commit = format!("{branch}~{}", history.revisions.len() - revision);
        let printed = self.run(&["blame", "--line-porcelain", &commit, "--", &history.file])?;
        Ok(blamed_lines(&printed))
    }

    /// Returns the patches without context that lead from each revision of a branch to the next, the first from an empty text.
    ///
    /// # Errors
    ///
    /// Like [`Repository::run`].
    pub fn patches(&self, branch: usize, algorithm: &str) -> io::Result<Vec<String>> {
        let algorithm = format!("--diff-algorithm={algorithm}");
        let arguments =
            ["log", "--reverse", "--format=%x00", "-p", "-U0", "--no-color", &algorithm, &branch.to_string()];
        let printed = self.run(&arguments)?;
        Ok(String::from_utf8_lossy(&printed).split('\0').skip(1).map(str::to_owned).collect())
    }
}

/// Reads the lines of `git blame --line-porcelain`.
///
/// # Panics
///
/// If git printed another form.
pub fn blamed_lines(printed: &[u8]) -> Vec<GitLine> {
    let (mut lines, mut line) = (Vec::new(), GitLine::default());
    for printed in String::from_utf8_lossy(printed).lines() {
        match printed.split_once(' ') {
            _ if printed.starts_with('\t') => lines.push(std::mem::take(&mut line)),
            Some(("author", name)) => line.author = name.to_owned(),
            Some(("author-time", at)) => line.at = at.parse().expect("seconds"),
            Some(("summary", number)) => line.revision = number.parse().expect("a number"),
            _ => {}
        }
    }
    lines
}

/// Writes a commit of a branch, for `git fast-import`.
///
/// # Errors
///
/// Those of `git`.
pub fn commit(
    git: &mut dyn Write,
    branch: usize,
    file: &str,
    (number, version): (usize, &Version),
) -> io::Result<()> {
    let (Version { author, at, text }, number) = (version, number.to_string());
    writeln!(git, "commit refs/heads/{branch}\ncommitter {author} <{author}> {at} +0000")?;
    writeln!(git, "data {}\n{number}\nM 644 inline {file}", number.len())?;
    writeln!(git, "data {}\n{text}", text.len())
}
