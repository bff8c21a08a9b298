//! Built patches, as they are and with faults, on their own text and on others.
#![no_main]

use canvas_fuzz::{BETWEEN, check_both, strictly, texts};
use canvas_patch::{
    ApplyOptions, BuildOptions, DiffExcerpt, Limits, Mode, apply, build, build_unique, word_changes,
};
use libfuzzer_sys::fuzz_target;

// The bytes after the two texts say how much context is shown, and what is done to the patch.
fuzz_target!(|data: &[u8]| {
    let [before, after, _] = texts(data);
    let mut orders = data.splitn(3, |&byte| byte == BETWEEN).nth(2).unwrap_or_default().iter().copied();
    let mut order = || usize::from(orders.next().unwrap_or_default());

    let options = BuildOptions { context: order() % 5, widest_context: order() % 12 };
    let patch = build(&before, &after, options.context);
    assert_eq!(patch.is_empty(), before == after);
    if patch.is_empty() {
        return;
    }
    assert_eq!(strictly(&before, &patch).as_deref(), Ok(after.as_str()));
    check_both(&before, &patch);
    check_both(&after, &patch);
    check_words(&before, &after);

    let built = build_unique(&before, &after, &options);
    let applied = apply(&before, &built.patch, &ApplyOptions::default()).expect("a built patch applies");
    assert_eq!((applied.text(), applied.spans()), (after.as_str(), built.spans));
    if built.ambiguous.is_empty() && !built.patch.contains("\n--- ") {
        check_numberless(&before, &after, &built.patch);
    }

    let mut lines: Vec<String> = patch.split_inclusive('\n').map(str::to_owned).collect();
    for _ in 0..order() % 4 {
        let (what, at) = (order(), order());
        fault(&mut lines, what, at);
    }
    let patch = lines.concat();
    check_both(&before, &patch);
    check_both(&after, &patch);
    if let Some(near) = DiffExcerpt::touching(&before, &patch, &built.patch, &Limits::default()) {
        let hunks = |diff: &str| diff.lines().filter(|line| line.starts_with("@@")).count();
        assert_eq!(hunks(&near.diff) + near.left_out, hunks(&built.patch));
    }
});

fn check_words(before: &str, after: &str) {
    let (mut old_at, mut new_at) = (0, 0);
    for change in word_changes(before, after) {
        assert_eq!(before[old_at..change.old.start], after[new_at..change.new.start]);
        assert_ne!(before[change.old.clone()], after[change.new.clone()]);
        (old_at, new_at) = (change.old.end, change.new.end);
    }
    assert_eq!(before[old_at..], after[new_at..]);
}

/// Hunks that stand at one place each need no numbers.
fn check_numberless(before: &str, after: &str, patch: &str) {
    let bare: String =
        patch.split_inclusive('\n').map(|line| if line.starts_with("@@") { "@@\n" } else { line }).collect();
    let content =
        |text: &str| -> Vec<String> { text.split_inclusive('\n').map(without_terminator).collect() };
    match apply(before, &bare, &ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() }) {
        // An inserted line takes the terminator of its neighbours.
        Ok(applied) => assert_eq!(content(applied.text()), content(after)),
        Err(refused) => assert_eq!(content(before), content(after), "{refused}"),
    }
}

fn without_terminator(line: &str) -> String {
    let content = line.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    content.unwrap_or(line).to_owned()
}

fn fault(lines: &mut Vec<String>, what: usize, at: usize) {
    if lines.is_empty() {
        return;
    }
    let at = at % lines.len();
    match what % 8 {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = what / 8 % lines.len();
            lines.swap(at, other);
        }
        3 => {
            const INSERTED: [&str; 8] =
                ["\\ No newline\n", "@@ -1 +1 @@\n", "@@\n", " a\n", "-b\n", "+a\n", "\n", "a\n"];
            lines.insert(at, INSERTED[what / 8 % INSERTED.len()].to_owned());
        }
        4 => lines.truncate(at),
        5 => lines[at] = lines[at].trim_end().to_owned(),
        _ => {
            let header = lines.iter_mut().filter(|line| line.starts_with("@@")).nth(at % 3);
            let number = (what / 8 % 10).to_string();
            if let Some(line) = header
                && let Some(digit) = line.find(|c: char| c.is_ascii_digit())
            {
                line.replace_range(digit..=digit, &number);
            }
        }
    }
}
