//! Outlines of any text, kept up to date through an edit and back.
#![no_main]

use std::fmt::Debug;

use canvas_fuzz::{check_lines, texts};
use canvas_patch::{ChangedHeading, Delta, LiveOutline, Outline, StructureChange, outline};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [before, after] = texts(data);
    let (old, new) = (outline(&before), outline(&after));
    check_outline(&before, &old);
    check_outline(&after, &new);
    let delta = Delta::between(&before, &after);
    let mut live = LiveOutline::new(before.clone());
    assert_eq!(live.outline(), &old);
    // What the edit gains and loses, derived from the edit and counted.
    let change = live.change(&after, delta.edits());
    assert_eq!(without_lines(&change), without_lines(&live.change(&after, &[])));
    let grown = change.headings_gained.len() as isize - change.headings_lost.len() as isize;
    assert_eq!(grown, new.sections().len() as isize - old.sections().len() as isize);
    live.edit(after, delta.edits());
    assert_eq!(live.outline(), &new);
    live.edit(before, delta.inverse().edits());
    assert_eq!(live.outline(), &old);
});

/// Several headings that are alike: which of them is the new one has more than one answer.
fn without_lines(change: &StructureChange) -> impl PartialEq + Debug + use<> {
    let titles = |headings: &[ChangedHeading]| {
        let mut titles: Vec<_> = headings.iter().map(|one| (one.level, one.title.clone())).collect();
        titles.sort();
        titles
    };
    let (gained, lost) = (titles(&change.headings_gained), titles(&change.headings_lost));
    (gained, lost, change.items, change.fences, change.front_matter)
}

fn check_outline(text: &str, outline: &Outline) {
    let sections = outline.sections();
    if let Some(lines) = outline.front_matter() {
        check_lines(text, lines);
        assert_eq!(lines.start, 1);
    }
    for (index, section) in sections.iter().enumerate() {
        check_lines(text, section.lines);
        check_lines(text, section.heading);
        assert_eq!(section.lines.start, section.heading.start);
        assert!(section.heading.end <= section.lines.end && (1..=6).contains(&section.level));
        if let Some(parent) = section.parent {
            let lines = sections[parent].lines;
            assert!(parent < index && lines.start <= section.lines.start && section.lines.end <= lines.end);
        }
        assert_eq!(outline.path(index).last(), Some(&section.title.as_str()));
    }
    assert!(sections.is_sorted_by_key(|section| section.heading.start));
}
