//! Real texts, whose sections move, whose headings are renamed, and whose cells and keys are set, there and back.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};

use canvas_patch::{
    Address, Column, Destination, ItemChange, LiveOutline, MatchCount, Part, Query, SectionPath,
    StructureEdit, StructureError, TableChange, TablePart, TextEdit, YamlValue,
};
use serde_json::json;

use crate::corpus::{field, rows, say};

/// What became of the edits of one kind.
#[derive(Default)]
struct Tally {
    restored: usize,
    refused: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn count(&mut self, result: Result<(), StructureError>) {
        match result {
            Ok(()) => self.restored += 1,
            Err(error) => *self.refused.entry(error.code()).or_default() += 1,
        }
    }
}

/// Makes an edit, checks its inverse, and returns the outline of the new text.
fn made(live: &LiveOutline, edit: &StructureEdit) -> Result<LiveOutline, StructureError> {
    let text = live.text();
    let edited = live.edit_structure(edit)?;
    assert_eq!(edited.delta.inverse().apply(&edited.text).as_deref(), Ok(text), "{edit:?}");
    record(edit, text, &edited.text);
    Ok(LiveOutline::new(edited.text))
}

/// Writes one edit in `CANVAS_PAIRS_EVERY`, with both texts, to the file that `CANVAS_PAIRS` names, for the judges of
/// `.ci/structure`. Edits of front matter and numbers are few, so it writes each of them.
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test is a host")]
fn record(edit: &StructureEdit, before: &str, after: &str) {
    static PAIRS: LazyLock<Option<Mutex<std::fs::File>>> = LazyLock::new(|| {
        let path = std::env::var("CANVAS_PAIRS").ok()?;
        Some(Mutex::new(std::fs::File::create(&path).unwrap_or_else(|e| panic!("{path}: {e}"))))
    });
    static EVERY: LazyLock<usize> = LazyLock::new(|| {
        let every = std::env::var("CANVAS_PAIRS_EVERY").expect("it says how many pairs to write");
        every.parse().expect("a number")
    });
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let Some(pairs) = &*PAIRS else { return };
    // Large texts take long to render.
    let every = if before.len() < 2_000 { *EVERY } else { 50 * *EVERY };
    let is_rare = matches!(edit, StructureEdit::FrontMatter { .. } | StructureEdit::Renumber { .. });
    if is_rare || SEEN.fetch_add(1, Ordering::Relaxed) % every == 0 {
        let pair = json!({"edit": edit, "before": before, "after": after});
        writeln!(pairs.lock().unwrap(), "{pair}").expect("a pair is written");
    }
}

/// Makes an edit and another one, which must restore the text.
fn there_and_back(
    live: &LiveOutline,
    there: &StructureEdit,
    back: &StructureEdit,
) -> Result<(), StructureError> {
    let after = made(live, there)?;
    let restored = made(&after, back).unwrap_or_else(|error| panic!("{back:?}: {error}\n{}", after.text()));
    assert_eq!(restored.text(), live.text(), "{there:?}");
    Ok(())
}

/// Names a section so that no other one is meant.
fn path_of(live: &LiveOutline, index: usize) -> SectionPath {
    let outline = live.outline();
    let path: Vec<String> = outline.path(index).into_iter().map(str::to_owned).collect();
    let same = (0..index).filter(|&other| outline.path(other) == path).count();
    SectionPath { path, ordinal: Some(same + 1) }
}

fn address(SectionPath { path, ordinal }: SectionPath) -> Address {
    Address::Section { path, ordinal, part: None }
}

fn sections(live: &LiveOutline, moved: &mut Tally, renamed: &mut Tally) {
    let sections = live.outline().sections();
    for (index, section) in sections.iter().enumerate() {
        let is_sibling = |other: &usize| {
            let other = &sections[*other];
            (other.parent, other.container, other.level) == (section.parent, section.container, section.level)
        };
        if let Some(above) = (0..index).rev().find(is_sibling) {
            let up = StructureEdit::Move {
                from: address(path_of(live, index)),
                to: Destination::Before(address(path_of(live, above))),
                shift: None,
            };
            // After the move, the two have changed places.
            moved.count(made(live, &up).map(|after| {
                let outline = after.outline();
                let heading = sections[above].heading.start;
                let now =
                    outline.sections().iter().position(|section| section.heading.start >= heading).unwrap();
                let next = (now + 1..outline.sections().len()).find(|&at| {
                    let other = &outline.sections()[at];
                    other.level == section.level && other.title == sections[above].title
                });
                let down = StructureEdit::Move {
                    from: address(path_of(&after, now)),
                    to: Destination::After(address(path_of(&after, next.unwrap()))),
                    shift: None,
                };
                let back = made(&after, &down).unwrap_or_else(|error| panic!("{down:?}: {error}"));
                assert_eq!(back.text(), live.text(), "{up:?}");
            }));
        }
        let rename = |path: SectionPath, title: &str| StructureEdit::Rename {
            section: path,
            title: title.into(),
            // A link in percent would come back without it, because the other anchor needs none.
            links: !live.text().contains('%'),
        };
        let there = rename(path_of(live, index), "A *title* that is not there");
        renamed.count(live.edit_structure(&there).and_then(|edited| {
            let is_title = |one: &&TextEdit| one.new.ends_with("A *title* that is not there");
            let title = edited.delta.edits().iter().find(is_title).expect("the title is an edit").old.clone();
            let after = made(live, &there)?;
            // An empty title, and one of several lines, cannot be given back by a name.
            if title.is_empty() || title.contains('\n') {
                return Ok(());
            }
            let back = rename(path_of(&after, index), &title);
            let restored = made(&after, &back).unwrap_or_else(|error| panic!("{back:?}: {error}"));
            assert_eq!(restored.text(), live.text(), "{back:?}");
            Ok(())
        }));
    }
}

