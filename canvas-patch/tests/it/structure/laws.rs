//! What holds for any text and edit.

use canvas_patch::strategies::hostile_markdown;
use canvas_patch::{
    Address, Column, Destination, ItemChange, LiveOutline, MatchCount, Part, Query, SectionPath,
    StructureEdit, TableChange, TablePart, YamlValue, edit_structure, outline,
};
use proptest::prelude::*;

use super::edited;

/// A text of lines that begin, continue and end blocks, with and without line ends.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "# A\n",
        "## B\n",
        "## B ##\n",
        "A\n===\n",
        "b\n---\n",
        "\n",
        "\n",
        "text\n",
        "text\r\n",
        "- a\n",
        "- [ ] t\n",
        "  - [x] u\n",
        "1. a\n",
        "2. b\n",
        "   c\n",
        "10) d\n",
        "> q\n",
        "> # Q\n",
        "> - q\n",
        "```\n",
        "~~~\n",
        "    code\n",
        "<div>\n",
        "<!-- x\n",
        "| a | b |\n",
        "|---|:-:|\n",
        "| 1 | \\| |\n",
        "| 1 | `|` | 3 |\n",
        "a | b\n",
        "- | -\n",
        "x |\n",
        ":-:\n",
        "[^1]: n\n",
        "[l]: #a\n",
        "[l](#a) [^1]\n",
        "\t- tab\n",
        "- | a |\n",
        "  | - |\n",
        "---\n",
        "k: v\n",
        "m:\n  n: [1, 2]\n",
        "+++\n",
        "a\rb\n",
        "é 🌍\n",
    ]);
    let lines = prop::collection::vec(line, 0..24).prop_map(|lines| lines.concat());
    let with_front_matter = lines.prop_flat_map(|text| {
        let starts = [
            "",
            "\u{feff}",
            "---\nk: v\na: {b: c}\n---\n",
            "---\nk: 'v' # c\nl:\n- x\n- y\n---\n\n",
            "---\nk: |\n  v\n---\n",
        ];
        (prop::sample::select(starts.to_vec()), prop::bool::ANY).prop_map(move |(start, cut)| {
            let text = format!("{start}{text}");
            if cut { text.trim_end_matches('\n').to_owned() } else { text }
        })
    });
    prop_oneof![4 => with_front_matter, 1 => hostile_markdown()]
}

fn address(text: &str) -> BoxedStrategy<Address> {
    let outline = outline(text);
    let mut paths: Vec<(Vec<String>, Option<usize>)> = vec![(Vec::new(), None)];
    for index in 0..outline.sections().len() {
        let path: Vec<String> = outline.path(index).into_iter().map(str::to_owned).collect();
        let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
        paths.push((path, Some(ordinal)));
    }
    let part = prop_oneof![
        (1_usize..4).prop_map(|n| Part::Item(vec![n])),
        (1_usize..3, 1_usize..3).prop_map(|(n, m)| Part::Item(vec![n, m])),
        (1_usize..3).prop_map(Part::Fence),
        (1_usize..4).prop_map(Part::Paragraph),
        (1_usize..3).prop_map(|n| Part::Table(TablePart::whole(n))),
        (1_usize..3, 1_usize..3).prop_map(|(table, row)| Part::Table(TablePart {
            table,
            row: Some(row),
            column: None
        })),
        Just(Part::Body),
    ];
    let section = prop::sample::select(paths);
    prop_oneof![
        6 => section.clone().prop_map(|(path, ordinal)| Address::Section { path, ordinal, part: None }),
        2 => (section, part.clone()).prop_map(|((path, ordinal), part)| Address::Section { path, ordinal, part: Some(part) }),
        3 => part.prop_map(Address::Part),
        1 => (1_usize..8, 0_usize..3).prop_map(|(start, more)| Address::Lines { start, end: start + more }),
        1 => Just(Address::Footnote("1".into())),
        1 => prop::sample::select(vec!["k", "a.b", "m.n", "l"]).prop_map(|key| Address::Key(key.into())),
        1 => Just(Address::FrontMatter),
    ]
    .boxed()
}

fn value() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        prop::sample::select(vec![
            "", "x", "a | b", "- l", "# h", "``` ", "[x]: y", "| |", "\\", "é", "a\nb", "1. a", "> q", "===",
            "[^1]: x", "<div>"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,8}",
    ]
}

fn change() -> impl Strategy<Value = TableChange> {
    let column = prop_oneof![(1_usize..4).prop_map(Column::Number), Just(Column::Header("a".into()))];
    let cells = prop::collection::vec(value(), 0..4);
    prop_oneof![
        (1_usize..4, column.clone(), value()).prop_map(|(row, column, value)| TableChange::Set {
            row,
            column,
            value
        }),
        (1_usize..4, cells.clone()).prop_map(|(at, cells)| TableChange::InsertRow { at, cells }),
        (1_usize..4).prop_map(|row| TableChange::RemoveRow { row }),
        (1_usize..4, 1_usize..4).prop_map(|(row, to)| TableChange::MoveRow { row, to }),
        (1_usize..4, value(), cells).prop_map(|(at, name, cells)| TableChange::InsertColumn {
            at,
            name,
            cells
        }),
        column.clone().prop_map(|column| TableChange::RemoveColumn { column }),
        (column, 1_usize..4).prop_map(|(column, to)| TableChange::MoveColumn { column, to }),
    ]
}

