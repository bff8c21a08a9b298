//! Sinks that follow from the name of a tool.

use crate::surface::sink::Sink;

/// Returns the sink of every string of a tool without a declared one. A name with words of both kinds has the stricter
/// sink.
pub(super) fn sink_of_name(name: &str) -> Option<Sink> {
    let sink = |word: &str| match word {
        "bash" | "sh" | "shell" | "exec" | "run" | "cmd" => Some(Sink::Shell),
        "sql" | "query" => Some(Sink::Sql),
        _ => None,
    };
    let parts = name.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty());
    parts.flat_map(|part| camel(part).into_iter().chain([part])).filter_map(|w| sink(&w.to_lowercase())).max()
}

/// Splits names such as `runBash`, `RunSQL` and `SQLQuery` into words.
fn camel(part: &str) -> Vec<&str> {
    let chars: Vec<_> = part.char_indices().collect();
    let is_upper = |at: usize| chars.get(at).is_some_and(|(_, char)| char.is_uppercase());
    let mut words = Vec::new();
    let mut start = 0;
    for at in 1..chars.len() {
        let follows_lower = !is_upper(at - 1);
        let before_lower = at + 1 < chars.len() && !is_upper(at + 1);
        if is_upper(at) && (follows_lower || before_lower) {
            words.push(&part[start..chars[at].0]);
            start = chars[at].0;
        }
    }
    words.push(&part[start..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_name_decide() {
        for (name, expected) in [
            ("server-a__Bash", Some(Sink::Shell)),
            ("server-a__Read", None),
            ("gsv__LogsGet", None),
            ("node__BASH", Some(Sink::Shell)),
            ("eXec", Some(Sink::Shell)),
            ("PowerShell", Some(Sink::Shell)),
            ("bash2", Some(Sink::Shell)),
            ("host.run/now", Some(Sink::Shell)),
            ("runSQL", Some(Sink::Sql)),
            ("SQLQuery", Some(Sink::Sql)),
            ("db__query", Some(Sink::Sql)),
            ("MySQL", Some(Sink::Sql)),
            ("exec_query", Some(Sink::Sql)),
            ("my cmd", Some(Sink::Shell)),
            ("a:sh", Some(Sink::Shell)),
            ("Prune", None),
            ("trunk__Branch", None),
            ("executor", None),
            ("ÄRun", Some(Sink::Shell)),
            ("", None),
        ] {
            assert_eq!(sink_of_name(name), expected, "{name}");
        }
    }
}
