//! Parts of a copied line that the text often lacks, such as a number before it, HTML entities, or dots in place of
//! omitted lines.

/// Returns the line without the number that replies put before it, as in `35: Text`, `L35: Text`, `35<tab>Text`, `35 |
/// Text` and `35→Text`.
pub(crate) fn without_number(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(' ');
    let number = number.strip_prefix('L').unwrap_or(number);
    let rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
    if !(1..=9).contains(&(number.len() - rest.len())) {
        return None;
    }
    let after = [": ", "\t", " | ", "| ", "→"].iter().find_map(|mark| rest.strip_prefix(mark));
    after.or_else(|| [":", " |", "|"].contains(&rest).then_some(""))
}

/// Returns the line with its HTML entities decoded, or `None` if it has none.
pub(crate) fn unescaped(line: &str) -> Option<String> {
    const ENTITIES: [(&str, char); 6] =
        [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&#39;", '\''), ("&apos;", '\'')];
    let mut plain = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        plain.push_str(before);
        let known = ENTITIES.iter().find_map(|(name, c)| Some((entity.strip_prefix(name)?, *c)));
        let (after, c) = known.unwrap_or_else(|| (&entity[1..], '&'));
        plain.push(c);
        rest = after;
    }
    plain.push_str(rest);
    (plain != line).then_some(plain)
}

/// Whether a line is an ellipsis for omitted lines.
pub(crate) fn is_elision(line: &str) -> bool {
    matches!(line.trim(), "..." | "…" | "[...]" | "(...)" | "// ..." | "# ..." | "<!-- ... -->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_lines() {
        for (line, rest) in [
            ("35: ## Meta", Some("## Meta")),
            ("L7: x", Some("x")),
            ("   12\tx", Some("x")),
            ("12 | x", Some("x")),
            ("12|", Some("")),
            ("     3→text", Some("text")),
            ("3→", Some("")),
            ("36:", Some("")),
            ("36: ", Some("")),
            ("1234567890: x", None),
            ("12. x", None),
            (": x", None),
            ("12:30 lunch", None),
            ("x 12: y", None),
        ] {
            assert_eq!(without_number(line), rest, "{line:?}");
        }
    }

    #[test]
    fn entities() {
        for (line, plain) in [
            ("&gt;&gt; 2&lt;3", Some(">> 2<3")),
            ("&amp;lt;", Some("&lt;")),
            ("a &quot;b&#39;&apos;", Some("a \"b''")),
            ("R&D &nbsp; &", None),
        ] {
            assert_eq!(unescaped(line).as_deref(), plain, "{line:?}");
        }
    }
}
