//! Outlines and addresses beside cmark, over the examples of the CommonMark specification, each in five forms.
//!
//! `.ci/commonmark` makes the file of examples; without it the test prints SKIPPED.

use std::collections::BTreeMap;

use canvas_patch::{Address, ContainerKind, Part, Resolved, outline, resolve};
use serde_json::Value;

/// Texts for which cmark 0.30.2 gives other lines, by the number of the example, with a letter for its form: `c` with
/// CRLF, `q` in a quote, `i` in an item, `n` in a quote nested in an item. Everything else about them must agree.
///
/// That we know tables and strikethrough makes no difference in any of them, nor do the changes of the specification
/// since that version.
const DIFFERENT: &[(Differs, &[&str])] = &[
    (
        Differs::HeadingEnd,
        &[
            "59", "59c", "59q", "59i", "59n", "80", "80c", "80q", "80i", "80n", "83", "83c", "83q", "83i",
            "83n", "84", "84c", "84q", "84n", "91", "91c", "91q", "91i", "91n", "96q", "96i", "96n", "103",
            "103c", "103q", "103i", "103n", "115", "115c", "115q", "115i", "115n", "141", "141c", "141q",
            "141i", "141n", "300", "300c", "300q", "300i", "300n",
        ],
    ),
    (Differs::HeadingLines, &["215", "215c", "215q", "215i", "215n"]),
    (
        Differs::FenceEnd,
        &[
            "128", "128c", "128q", "128i", "128n", "131i", "132i", "133i", "136i", "237", "237c", "237q",
            "237i", "237n",
        ],
    ),
    (Differs::FrontMatter, &["96", "96c"]),
    (Differs::BlankStart, &["117i", "227i"]),
];

#[derive(Debug, Clone, Copy)]
enum Differs {
    /// cmark counts the line after the underline as part of the heading, unless the text ends there.
    HeadingEnd,
    /// And starts a heading at the link definition that its paragraph began with.
    HeadingLines,
    /// cmark counts the line after a container as part of a fence that the end of the container ends.
    FenceEnd,
    /// We read the first three lines as front matter. What follows differs as in `HeadingEnd`.
    FrontMatter,
    /// An item of two blank lines, the second of them indented: by the specification it ends at that, for cmark it
    /// goes on.
    BlankStart,
}

