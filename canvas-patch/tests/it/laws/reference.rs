//! The applier as its definition reads: lines in vectors, no thought of speed.

use canvas_patch::Reason;

use crate::laws::strategies::Sketch;

/// Applies a unified diff exactly; `None` where it does not fit or a hunk changes nothing.
pub(crate) fn apply(text: &str, patch: &str) -> Option<String> {
    let document: Vec<&str> = text.split_inclusive('\n').collect();
    let mut lines: Vec<&str> = patch.split_inclusive('\n').collect();
    let starts = ["--- ", "+++ ", "@@"];
    if lines.len() >= starts.len() && lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)) {
        lines.drain(..2);
    }
    if lines.is_empty() || lines.iter().any(|line| !line.ends_with('\n')) {
        return None;
    }
    let mut lines = lines.into_iter().peekable();
    let (mut after, mut at) = (Vec::new(), 0);
    while let Some(header) = lines.next() {
        let (old, new) = ranges(header)?;
        let start = first_line(old)?;
        if start < at || start > document.len() || old.1 + new.1 == 0 {
            return None;
        }
        after.extend(document[at..start].iter().map(|line| (*line).to_owned()));
        at = start;
        if after.len() != first_line(new)? {
            return None;
        }
        let (mut old_left, mut new_left) = (old.1, new.1);
        let mut changes = false;
        while old_left + new_left > 0 {
            let (kind, line) = lines.next()?.split_at_checked(1)?;
            let mut line = line.to_owned();
            if let Some(marker) = lines.next_if(|line| line.starts_with("\\ ")) {
                line.pop();
                if line.is_empty() || marker.ends_with("\r\n") {
                    return None;
                }
            }
            let (is_old, is_new) = match kind {
                " " => (true, true),
                "-" => (true, false),
                "+" => (false, true),
                _ => return None,
            };
            changes |= kind != " ";
            if is_old {
                old_left = old_left.checked_sub(1)?;
                if document.get(at) != Some(&line.as_str()) {
                    return None;
                }
                at += 1;
            }
            if is_new {
                new_left = new_left.checked_sub(1)?;
                after.push(line);
            }
        }
        if !changes {
            return None;
        }
    }
    after.extend(document[at..].iter().map(|line| (*line).to_owned()));
    let inner = &after[..after.len().saturating_sub(1)];
    inner.iter().all(|line| line.ends_with('\n')).then(|| after.concat())
}

type Range = (usize, usize);

fn ranges(header: &str) -> Option<(Range, Range)> {
    let (numbers, section) = header.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = numbers.split_once(" +")?;
    (section == "\n" || section.starts_with(' ')).then_some((range(old)?, range(new)?))
}

fn range(text: &str) -> Option<Range> {
    let number = |digits: &str| {
        if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
    };
    match text.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(text)?, 1)),
    }
}

fn first_line((start, count): Range) -> Option<usize> {
    if count == 0 { Some(start) } else { start.checked_sub(1) }
}

/// The pre-image of each hunk of a built patch, line by line without terminators.
pub(crate) fn pre_images(patch: &str) -> Vec<Vec<&str>> {
    let mut sides = Vec::new();
    for line in patch.lines() {
        if line.starts_with("@@") {
            sides.push(Vec::new());
        } else if let Some(old) = line.strip_prefix([' ', '-']) {
            sides.last_mut().expect("a patch begins with a header").push(old);
        }
    }
    sides
}

/// The lines, from 0, where `needle` occurs in a text.
pub(crate) fn places(text: &str, needle: &[&str]) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle).map(|(i, _)| i).collect()
}

/// A conflict: its hunk, reason and candidates.
pub(crate) type Found = (usize, Reason, Vec<usize>);

/// Applies hunks without numbers to a text of LF lines.
pub(crate) fn anchored(sketch: &Sketch) -> Result<String, Vec<Found>> {
    let text = sketch.text();
    let (mut starts, mut conflicts) = (Vec::new(), Vec::new());
    for (i, hunk) in sketch.hunks.iter().enumerate() {
        if hunk.iter().all(|(kind, _)| *kind == ' ') {
            conflicts.push((i + 1, Reason::NoEffect, Vec::new()));
        }
        let old: Vec<&str> =
            hunk.iter().filter(|(kind, _)| *kind != '+').map(|(_, line)| line.as_str()).collect();
        if old.is_empty() && !text.is_empty() {
            conflicts.push((i + 1, Reason::NoAnchor, Vec::new()));
            continue;
        }
        if old.is_empty() {
            starts.push(0);
            continue;
        }
        match places(&text, &old)[..] {
            [] => conflicts.push((i + 1, Reason::NotFound, Vec::new())),
            [place] => starts.push(place),
            ref all => {
                conflicts.push((i + 1, Reason::Ambiguous, all.iter().map(|place| place + 1).collect()));
            }
        }
    }
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut removed = vec![false; lines.len()];
    let mut inserted = vec![String::new(); lines.len() + 1];
    // Of each hunk: the lines that it quotes, those of them that it removes, and the points that its changes touch.
    let mut extents: Vec<(Vec<usize>, Vec<usize>, Vec<usize>)> = Vec::new();
    for (i, (hunk, &start)) in sketch.hunks.iter().zip(&starts).enumerate() {
        let mut at = start;
        let (mut quoted, mut gone, mut touched) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, line) in hunk {
            if *kind != ' ' {
                touched.push(at);
            }
            if *kind == '+' {
                inserted[at] += &format!("{line}\n");
                continue;
            }
            quoted.push(at);
            if *kind == '-' {
                removed[at] = true;
                gone.push(at);
                touched.push(at + 1);
            }
            at += 1;
        }
        let meets = |a: &[usize], b: &[usize]| a.iter().any(|x| b.contains(x));
        let overlaps = extents.iter().any(|(quoted_before, gone_before, touched_before)| {
            let (first, last) = (touched[0], touched_before[touched_before.len() - 1]);
            let end = quoted_before.last().map_or(0, |line| line + 1);
            meets(&gone, quoted_before)
                || meets(gone_before, &quoted)
                || first < last
                || first == last && start < end
        });
        if i > 0 && start < starts[i - 1] {
            conflicts.push((i + 1, Reason::Misordered, Vec::new()));
        } else if overlaps {
            conflicts.push((i + 1, Reason::Overlap, Vec::new()));
        } else {
            extents.push((quoted, gone, touched));
        }
    }
    if !conflicts.is_empty() {
        return Err(conflicts);
    }
    let mut after = String::new();
    for (at, inserted) in inserted.iter().enumerate() {
        after += inserted;
        if let Some(line) = lines.get(at).filter(|_| !removed[at]) {
            after += &format!("{line}\n");
        }
    }
    Ok(after)
}