fn edit(text: &str) -> BoxedStrategy<StructureEdit> {
    let (from, to, at) = (address(text), address(text), address(text));
    let outline = outline(text);
    let paths: Vec<_> = (0..outline.sections().len())
        .map(|index| outline.path(index).into_iter().map(str::to_owned).collect::<Vec<_>>())
        .chain([vec!["A".to_owned()]])
        .collect();
    let section = prop::sample::select(paths).prop_map(|path| SectionPath { path, ordinal: Some(1) });
    let within = prop::option::of(section.clone());
    let numbers = prop::collection::vec(1_usize..4, 1..3);
    let to = (to, 0..3).prop_map(|(to, kind)| match kind {
        0 => Destination::Before(to),
        1 => Destination::After(to),
        _ => Destination::Into(to),
    });
    let item = prop_oneof![
        prop::bool::ANY.prop_map(ItemChange::Check),
        value().prop_map(ItemChange::InsertAfter),
        Just(ItemChange::Remove),
        numbers.clone().prop_map(ItemChange::MoveTo),
    ];
    let yaml = prop_oneof![
        Just(YamlValue::Null),
        any::<bool>().prop_map(YamlValue::Bool),
        any::<i64>().prop_map(YamlValue::Int),
        any::<f64>().prop_map(YamlValue::Float),
        ".{0,12}".prop_map(YamlValue::Text),
        value().prop_map(YamlValue::Text),
        prop::collection::vec("[ -~]{0,6}".prop_map(YamlValue::Text), 0..4).prop_map(YamlValue::List),
    ];
    let key =
        prop::sample::select(vec!["k", "a.b", "a.c", "m.n", "l", "new", "x: y", "new.b.c", "1", "null"]);
    prop_oneof![
        6 => (from, to, prop::option::weighted(0.3, -2_i8..4)).prop_map(|(from, to, shift)| StructureEdit::Move { from, to, shift }),
        2 => at.prop_map(|at| StructureEdit::Delete { at }),
        1 => (section.clone(), -3_i8..5).prop_map(|(section, by)| StructureEdit::Shift { section, by }),
        2 => (section, value(), prop::bool::ANY).prop_map(|(section, title, links)| StructureEdit::Rename { section, title, links }),
        4 => (within.clone(), 1_usize..3, change()).prop_map(|(section, table, change)| StructureEdit::Table { section, table, change }),
        4 => (within.clone(), numbers, item).prop_map(|(section, item, change)| StructureEdit::Item { section, item, change }),
        1 => (within, 1_usize..3).prop_map(|(section, list)| StructureEdit::Renumber { section, list }),
        2 => (key, prop::option::of(yaml)).prop_map(|(key, value)| StructureEdit::FrontMatter { key: key.into(), value }),
        1 => (prop::sample::select(vec!["a", "|", "- "]), value(), 0_usize..4).prop_map(|(find, with, count)| {
            StructureEdit::ReplaceAll { query: Query::literal(find).unwrap(), with, count: MatchCount::Matches(count) }
        }),
    ]
    .boxed()
}

fn text_and_edit() -> impl Strategy<Value = (String, StructureEdit)> {
    text().prop_flat_map(|text| {
        let edit = edit(&text);
        (Just(text), edit)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    /// Every edit is undone by its inverse, JSON brings it back, and an outline that is kept makes the same edit.
    #[test]
    fn an_edit_is_undone_and_repeatable((text, edit) in text_and_edit()) {
        let json = serde_json::to_string(&edit).unwrap();
        if !matches!(edit, StructureEdit::FrontMatter { value: Some(YamlValue::Float(_)), .. }) {
            prop_assert_eq!(&serde_json::from_str::<StructureEdit>(&json).unwrap(), &edit, "{}", json);
        }
        let live = LiveOutline::new(text.clone());
        let result = edited(&text, &edit);
        prop_assert_eq!(&result, &live.edit_structure(&edit));
        let Ok(made) = result else { return Ok(()) };
        // What sets a state has no effect twice.
        let again = edit_structure(&made.text, &edit);
        let sets = match &edit {
            StructureEdit::Table { change, .. } => matches!(change, TableChange::Set { .. }),
            StructureEdit::Item { change, .. } => matches!(change, ItemChange::Check(_)),
            StructureEdit::FrontMatter { .. } | StructureEdit::Renumber { .. } => true,
            _ => false,
        };
        prop_assert!(!sets || again.is_err(), "{:?}", again);
    }

    /// A cell reads as the value that was set.
    #[test]
    fn a_cell_reads_as_set((text, table, row, column, value) in (text(), 1_usize..3, 1_usize..4, 1_usize..4, "[ -~]{0,8}")) {
        let change = TableChange::Set { row, column: Column::Number(column), value: value.clone() };
        if let Ok(made) = edit_structure(&text, &StructureEdit::Table { section: None, table, change }) {
            let cell = TablePart { table, row: Some(row), column: Some(Column::Number(column)) };
            let place = canvas_patch::resolve(&made.text, &Address::Part(Part::Table(cell))).unwrap();
            let read = made.text[place.bytes].replace("\\|", "|");
            prop_assert_eq!(read, value.trim().replace("\\|", "|"));
        }
    }
}