#[test]
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test is a host, and counts are its result"
)]
fn examples_of_the_specification() {
    let Ok(path) = std::env::var("CANVAS_COMMONMARK") else {
        return println!("SKIPPED: examples of CommonMark (no CANVAS_COMMONMARK, see .ci/commonmark)");
    };
    let examples = std::fs::read_to_string(path).expect("CANVAS_COMMONMARK names a file");
    let expected: BTreeMap<_, _> = DIFFERENT
        .iter()
        .flat_map(|(differs, names)| names.iter().map(move |&name| (name, *differs)))
        .collect();
    let (mut agreed, mut compared, mut wrong) = (0, 0, Vec::new());
    for line in examples.lines() {
        let example: Value = serde_json::from_str(line).expect("the examples are JSON lines");
        let name = example["name"].as_str().expect("an example has a name");
        let text = example["text"].as_str().expect("an example has a text");
        let blocks = read_blocks(text, &example["blocks"]);
        let (ours, theirs) = (Seen::of_ours(text), Seen::of_theirs(text, &blocks));
        compared += theirs.blocks.len() + theirs.around_lines.len();
        match (ours == theirs, expected.get(name)) {
            (true, None) => agreed += 1,
            (true, Some(differs)) => wrong.push(format!("{name} no longer differs ({differs:?})")),
            (false, Some(differs)) if ours.without(*differs) == theirs.without(*differs) => {}
            (false, _) => wrong.push(format!("{name} {text:?}\n  ours   {ours:?}\n  theirs {theirs:?}")),
        }
    }
    let checked = examples.lines().count();
    for (differs, names) in DIFFERENT {
        println!("commonmark: {differs:?} differs: {}", names.join(" "));
    }
    let listed = expected.len();
    println!(
        "commonmark: {checked} texts, {compared} blocks and lines; {agreed} agree, {listed} differ as listed"
    );
    assert_eq!(checked, 652 * 5);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Texts of GitHub's examples, and drawn ones, for which cmark-gfm 0.29.0.gfm.6 finds other blocks, or begins them on
/// other lines.
const DIFFERENT_AT_GITHUB: &[(&str, &[&str])] = &[
    ("our front matter", &["spec-66", "spec-66c"]),
    (
        "a heading begins after the link definitions above it",
        &["spec-184", "spec-184c", "spec-184q", "spec-184i", "spec-184n"],
    ),
    (
        "it lets a tag end a paragraph that goes on lazily; CommonMark does not",
        &[
            "drawn-10",
            "drawn-10c",
            "drawn-10q",
            "drawn-10i",
            "drawn-10n",
            "drawn-208",
            "drawn-208c",
            "drawn-208q",
            "drawn-208i",
            "drawn-208n",
            "drawn-248",
            "drawn-248c",
            "drawn-248q",
            "drawn-248i",
            "drawn-248n",
            "drawn-280",
            "drawn-280c",
            "drawn-280q",
            "drawn-280i",
            "drawn-280n",
            "drawn-282",
            "drawn-282c",
            "drawn-282q",
            "drawn-282i",
            "drawn-282n",
            "drawn-405",
            "drawn-405c",
            "drawn-405q",
            "drawn-405i",
            "drawn-405n",
        ],
    ),
    (
        "a tag below a table that pulldown-cmark does not see",
        &["drawn-373", "drawn-373c", "drawn-373q", "drawn-373i", "drawn-373n"],
    ),
];

#[test]
#[expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a test is a host, and counts are its result"
)]
fn examples_of_github() {
    let path = std::env::var("CANVAS_GITHUB").unwrap_or_default();
    if path.is_empty() {
        return println!("SKIPPED: examples of GitHub (no CANVAS_GITHUB, see .ci/commonmark)");
    }
    let examples = std::fs::read_to_string(path).expect("CANVAS_GITHUB names a file");
    let expected: BTreeMap<_, _> = DIFFERENT_AT_GITHUB
        .iter()
        .flat_map(|(reason, names)| names.iter().map(move |&name| (name, *reason)))
        .collect();
    let (mut agreed, mut pathological, mut wrong) = (0, 0, Vec::new());
    for line in examples.lines() {
        let example: Value = serde_json::from_str(line).expect("the examples are JSON lines");
        let name = example["name"].as_str().expect("an example has a name");
        let text = example["text"].as_str().expect("an example has a text");
        if example["blocks"].is_null() {
            pathological += 1;
            assert!(outline(text).sections().is_empty(), "{name}");
            continue;
        }
        let blocks = read_blocks(text, &example["blocks"]);
        let (mut ours, mut theirs) = (Seen::of_ours(text).starts(), Seen::of_theirs(text, &blocks).starts());
        if name.starts_with("drawn") {
            // Tables that pulldown-cmark does not see would end for some items.
            ours.retain(|(_, kind)| kind.starts_with("heading"));
            theirs.retain(|(_, kind)| kind.starts_with("heading"));
        }
        match (ours == theirs, expected.get(name)) {
            (true, None) => agreed += 1,
            (true, Some(reason)) => wrong.push(format!("{name} no longer differs ({reason})")),
            (false, Some(_)) => {}
            (false, None) => wrong.push(format!("{name} {text:?}\n  ours   {ours:?}\n  theirs {theirs:?}")),
        }
    }
    for (reason, names) in DIFFERENT_AT_GITHUB {
        println!("github: {} differ ({reason}): {}", names.len(), names.join(" "));
    }
    let (checked, listed) = (examples.lines().count(), expected.len());
    println!(
        "github: {checked} texts, {pathological} of them pathological; {agreed} agree, {listed} differ as listed"
    );
    assert!(pathological > 15 && checked > 700 * 5, "the examples are not all here");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
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
        let mut around_lines = self.around_lines.clone();
        let mut blocks = self.blocks.clone();
        if matches!(differs, Differs::FrontMatter) {
            blocks.retain(|(start, ..)| *start > 3);
        }
        if matches!(differs, Differs::BlankStart) {
            blocks.retain(|(_, _, kind, _)| kind != "item");
            around_lines.clear();
        }
        for (start, end, kind, around) in &mut blocks {
            match differs {
                Differs::HeadingEnd | Differs::FrontMatter if kind.starts_with("heading") => *end = *start,
                Differs::HeadingLines if kind.starts_with("heading") => (*start, *end) = (0, 0),
                Differs::FenceEnd if kind == "fence" => *end = *start,
                Differs::BlankStart => around.clear(),
                _ => {}
            }
        }
        blocks.sort();
        Self { blocks, around_lines }
    }

    /// Headings, items and fences with the lines that they begin on. cmark-gfm ends many of them a line too late.
    fn starts(&self) -> Vec<(usize, String)> {
        let mut starts: Vec<_> =
            self.blocks.iter().map(|(start, _, kind, _)| (*start, kind.clone())).collect();
        starts.sort();
        starts
    }

    fn of_theirs(text: &str, blocks: &[Theirs<'_>]) -> Self {
        let mut seen: Vec<_> = blocks
            .iter()
            .filter(|block| !matches!(block.kind, "quote" | "footnote"))
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
                "footnote" => Some('^'),
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
        ContainerKind::Footnote => '^',
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
        while matches!(kind, "item" | "quote" | "footnote")
            && end > start
            && lines.get(end - 1).is_none_or(|line| line.trim_matches(blank).is_empty())
        {
            end -= 1;
        }
        Theirs { kind, start, end, level: number("level"), around }
    };
    blocks.as_array().expect("an example has blocks").iter().map(read).collect()
}
