//! What every history of a canvas must keep to, whatever the clocks say. It knows no rule of the lease beyond this:
//! numbers rise, a write lands under its own lease, only the user takes lines away, nothing is there twice, and what
//! was never done is nowhere.

use canvas_core::store::Head;

use super::checker::Asked;
use super::model::{Command, Who, line};

/// A head that was stored, and the lines of its text.
pub(crate) struct Moment {
    pub(crate) head: std::sync::Arc<Head>,
    pub(crate) text: Vec<String>,
}

impl Moment {
    fn numbers(&self) -> [u64; 4] {
        let lock = self.head.lock();
        [self.head.revision().get(), lock.epoch().get(), lock.fence().get(), lock.turn().get()]
    }

    fn epoch(&self) -> u64 {
        self.head.lock().epoch().get()
    }
}

/// Judges all that was stored, oldest first, beside all that was answered.
pub(crate) fn judge(moments: &[Moment], heard: &[(Asked, String)]) -> Result<(), String> {
    for moment in moments {
        let mut lines = moment.text.clone();
        lines.sort();
        if lines.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!("a line is there twice: {:?}", moment.text));
        }
    }
    for pair in moments.windows(2) {
        follows(&pair[0], &pair[1])?;
    }
    heard.iter().try_for_each(|(asked, answer)| kept(moments, heard, asked, answer))
}

fn follows(before: &Moment, after: &Moment) -> Result<(), String> {
    let (old, new) = (before.numbers(), after.numbers());
    if new.iter().zip(old).any(|(new, old)| *new < old) || new[0] > old[0] + 1 {
        return Err(format!("the numbers went from {old:?} to {new:?}"));
    }
    if (new[0] == old[0]) != (before.text == after.text) && !after.head.is_deleted() {
        return Err(format!("revisions {} and {} of {:?} and {:?}", old[0], new[0], before.text, after.text));
    }
    let taken = before.text.iter().find(|line| !after.text.contains(line));
    match taken {
        Some(line) if before.epoch() == after.epoch() => {
            Err(format!("{line} is lost, and no user was there"))
        }
        _ => Ok(()),
    }
}

/// What was answered is in the history: a write where its revision says, under its lease, and nothing else beside.
fn kept(moments: &[Moment], heard: &[(Asked, String)], asked: &Asked, answer: &str) -> Result<(), String> {
    let written = |number: &u32| moments.iter().any(|moment| moment.text.contains(&line(*number)));
    let writes = |other: &&(Asked, String)| other.0.op == asked.op;
    if answer == "NEVER" {
        let line = heard.iter().filter(writes).find_map(|(asked, _)| match asked.command {
            Command::Write { line, .. } => line,
            _ => None,
        });
        return match line {
            Some(number) if written(&number) => Err(format!("line {number} was never done and is there")),
            _ => Ok(()),
        };
    }
    let Command::Write { lease: Some((fence, epoch)), line: Some(number), .. } = asked.command else {
        return Ok(());
    };
    let Some(revision) = answer.strip_prefix("OK-r").and_then(|revision| revision.parse::<u64>().ok()) else {
        let is_refused = answer != "CANVAS_NOT_FOUND" && answer != "CALL_ID_REUSED";
        return if is_refused && written(&number) {
            Err(format!("line {number} was refused ({answer}) and is there"))
        } else {
            Ok(())
        };
    };
    let at = moments.iter().position(|moment| moment.head.revision().get() == revision);
    let Some(at) = at.filter(|at| *at > 0) else {
        return Err(format!("revision {revision} was never stored"));
    };
    let (before, after) = (&moments[at - 1], &moments[at]);
    let mut expected = before.text.clone();
    expected.insert(1.min(expected.len()), line(number));
    let lease = after.head.lock().lease();
    let is_own = lease.is_some_and(|lease| {
        let holder: Option<Who> =
            [Who::One, Who::Two].into_iter().find(|who| who.name() == lease.holder.as_str());
        (lease.id.fence().get(), lease.id.epoch().get(), holder) == (fence, epoch, Some(asked.op.who))
    });
    if after.text != expected || !is_own {
        return Err(format!(
            "line {number} under lease {fence}-{epoch} made {:?} of {:?}, the lease was then {lease:?}",
            after.text, before.text
        ));
    }
    Ok(())
}