fn tables(live: &LiveOutline, tally: &mut Tally) {
    let cell = |table, row, column| {
        let column = Some(Column::Number(column));
        live.resolve(&Address::Part(Part::Table(TablePart { table, row: Some(row), column })))
    };
    for table in 1.. {
        if live.resolve(&Address::Part(Part::Table(TablePart::whole(table)))).is_err() {
            break;
        }
        for row in 1.. {
            if cell(table, row, 1).is_err() {
                break;
            }
            for column in 1.. {
                let Ok(place) = cell(table, row, column) else { break };
                let value = &live.text()[place.bytes];
                let set = |value: &str| {
                    let (column, value) = (Column::Number(column), value.to_owned());
                    StructureEdit::Table {
                        section: None,
                        table,
                        change: TableChange::Set { row, column, value },
                    }
                };
                // A value of the same width keeps the padding.
                let other = if value.is_empty() { "x".into() } else { "y".repeat(value.chars().count()) };
                let result = match value {
                    "" => made(live, &set(&other)).map(|_| ()),
                    value => there_and_back(live, &set(&other), &set(value)),
                };
                tally.count(result);
            }
        }
    }
}

/// Inserts, moves and removes rows and columns. A row and a column that come and go leave no trace.
fn rows_and_columns(live: &LiveOutline, tally: &mut Tally) {
    for table in 1.. {
        let part = |row, column: Option<usize>| {
            let column = column.map(Column::Number);
            live.resolve(&Address::Part(Part::Table(TablePart { table, row, column }))).is_ok()
        };
        if !part(None, None) {
            break;
        }
        let rows = (1..).take_while(|&row| part(Some(row), None)).count();
        let change = |change| StructureEdit::Table { section: None, table, change };
        let cells = || vec!["new".to_owned(), "a | b".to_owned()];
        for at in [1, rows + 1] {
            let there = change(TableChange::InsertRow { at, cells: cells() });
            tally.count(there_and_back(live, &there, &change(TableChange::RemoveRow { row: at })));
        }
        for row in [1, rows] {
            tally.count(made(live, &change(TableChange::RemoveRow { row })).map(|_| ()));
        }
        let there = change(TableChange::MoveRow { row: 1, to: rows });
        tally.count(there_and_back(live, &there, &change(TableChange::MoveRow { row: rows, to: 1 })));
        for at in [1, 2] {
            let column = Column::Number(at);
            let there = change(TableChange::InsertColumn { at, name: "new".into(), cells: cells() });
            tally.count(made(live, &there).map(|_| ()));
            tally.count(made(live, &change(TableChange::RemoveColumn { column })).map(|_| ()));
        }
        let column = Column::Number(1);
        tally.count(made(live, &change(TableChange::MoveColumn { column, to: 2 })).map(|_| ()));
    }
}

/// Deletes and shifts sections, and numbers lists.
fn levels_and_numbers(live: &LiveOutline, tally: &mut Tally) {
    for index in 0..live.outline().sections().len() {
        let section = path_of(live, index);
        tally.count(made(live, &StructureEdit::Delete { at: address(section.clone()) }).map(|_| ()));
        for by in [-1, 1] {
            tally.count(made(live, &StructureEdit::Shift { section: section.clone(), by }).map(|_| ()));
        }
    }
    // Most lists are numbered well.
    let ones: String = live.text().split_inclusive('\n').map(with_a_one).collect();
    let ones = LiveOutline::new(ones);
    for list in 1..=60 {
        match made(&ones, &StructureEdit::Renumber { section: None, list }) {
            Err(StructureError::Address(_)) => break,
            result => tally.count(result.map(|_| ())),
        }
    }
}

/// The line with 1 as the number of its item, if it begins one of an ordered list.
fn with_a_one(line: &str) -> String {
    let rest = line.trim_start_matches(' ');
    let item = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item = item.len() < rest.len() && [". ", ") "].iter().any(|end| item.starts_with(end));
    if is_item { format!("{}1{item}", &line[..line.len() - rest.len()]) } else { line.to_owned() }
}

