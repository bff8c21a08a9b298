//! Outlines and addresses beside cmark, over the examples of the CommonMark specification.
//!
//! `.ci/commonmark` makes the file of examples; without it, said aloud, nothing is checked.

use std::collections::BTreeMap;

use canvas_patch::{Address, ContainerKind, Part, Resolved, outline, resolve};
use serde_json::Value;

/// Examples for which cmark 0.30.2 gives other lines. Everything else about them must agree.
///
/// That we know tables and strikethrough makes no difference in any example, nor do the changes of the
/// specification since that version.
const DIFFERENT: &[(u64, Differs)] = &[
    (59, Differs::HeadingEnd),
    (80, Differs::HeadingEnd),
    (83, Differs::HeadingEnd),
    (84, Differs::HeadingEnd),
    (91, Differs::HeadingEnd),
    (96, Differs::FrontMatter),
    (103, Differs::HeadingEnd),
    (115, Differs::HeadingEnd),
    (128, Differs::FenceEnd),
    (141, Differs::HeadingEnd),
    (215, Differs::HeadingLines),
    (237, Differs::FenceEnd),
    (300, Differs::HeadingEnd),
];

#[derive(Debug, Clone, Copy)]
enum Differs {
    /// cmark counts the line after the underline as part of the heading, unless the text ends there.
    HeadingEnd,
    /// And starts a heading at the link definition that its paragraph began with.
    HeadingLines,
    /// We read the first three lines as front matter. What follows differs as in `HeadingEnd`.
    FrontMatter,
    /// cmark counts the line after the quote as part of a fence that the end of the quote ends.
    FenceEnd,
}

