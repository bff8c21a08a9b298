//! Any query on any text, beside a search of every line by itself.
#![no_main]

use canvas_fuzz::texts;
use canvas_patch::{Address, GrepLimits, Query, grep, resolve};
use libfuzzer_sys::fuzz_target;
use regex::RegexBuilder;

// A text, a query, and up to three bytes for the limits.
fuzz_target!(|data: &[u8]| {
    let [text, query, limits] = texts(data);
    if let Ok(literal) = Query::literal(&query) {
        check(&text, &literal, &limits, |line| line.contains(&query));
    } else {
        assert!(query.is_empty() || query.len() > 4_096 || query.contains('\n'));
    }
    if let Ok(expression) = Query::regex(&query) {
        let reference = RegexBuilder::new(&query).multi_line(true).build().expect("it has compiled once");
        check(&text, &expression, &limits, |line| reference.is_match(line));
    }
});

fn check(text: &str, query: &Query, limits: &str, is_hit: impl Fn(&str) -> bool) {
    let all = GrepLimits { max_matches: usize::MAX, max_line_bytes: usize::MAX, max_total_bytes: usize::MAX };
    let Ok(found) = grep(text, query, all) else { return };
    let lines = (1..).zip(text.split_inclusive('\n').map(content));
    let expected: Vec<_> = lines.filter(|(_, line)| is_hit(line)).collect();
    let got: Vec<_> = found.matches.iter().map(|hit| (hit.line, hit.text)).collect();
    assert_eq!(got, expected);
    assert!(!found.truncated && found.matches.iter().all(|hit| !hit.clipped));

    let mut bytes = limits.bytes().map(usize::from).chain([3, 9, 40]);
    let mut number = || bytes.next().unwrap_or_default();
    let limits =
        GrepLimits { max_matches: number(), max_line_bytes: number(), max_total_bytes: number() * 4 };
    let some = grep(text, query, limits).expect("it has run once");
    assert!(some.matches.len() <= limits.max_matches);
    assert!(some.matches.iter().map(|hit| hit.text.len()).sum::<usize>() <= limits.max_total_bytes);
    assert_eq!(some.truncated, some.matches.len() < expected.len());
    for (hit, (line, whole)) in some.matches.iter().zip(&expected) {
        assert_eq!((hit.line, hit.clipped), (*line, hit.text.len() < whole.len()));
        assert!(whole.contains(hit.text) && hit.text.len() <= limits.max_line_bytes);
    }

    let only = resolve(text, &Address::Hit { query: query.clone(), ordinal: None });
    assert_eq!(only.is_ok(), expected.len() == 1);
    let last = Address::Hit { query: query.clone(), ordinal: Some(expected.len()) };
    let last = resolve(text, &last).map(|found| found.lines.end).ok();
    assert_eq!(last, expected.last().map(|(line, _)| *line));
}

fn content(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line),
        None => line,
    }
}
