//! Texts that people typed at once, from `traces` in `CANVAS_DATA`, and what three-way merges make of them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use canvas_patch::merge_words;
use flate2::read::GzDecoder;
use serde::Deserialize;

/// Names of sessions in the folder.
pub const SESSIONS: [&str; 2] = ["friendsforever", "clownschool"];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded {
    end_content: String,
    num_agents: usize,
    txns: Vec<Transaction>,
}

#[derive(Debug, Deserialize)]
struct Transaction {
    parents: Vec<usize>,
    agent: usize,
    patches: Vec<(usize, usize, String)>,
}

/// Two texts typed on one base at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triple {
    /// The text before both.
    pub base: String,
    /// The text with the keystrokes of one side.
    pub mine: String,
    /// The text with the keystrokes of the other side.
    pub theirs: String,
    /// The text with all keystrokes of both.
    pub both: String,
}

/// For each agent, the number of its transactions.
type Version = Vec<usize>;

/// A transaction by its agent and number among the agent's.
type Stamp = (usize, usize);

struct Typed {
    char: char,
    inserted: Stamp,
    deleted: Vec<Stamp>,
}

impl Typed {
    fn is_in(&self, version: &Version) -> bool {
        let has = |(agent, number): Stamp| number < version[agent];
        has(self.inserted) && !self.deleted.iter().copied().any(has)
    }
}

/// Plays up to `most` transactions of a session, and returns the texts at every `saves`-th place at which two versions
/// join, as if nobody had seen others' keystrokes since the last such place. With 1, these are the texts that people saw.
/// `None` if the folder does not have the session.
///
/// # Panics
///
/// If the whole session does not lead to its recorded end.
pub fn triples(session: &str, most: usize, saves: usize) -> Option<Vec<Triple>> {
    let data = std::env::var_os("CANVAS_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let file = File::open(data.join(format!("traces/concurrent_{session}.json.gz"))).ok()?;
    let Recorded { end_content, num_agents, txns } =
        serde_json::from_reader(GzDecoder::new(file)).expect("a trace is JSON of this form");
    let (mut typed, mut versions, mut triples): (Vec<Typed>, Vec<Version>, _) =
        (Vec::new(), Vec::new(), Vec::new());
    let (mut joined, mut last) = (0, vec![0; num_agents]);
    for txn in txns.iter().take(most) {
        let mut version = vec![0; num_agents];
        for (nth, &parent) in txn.parents.iter().enumerate() {
            let before = version.clone();
            let other = &versions[parent];
            version = before.iter().zip(other).map(|(a, b)| *a.max(b)).collect();
            if nth > 0 {
                joined += 1;
                if joined % saves > 0 {
                    continue;
                }
                let shared: Version = before.iter().zip(other).map(|(a, b)| *a.min(b)).collect();
                let base = if saves > 1 { last } else { shared };
                let is_mine = |agent: usize| before[agent] > other[agent];
                let side = |mine: bool| {
                    let at = |agent| if is_mine(agent) == mine { version[agent] } else { base[agent] };
                    (0..num_agents).map(at).collect()
                };
                let [base, mine, theirs, both] =
                    [&base, &side(true), &side(false), &version].map(|version| text(&typed, version));
                triples.push(Triple { base, mine, theirs, both });
                last = version.clone();
            }
        }
        let stamp = (txn.agent, version[txn.agent]);
        version[txn.agent] += 1;
        for (at, deleted, inserted) in &txn.patches {
            play(&mut typed, &version, stamp, (*at, *deleted, inserted));
        }
        versions.push(version);
    }
    if txns.len() <= most {
        let last = versions.last().expect("a session has transactions");
        assert!(text(&typed, last) == end_content, "{session} ends in another text");
    }
    Some(triples)
}

fn text(typed: &[Typed], version: &Version) -> String {
    typed.iter().filter(|typed| typed.is_in(version)).map(|typed| typed.char).collect()
}

fn play(
    typed: &mut Vec<Typed>,
    version: &Version,
    stamp: Stamp,
    (at, deleted, inserted): (usize, usize, &str),
) {
    let seen = typed.iter().enumerate().filter(|(_, typed)| typed.is_in(version)).map(|(index, _)| index);
    let seen: Vec<_> = seen.skip(at.saturating_sub(1)).take(deleted + 1).collect();
    let (before, gone) = if at == 0 { (None, &seen[..deleted]) } else { (Some(seen[0]), &seen[1..]) };
    for &index in gone {
        typed[index].deleted.push(stamp);
    }
    let start = before.map_or(0, |index| index + 1);
    let new = |char| Typed { char, inserted: stamp, deleted: Vec::new() };
    typed.splice(start..start, inserted.chars().map(new));
}

/// Numbers of triples by their results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Triples in which both typed.
    pub all: usize,
    /// Merged by lines alone.
    pub by_line: usize,
    /// Merged with at least one line by words.
    pub by_word: usize,
    /// Refused, by the cause.
    pub refused: BTreeMap<String, usize>,
    /// Merged into a text that has all keystrokes in another order, or more.
    pub differing: usize,
    /// Merged into a text that lacks a character of that with all keystrokes.
    pub lost: usize,
    /// Merged by `git merge-file`, or zero without git.
    pub git: usize,
}

/// Merges triples, and with `git` in a folder of its own by `git merge-file` too.
///
/// # Errors
///
/// Those of files and of starting git.
///
/// # Panics
///
/// If a merge does not fit its own text.
pub fn count(triples: &[Triple], git: Option<&Path>) -> io::Result<Counts> {
    let mut counts = Counts::default();
    for triple in triples.iter().filter(|triple| triple.mine != triple.base && triple.theirs != triple.base) {
        counts.all += 1;
        match merge_words(&triple.base, &triple.mine, &triple.theirs, |_| true) {
            Ok(merged) => {
                let text = merged.delta.apply(&triple.theirs).expect("it is of their text");
                *(if merged.lines.is_empty() { &mut counts.by_line } else { &mut counts.by_word }) += 1;
                let is_lost = lacks(&text, &triple.both);
                counts.lost += usize::from(is_lost);
                counts.differing += usize::from(!is_lost && text != triple.both);
            }
            Err(conflict) => *counts.refused.entry(format!("{:?}", conflict.cause)).or_default() += 1,
        }
        if let Some(folder) = git {
            counts.git += usize::from(is_merged_by_git(triple, folder)?);
        }
    }
    Ok(counts)
}

/// Whether a text has fewer of some character than another.
fn lacks(text: &str, wanted: &str) -> bool {
    let mut left: BTreeMap<char, usize> = BTreeMap::new();
    text.chars().for_each(|char| *left.entry(char).or_default() += 1);
    let takes = |char| left.get_mut(&char).and_then(|left| left.checked_sub(1).map(|fewer| *left = fewer));
    wanted.chars().map(takes).any(|taken| taken.is_none())
}

fn is_merged_by_git(triple: &Triple, folder: &Path) -> io::Result<bool> {
    for (name, text) in [("mine", &triple.mine), ("base", &triple.base), ("theirs", &triple.theirs)] {
        fs::write(folder.join(name), text)?;
    }
    let mut git = Command::new("git");
    git.args(["merge-file", "-p", "mine", "base", "theirs"]).current_dir(folder);
    Ok(git.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success())
}