#[test]
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test is a host, and counts are its result"
)]
fn examples_of_the_specification() {
    let Ok(path) = std::env::var("CANVAS_COMMONMARK") else {
        return println!("commonmark: absent, nothing checked");
    };
    let examples = std::fs::read_to_string(path).expect("CANVAS_COMMONMARK names a file");
    let expected: BTreeMap<_, _> = DIFFERENT.iter().copied().collect();
    let (mut agreed, mut compared, mut wrong) = (0, 0, Vec::new());
    for line in examples.lines() {
        let example: Value = serde_json::from_str(line).expect("the examples are JSON lines");
        let number = example["number"].as_u64().expect("an example has a number");
        let text = example["text"].as_str().expect("an example has a text");
        let blocks = read_blocks(text, &example["blocks"]);
        let (ours, theirs) = (Seen::of_ours(text), Seen::of_theirs(text, &blocks));
        compared += theirs.blocks.len() + theirs.around_lines.len();
        match (ours == theirs, expected.get(&number)) {
            (true, None) => agreed += 1,
            (true, Some(differs)) => wrong.push(format!("{number} no longer differs ({differs:?})")),
            (false, Some(differs)) if ours.without(*differs) == theirs.without(*differs) => {
                println!("commonmark: example {number} differs: {differs:?}");
            }
            (false, _) => wrong.push(format!("{number} {text:?}\n  ours   {ours:?}\n  theirs {theirs:?}")),
        }
    }
    let checked = examples.lines().count();
    println!(
        "commonmark: {checked} examples, {compared} blocks and lines; {agreed} agree, {} differ as listed",
        DIFFERENT.len()
    );
    assert_eq!(checked, 652);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is compared of an example.
#[derive(Debug, PartialEq)]
struct Seen {
    /// Headings with their level, items and fences: first and last line, and what is around them.
    blocks: Vec<(usize, usize, String, String)>,
    /// What is around each line that is not blank.
    around_lines: Vec<(usize, String)>,
}

impl Seen {
    fn of_ours(text: &str) -> Self {
        let outline = outline(text);
        let mut blocks = Vec::new();
        let mut paths = vec![(Vec::new(), 1)];
        for (index, section) in outline.sections().iter().enumerate() {
            let path = outline.path(index);
            let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
            paths.push((path.into_iter().map(str::to_owned).collect(), ordinal));
            let kind = format!("heading {}", section.level);
            blocks.push((
                section.heading.start,
                section.heading.end,
                kind,
                markers(&outline.container_path(index)),
            ));
        }
        for (path, ordinal) in paths {
            let at = |part: Part| {
                let address =
                    Address::Section { path: path.clone(), ordinal: Some(ordinal), part: Some(part) };
                resolve(text, &address).ok()
            };
            let fences = (1..).map_while(|number| at(Part::Fence(number)));
            blocks.extend(fences.map(|found| shown("fence", &found)));
            let mut holders = vec![Vec::new()];
            while let Some(holder) = holders.pop() {
                let path = |number: usize| holder.iter().copied().chain([number]).collect::<Vec<_>>();
                let items: Vec<_> = (1..).map_while(|number| at(Part::Item(path(number)))).collect();
                assert!(
                    items.is_sorted_by_key(|item| item.lines.start),
                    "items are numbered in order: {text:?}"
                );
                holders.extend((1..=items.len()).map(path));
                blocks.extend(items.iter().map(|found| shown("item", found)));
            }
        }
        blocks.sort();
        let around = |line| {
            let found = resolve(text, &Address::Lines { start: line, end: line }).expect("the line is there");
            (line, markers(&found.container_path))
        };
        Self { blocks, around_lines: content_lines(text).map(around).collect() }
    }

    /// All but the lines that are known to differ.
    fn without(&self, differs: Differs) -> Self {
        let mut blocks = self.blocks.clone();
        if matches!(differs, Differs::FrontMatter) {
            blocks.retain(|(start, ..)| *start > 3);
        }
        for (start, end, kind, _) in &mut blocks {
            match differs {
                Differs::HeadingEnd | Differs::FrontMatter if kind.starts_with("heading") => *end = *start,
                Differs::HeadingLines if kind.starts_with("heading") => (*start, *end) = (0, 0),
                Differs::FenceEnd if kind == "fence" => *end = *start,
                _ => {}
            }
        }
        Self { blocks, around_lines: self.around_lines.clone() }
    }

    fn of_theirs(text: &str, blocks: &[Theirs<'_>]) -> Self {
        let mut seen: Vec<_> = blocks
            .iter()
            .filter(|block| block.kind != "quote")
            .map(|block| {
                let level = if block.level > 0 { format!(" {}", block.level) } else { String::new() };
                (block.start, block.end, format!("{}{level}", block.kind), block.around.to_owned())
            })
            .collect();
        seen.sort();
        let around = |line| {
            let holds = |block: &&Theirs<'_>| block.start <= line && line <= block.end;
            let marker = |block: &Theirs<'_>| match block.kind {
                "quote" => Some('>'),
                "item" => Some('-'),
                _ => None,
            };
            (line, blocks.iter().filter(holds).filter_map(marker).collect())
        };
        Self { blocks: seen, around_lines: content_lines(text).map(around).collect() }
    }
}

fn shown(kind: &str, found: &Resolved) -> (usize, usize, String, String) {
    (found.lines.start, found.lines.end, kind.to_owned(), markers(&found.container_path))
}

fn markers(containers: &[ContainerKind]) -> String {
    let marker = |kind: &ContainerKind| match kind {
        ContainerKind::Quote => '>',
        ContainerKind::ListItem => '-',
    };
    containers.iter().map(marker).collect()
}

fn content_lines(text: &str) -> impl Iterator<Item = usize> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).map(|(line, _)| line)
}

/// A block as cmark sees it, without blank lines at its end.
struct Theirs<'j> {
    kind: &'j str,
    start: usize,
    end: usize,
    level: u64,
    around: &'j str,
}

fn read_blocks<'j>(text: &str, blocks: &'j Value) -> Vec<Theirs<'j>> {
    let lines: Vec<_> = text.lines().collect();
    let read = |block: &'j Value| {
        let number = |name: &str| block[name].as_u64().unwrap_or_else(|| panic!("{block} has no {name}"));
        let string = |name: &str| block[name].as_str().unwrap_or_else(|| panic!("{block} has no {name}"));
        let line = |name| usize::try_from(number(name)).expect("it is the number of a line");
        let (kind, start, mut end, around) = (string("kind"), line("start"), line("end"), string("around"));
        let blank: &[char] = if around.contains('>') { &[' ', '\t', '>'] } else { &[' ', '\t'] };
        while matches!(kind, "item" | "quote") && end > start && lines[end - 1].trim_matches(blank).is_empty()
        {
            end -= 1;
        }
        Theirs { kind, start, end, level: number("level"), around }
    };
    blocks.as_array().expect("an example has blocks").iter().map(read).collect()
}
