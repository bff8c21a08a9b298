//! Which lines a query finds, and how much of them is returned.

use canvas_patch::{GrepError, GrepLimits, Query, grep};
use proptest::prelude::*;

const UNLIMITED: GrepLimits =
    GrepLimits { max_matches: usize::MAX, max_line_bytes: usize::MAX, max_total_bytes: usize::MAX };

/// Checks the lines that a query finds, whole.
#[track_caller]
fn check(text: &str, query: Result<Query, GrepError>, expected: &[(usize, &str)]) {
    let query = query.expect("the query is sound");
    let found = grep(text, &query, GrepLimits::default()).expect("a cheap query");
    let lines: Vec<_> = found.matches.iter().map(|found| (found.line, found.text)).collect();
    assert_eq!(lines, expected, "{query:?} in {text:?}");
    assert!(!found.truncated && found.matches.iter().all(|found| !found.clipped));
}

#[track_caller]
fn check_refused(query: Result<Query, GrepError>, code: &str, at: Option<usize>) {
    let error = query.expect_err("the query is refused");
    assert_eq!((error.code(), error.at()), (code, at), "{error}");
}

#[test]
fn literals() {
    let literal = Query::literal;
    check("", literal("a"), &[]);
    check("a", literal("a"), &[(1, "a")]);
    check("a a\nb\n\nba\n", literal("a"), &[(1, "a a"), (4, "ba")]);
    check("A\n.*\n", literal(".*"), &[(2, ".*")]);
    check("é☃\r\n☃\r\n", literal("☃"), &[(1, "é☃"), (2, "☃")]);
    check("a\r\nb\ra\n", literal("a\r"), &[]);
    check("a\rb\r\n\r\n", literal("\r"), &[(1, "a\rb")]);
    check("a\r", literal("a\r"), &[(1, "a\r")]);
    check("a\r\r\n", literal("\r"), &[(1, "a\r")]);
}

#[test]
fn expressions() {
    let regex = Query::regex;
    check("# A\ntext\n## B\n", regex("^#+ [AB]$"), &[(1, "# A"), (3, "## B")]);
    check("# A\r\n# B\r\n", regex("^# .$"), &[(1, "# A"), (2, "# B")]);
    check("a\nb\n", regex(r"a\s*b"), &[]);
    check("a\nb\n", regex("a(?s:.)b|b"), &[(2, "b")]);
    check("a\nb\nab\n", regex("a[^x]*b"), &[(3, "ab")]);
    check("a\nb", regex(r"\Ab\z"), &[(2, "b")]);
    check("a\nb\n", regex("(?-m:^)b"), &[(2, "b")]);
    check("a\n\nb\n", regex("^$"), &[(2, "")]);
    check("a\r\n\r\nb\n", regex("^$"), &[(2, "")]);
    check("a\n\n", regex("x*"), &[(1, "a"), (2, "")]);
    check("a\rb\r\n", regex("^b|a.b"), &[(1, "a\rb")]);
    check("a\r\nb", regex(r".\r|\bb"), &[(2, "b")]);
    check("Ab\nÄB\n", regex("(?i)äb"), &[(2, "ÄB")]);
    check("a\nb\n", regex("\n"), &[]);
}

#[test]
fn queries_that_are_refused() {
    check_refused(Query::literal(""), "INVALID_QUERY", None);
    check_refused(Query::regex(""), "INVALID_QUERY", None);
    check_refused(Query::literal("é\nb"), "INVALID_QUERY", Some(2));
    check_refused(Query::literal(&"a".repeat(4_097)), "QUERY_TOO_LARGE", None);
    check_refused(Query::regex(&"a".repeat(4_097)), "QUERY_TOO_LARGE", None);
    assert!(Query::literal(&"a".repeat(4_096)).is_ok() && Query::regex(&"a".repeat(4_096)).is_ok());
    check_refused(Query::regex("(a{1000}){1000}"), "QUERY_TOO_LARGE", None);
    check_refused(Query::regex("x{0,99999999}"), "QUERY_TOO_LARGE", None);
    check_refused(Query::regex("é(b"), "INVALID_REGEX", Some(2));
    check_refused(Query::regex("a[b"), "INVALID_REGEX", Some(1));
    check_refused(Query::regex("^a(b"), "INVALID_REGEX", Some(2));
    check_refused(Query::regex(r"a(?=b)"), "INVALID_REGEX", Some(1));
    check_refused(Query::regex(&"(".repeat(4_000)), "INVALID_REGEX", Some(3_999));
    check_refused(Query::regex("*"), "INVALID_REGEX", Some(0));
}

