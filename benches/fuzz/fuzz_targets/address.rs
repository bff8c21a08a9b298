//! Any address on any text, as JSON and as a value.
#![no_main]

use canvas_fuzz::{check_lines, texts};
use canvas_patch::{Address, LiveOutline, Part, Resolved, resolve};
use libfuzzer_sys::fuzz_target;

// A text, an address in JSON, and the titles of a path, one a line.
fuzz_target!(|data: &[u8]| {
    let [text, json, titles] = texts(data);
    let live = LiveOutline::new(text.clone());
    if let Ok(address) = serde_json::from_str::<Address>(&json) {
        let json = serde_json::to_string(&address).expect("an address is JSON");
        assert_eq!(serde_json::from_str::<Address>(&json).ok().as_ref(), Some(&address), "{json}");
        check(&live, &address);
    }

    let path: Vec<String> = titles.lines().map(str::to_owned).collect();
    let at = |ordinal, part| check(&live, &Address::Section { path: path.clone(), ordinal, part });
    let section = at(None, None);
    assert!(section.is_none() || path.is_empty() || at(Some(1), None) == section, "one is the first");
    for ordinal in [None, Some(1), Some(2)] {
        for part in [Part::Item(vec![1]), Part::Item(vec![2, 1]), Part::Fence(1), Part::Fence(2)] {
            let found = at(ordinal, Some(part));
            // A lone CR may put a part of what comes before the first heading on the line of that heading.
            let holder = at(ordinal, None).is_some() || path.is_empty() && text.contains('\r');
            assert!(found.is_none() || holder, "what holds a part is there");
        }
    }
    let outline = live.outline();
    for (index, section) in outline.sections().iter().enumerate().take(50) {
        let path: Vec<String> = outline.path(index).into_iter().map(str::to_owned).collect();
        let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
        let found = check(&live, &Address::Section { path, ordinal: Some(ordinal), part: None });
        assert_eq!(found.expect("a section has an address").lines, section.lines);
    }
    check(&live, &Address::FrontMatter);
});

/// The place, if there is one: inside the text, and the same however it is found.
fn check(live: &LiveOutline, address: &Address) -> Option<Resolved> {
    let text = live.text();
    let found = resolve(text, address);
    assert_eq!(live.resolve(address), found);
    match found {
        Ok(found) => {
            check_lines(text, found.lines);
            let by_lines = Address::Lines { start: found.lines.start, end: found.lines.end };
            assert_eq!(resolve(text, &by_lines).expect("the lines are there").bytes, found.bytes);
            let lines = text[found.bytes.clone()].split_inclusive('\n').count();
            assert_eq!(lines, found.lines.end + 1 - found.lines.start);
            Some(found)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.code().is_empty());
            None
        }
    }
}