/// Three words of at least six small letters that a page shows as they are: no names of HTML. Labels fold case.
fn words(text: &str) -> BTreeMap<&str, usize> {
    const HTML: [&str; 5] = ["checked", "disabled", "footnotes", "language", "section"];
    let (lower, mut words) = (text.to_lowercase(), BTreeMap::new());
    let is_small = |word: &&str| word.len() > 5 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    for word in text.split(|c: char| !c.is_ascii_alphabetic()).filter(is_small) {
        let is_name = HTML.iter().any(|name| name.contains(word)) || word.starts_with("http");
        let is_tag = ["<", "</", "&"].iter().any(|sign| text.contains(&format!("{sign}{word}")));
        let count = text.matches(word).count();
        if !is_name && !is_tag && lower.matches(word).count() == count {
            words.insert(word, count);
        }
        if words.len() == 3 {
            break;
        }
    }
    words
}

fn replacements(live: &LiveOutline, tally: &mut Tally) {
    const NEW: &str = "zzquzz";
    for (word, count) in words(live.text()).into_iter() {
        let replace = |find: &str, with: &str| StructureEdit::ReplaceAll {
            query: Query::literal(find).expect("a word is a query"),
            with: with.into(),
            count: MatchCount::Matches(count),
        };
        tally.count(there_and_back(live, &replace(word, NEW), &replace(NEW, word)));
    }
}

fn keys(live: &LiveOutline, tally: &mut Tally) {
    let Ok(place) = live.resolve(&Address::FrontMatter) else { return };
    for line in live.text()[place.bytes].lines().filter(|line| !line.starts_with([' ', '#', '-'])) {
        let Some((key, _)) = line.split_once(':') else { continue };
        let set = |value| StructureEdit::FrontMatter { key: key.trim_matches(['"', '\'']).into(), value };
        tally.count(made(live, &set(Some(YamlValue::Text("a: # \"value\"".into())))).map(|_| ()));
        tally.count(made(live, &set(None)).map(|_| ()));
    }
}

fn items(live: &LiveOutline, tally: &mut Tally) {
    for number in 1..=60 {
        let item = |change| StructureEdit::Item { section: None, item: vec![number], change };
        if live.resolve(&Address::Part(Part::Item(vec![number]))).is_err() {
            break;
        }
        for change in [ItemChange::InsertAfter("new".into()), ItemChange::Remove, ItemChange::MoveTo(vec![1])]
        {
            tally.count(made(live, &item(change)).map(|_| ()));
        }
        let check = |is_done| item(ItemChange::Check(is_done));
        if let Ok(checked) = made(live, &check(true)) {
            let back = made(&checked, &check(false)).expect("a checked task can be unchecked");
            assert_eq!(back.text(), live.text());
        }
    }
}

#[derive(Default)]
struct Tallies {
    moved: Tally,
    renamed: Tally,
    cells: Tally,
    keyed: Tally,
    listed: Tally,
    tabled: Tally,
    leveled: Tally,
    replaced: Tally,
}

impl Tallies {
    fn edit(&mut self, text: &str) {
        let live = LiveOutline::new(text.to_owned());
        sections(&live, &mut self.moved, &mut self.renamed);
        tables(&live, &mut self.cells);
        keys(&live, &mut self.keyed);
        items(&live, &mut self.listed);
        rows_and_columns(&live, &mut self.tabled);
        levels_and_numbers(&live, &mut self.leveled);
        replacements(&live, &mut self.replaced);
    }

    fn say(self) -> [(&'static str, Tally); 8] {
        let all = [
            ("moves", self.moved),
            ("renames", self.renamed),
            ("cells", self.cells),
            ("keys", self.keyed),
            ("items", self.listed),
            ("rows and columns", self.tabled),
            ("levels and numbers", self.leveled),
            ("replacements", self.replaced),
        ];
        for (name, Tally { restored, refused }) in &all {
            say(&format!("{name}: {restored} made and undone, refused {refused:?}"));
        }
        all
    }
}

/// The last texts of histories, and examples of Markdown, which `.ci/structure` writes to a file.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test is a host")]
fn texts_of_judges_are_restored() {
    let Ok(path) = std::env::var("CANVAS_TEXTS") else {
        return say("SKIPPED: the texts of .ci/structure (no CANVAS_TEXTS)");
    };
    let texts = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let mut tallies = Tallies::default();
    for line in texts.lines() {
        tallies.edit(&serde_json::from_str::<String>(line).expect("each line is a text"));
    }
    let restored = tallies.say().map(|(name, tally)| (name, tally.restored));
    assert!(restored.iter().all(|(name, restored)| *restored > 0 || *name == "keys"), "{restored:?}");
}

#[test]
fn real_texts_are_restored() {
    let mut tallies = Tallies::default();
    for row in rows("changes.jsonl", "corpus_dev.jsonl") {
        tallies.edit(field(&row, "before"));
        tallies.edit(field(&row, "after"));
    }
    for (name, Tally { restored, refused }) in tallies.say() {
        // An edit may have no effect, no level or column may be left, and a few would change how other text reads.
        let is_expected = |code: &str| ["NO_EFFECT", "LEVEL_OUT_OF_RANGE", "TABLE_SHAPE"].contains(&code);
        let refused: usize =
            refused.iter().filter(|(code, _)| !is_expected(code)).map(|(_, count)| count).sum();
        assert!(restored > 0 && refused * 500 <= restored, "{name}: {refused} of {restored} refused");
    }
}
