//! What holds for any text and address.

use canvas_patch::strategies::hostile_markdown;
use canvas_patch::{
    Address, ContainerKind, GrepLimits, LiveOutline, Part, Query, TablePart, grep, outline, resolve,
};
use proptest::prelude::*;

use super::{AMBIGUOUS, NOT_FOUND, item, lines, section};

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn path_and_ordinal_lead_back_to_the_section(text in hostile_markdown()) {
        let outline = outline(&text);
        for (index, wanted) in outline.sections().iter().enumerate() {
            let path = outline.path(index);
            let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
            let found = resolve(&text, &section(&path, ordinal, None)).expect("it is there");
            prop_assert_eq!(found.lines, wanted.lines);
            prop_assert_eq!(&found.container_path, &outline.container_path(index));
            let again = resolve(&text, &lines(found.lines.start, found.lines.end)).expect("it is there");
            prop_assert_eq!(&again.bytes, &found.bytes);
            // A lone CR may put a quote or item on the line of a heading.
            if !text.contains('\r') {
                prop_assert_eq!(again, found);
            }
        }
    }

    #[test]
    fn parts_lie_in_the_container_of_their_section(text in hostile_markdown(), n in 1_usize..4) {
        let outline = outline(&text);
        for (index, wanted) in outline.sections().iter().enumerate() {
            let path = outline.path(index);
            let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
            for part in [item([n]), item([n, 1]), Part::Fence(n)] {
                match resolve(&text, &section(&path, ordinal, part)) {
                    Ok(found) => prop_assert!(wanted.lines.start <= found.lines.start),
                    Err(error) => prop_assert_eq!(error.candidates()[0].heading_line, wanted.heading.start),
                }
            }
        }
    }

    #[test]
    fn an_item_holds_its_items(text in hostile_markdown(), numbers in prop::collection::vec(1_usize..3, 2..4)) {
        for path in outline(&text).sections().iter().map(|section| section.title.as_str()).chain([""]) {
            let path: &[&str] = if path.is_empty() { &[] } else { &[path] };
            let at = |depth: usize| resolve(&text, &section(path, 1, Part::Item(numbers[..depth].to_vec())));
            for depth in 2..=numbers.len() {
                let Ok(inner) = at(depth) else { continue };
                let outer = at(depth - 1).expect("what holds an item is there");
                prop_assert!(outer.lines.start <= inner.lines.start && inner.lines.end <= outer.lines.end);
                prop_assert!(inner.container_path.starts_with(&outer.container_path));
                prop_assert_eq!(inner.container_path[outer.container_path.len()], ContainerKind::ListItem);
            }
        }
    }

    #[test]
    fn the_address_at_a_line_holds_it(text in hostile_markdown()) {
        let live = LiveOutline::new(text.clone());
        for line in 0..=text.lines().count() + 2 {
            let Some(address) = live.address_at(line) else { continue };
            let found = live.resolve(&address).expect("it is there");
            prop_assert!(found.lines.start <= line && line <= found.lines.end, "{line} {address:?} {found:?}");
        }
    }

    #[test]
    fn a_part_is_at_its_first_line(text in hostile_markdown(), n in 1_usize..4, m in 1_usize..3) {
        let live = LiveOutline::new(text.clone());
        let row = Part::Table(TablePart { row: Some(m), ..TablePart::whole(n) });
        for part in [item([n]), item([n, m]), Part::Fence(n), row] {
            let Ok(found) = live.resolve(&Address::Part(part)) else { continue };
            let there = live.address_at(found.lines.start).expect("a line of a part is in one");
            let there = live.resolve(&there).expect("it is there");
            // What begins on the same line may be smaller. A lone CR may put another place there.
            let has_lone_cr = text.replace("\r\n", "").contains('\r');
            prop_assert!(there.lines.start == found.lines.start || has_lone_cr);
        }
    }

    #[test]
    fn hits_are_the_lines_of_a_grep(text in hostile_markdown(), query in "[ab#>-]", n in 1_usize..4) {
        let query = Query::literal(&query).expect("it is a query");
        let found = grep(&text, &query, GrepLimits::default()).expect("it is cheap");
        let expected = found.matches.get(n - 1).map(|found| found.line);
        let hit = resolve(&text, &Address::Hit { query: query.clone(), ordinal: Some(n) });
        prop_assert_eq!(hit.ok().map(|hit| hit.lines.start), expected);
        let total = found.matches.len();
        match resolve(&text, &Address::Hit { query, ordinal: None }) {
            Ok(_) => prop_assert_eq!(total, 1),
            Err(error) => prop_assert_eq!(error.code(), if total == 0 { NOT_FOUND } else { AMBIGUOUS }),
        }
    }

    #[test]
    fn any_address_is_answered(
        text in any::<String>(),
        path in prop::collection::vec(any::<String>(), 0..3),
        ordinal in prop::option::of(any::<usize>()),
        (start, end) in (0_usize..5, 0_usize..5),
    ) {
        for part in [None, Some(item([start])), Some(item([start, end])), Some(Part::Fence(end))] {
            if let Err(error) = resolve(&text, &Address::Section { path: path.clone(), ordinal, part }) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
        let line_count = text.split_inclusive('\n').count();
        let expected = 1 <= start && start <= end && end <= line_count;
        prop_assert_eq!(resolve(&text, &lines(start, end)).is_ok(), expected);
    }
}