#[test]
fn what_is_returned_is_bounded() {
    let shown = |text: &str, query: &str, limits: GrepLimits| {
        let query = Query::literal(query).expect("sound");
        let found = grep(text, &query, limits).expect("a cheap query");
        let texts: Vec<_> =
            found.matches.iter().map(|found| (found.text.to_owned(), found.clipped)).collect();
        (texts, found.truncated)
    };
    let whole = |texts: &[&str]| texts.iter().map(|&text| (text.to_owned(), false)).collect::<Vec<_>>();
    let clipped = |text: &str| vec![(text.to_owned(), true)];

    let matches = |max_matches: usize| GrepLimits { max_matches, ..UNLIMITED };
    assert_eq!(shown("a\nb\na\n", "a", matches(2)), (whole(&["a", "a"]), false));
    assert_eq!(shown("a\nb\na\n", "a", matches(1)), (whole(&["a"]), true));
    assert_eq!(shown("a\n", "a", matches(0)), (vec![], true));

    let total = |max_total_bytes| GrepLimits { max_total_bytes, ..UNLIMITED };
    assert_eq!(shown("ab\nac\n", "a", total(4)), (whole(&["ab", "ac"]), false));
    assert_eq!(shown("ab\nac\n", "a", total(3)), (whole(&["ab"]), true));

    let line = |max_line_bytes| GrepLimits { max_line_bytes, ..UNLIMITED };
    assert_eq!(shown("0123456789", "0", line(10)), (whole(&["0123456789"]), false));
    assert_eq!(shown("0123456789", "0", line(4)), (clipped("0123"), false));
    assert_eq!(shown("0123456789", "5", line(4)), (clipped("4567"), false));
    assert_eq!(shown("0123456789", "9", line(4)), (clipped("6789"), false));
    assert_eq!(shown("éééééé", "é", line(3)), (clipped("é"), false));
    assert_eq!(shown("xéééxé", "x", line(4)), (clipped("xé"), false));
    assert_eq!(shown("0123", "2", line(0)), (clipped(""), false));

    let long = "b".repeat(10_000_000) + "a" + &"ab".repeat(1_000_000);
    let (texts, truncated) = shown(&long, "a", GrepLimits::default());
    assert_eq!((texts[0].0.len(), texts.len(), truncated), (1_000, 1, false));
    assert!(texts[0].0.starts_with(&("b".repeat(250) + "aab")));
}

/// Line by line, as the promise reads.
fn naive(text: &str, matches: impl Fn(&str) -> bool) -> Vec<(usize, &str)> {
    let lines = text.split_inclusive('\n').map(|line| match line.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line),
        None => line,
    });
    (1..).zip(lines).filter(|(_, line)| matches(line)).collect()
}

fn found<'t>(text: &'t str, query: &Query) -> Vec<(usize, &'t str)> {
    grep(text, query, UNLIMITED)
        .expect("a cheap query")
        .matches
        .iter()
        .map(|found| (found.line, found.text))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn a_literal_finds_what_a_scan_finds(text in "[ab\r\n\né]{0,30}", literal in "[ab\ré]{1,3}") {
        let query = Query::literal(&literal).expect("sound");
        prop_assert_eq!(found(&text, &query), naive(&text, |line| line.contains(&literal)));
    }

    // Made of everything that decides whether the text is searched whole or by line.
    #[test]
    fn an_expression_finds_what_a_scan_finds(
        text in "[ab \r\n\né]{0,30}",
        pattern in "([ab.^$]|a\\*|\\(a\\|b\\)|\\.\\*|\\.\\+|b\\?|\\\\b|\\\\B|\\\\w|\\\\s|\\\\W|\\\\A|\\\\z|\\[\\^a\\]|\\[ab\\]|\\[\\s--\\n\\]|\\\\b\\{start-half\\}|\\(\\?R:\\$\\)|a\\{2\\}|\\(\\?s:\\.\\)|\r|\\||é|\\\\<|\\\\>|\\(\\?-m:\\^\\)){1,5}",
    ) {
        let (Ok(query), Ok(regex)) = (Query::regex(&pattern), regex::RegexBuilder::new(&pattern).multi_line(true).build()) else {
            return Ok(());
        };
        prop_assert_eq!(found(&text, &query), naive(&text, |line| regex.is_match(line)), "{:?}", pattern);
    }

    #[test]
    fn any_query_is_answered(
        text in any::<String>(),
        query in any::<String>(),
        (max_matches, max_line_bytes, max_total_bytes) in (0_usize..3, 0_usize..9, 0_usize..20),
    ) {
        let limits = GrepLimits { max_matches, max_line_bytes, max_total_bytes };
        for query in [Query::literal(&query), Query::regex(&query)].into_iter().flatten() {
            let found = grep(&text, &query, limits).expect("a cheap query");
            prop_assert!(found.matches.len() <= max_matches);
            prop_assert!(found.matches.iter().all(|found| found.text.len() <= max_line_bytes));
            prop_assert!(found.matches.iter().map(|found| found.text.len()).sum::<usize>() <= max_total_bytes);
        }
    }
}

#[test]
fn expressions_that_could_take_long_are_refused_by_the_size_of_the_text() {
    let refused = |pattern: &str, bytes: usize| {
        let query = Query::regex(pattern).expect("it compiles");
        grep(&"ax".repeat(bytes / 2), &query, GrepLimits::default()).map(drop)
    };
    for (pattern, bytes, positions) in [
        ("a(a|x){2000}Z", 1_000_000, Some(2002)),
        ("a(a|x){2000}Z", 10_000, None),
        ("b{2000}", 100_000, None),
        ("b{2000}", 100_002, Some(2000)),
        ("(?:a[ax]{90}){90}Z", 100_000, Some(8191)),
        (r"\w{1,20}", 1_000_000, None),
        ("(?i)a heading of ten words or so, not more", 1_000_000, None),
        ("(a|x)*Z", 16_000_000, None),
    ] {
        let expected = positions.map_or(Ok(()), |positions| Err(GrepError::TooCostly { positions, bytes }));
        assert_eq!(refused(pattern, bytes), expected, "{pattern}");
    }
    let costly = GrepError::TooCostly { positions: 1, bytes: 1 };
    assert_eq!(costly.code(), "QUERY_TOO_LARGE");
}
