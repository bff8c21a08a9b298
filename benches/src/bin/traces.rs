//! Merges texts that people typed at once, and prints the shares merged by lines, by words and by `git merge-file`.

use std::io::{self, Write as _};

use canvas_benches::traces::{Counts, SESSIONS, count, triples};

/// Numbers of places at which recorded versions join, for each merge.
const SAVES: [usize; 4] = [1, 5, 20, 100];

fn main() -> io::Result<()> {
    let folder = std::env::temp_dir().join(format!("canvas-traces-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let out = &mut io::stdout().lock();
    for (session, saves) in SESSIONS.into_iter().flat_map(|session| SAVES.map(|saves| (session, saves))) {
        let Some(triples) = triples(session, usize::MAX, saves) else {
            writeln!(io::stderr(), "{session}: not run: `traces` of `CANVAS_DATA` does not have it")?;
            continue;
        };
        let Counts { all, by_line, by_word, refused, differing, lost, git } = count(&triples, Some(&folder))?;
        let share = |count: usize| 100.0 * count as f64 / all as f64;
        writeln!(
            out,
            "{session}, every {saves}: {all} merges: {by_line} by lines ({:.1} %), {by_word} by words ({:.1} %), refused {refused:?}; \
             {differing} in another order than typed, {lost} without a keystroke; git merges {git} ({:.1} %)",
            share(by_line),
            share(by_word),
            share(git)
        )?;
    }
    std::fs::remove_dir_all(&folder)
}
