//! Where two states differ.

use serde_json::Value;

/// Paths that are told one by one; of more those of the first members are.
const MANY: usize = 64;

/// The places that differ, as JSON Pointers: the deepest that are there in both, or the member that came or went.
pub(crate) fn between(before: &Value, after: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    collect(before, after, String::new(), usize::MAX, &mut paths);
    if paths.len() > MANY {
        paths.clear();
        collect(before, after, String::new(), 1, &mut paths);
    }
    paths
}

fn collect(before: &Value, after: &Value, place: String, depth: usize, paths: &mut Vec<String>) {
    if before == after {
        return;
    }
    let (Value::Object(old), Value::Object(new), 1..) = (before, after, depth) else {
        paths.push(place);
        return;
    };
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    for name in new.keys().chain(gone) {
        let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
        match (old.get(name), new.get(name)) {
            (Some(old), Some(new)) => collect(old, new, place, depth - 1, paths),
            _ => paths.push(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::between;

    #[test]
    fn the_deepest_places_that_differ() {
        for (before, after, paths) in [
            (json!({}), json!({}), &[][..]),
            (json!({"a": 1}), json!({"a": 2}), &["/a"]),
            (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"b": 1, "c": 3}}), &["/a/c"]),
            (json!({"a": 1, "b": 2}), json!({"b": 2, "c": 3}), &["/c", "/a"]),
            (json!({"a": [1]}), json!({"a": [2]}), &["/a"]),
            (json!({"x/y": {"~": 1}}), json!({"x/y": {"~": 2}}), &["/x~1y/~0"]),
            (json!({"__proto__": {"a": 1}}), json!({"__proto__": {"a": 2}}), &["/__proto__/a"]),
            (json!(null), json!({"a": 1}), &[""]),
        ] {
            assert_eq!(between(&before, &after), paths, "{before} {after}");
        }
        let many = |value: usize| {
            let members = (0..100).map(|n| (n.to_string(), json!(value)));
            json!({"all": serde_json::Map::from_iter(members)})
        };
        assert_eq!(between(&many(1), &many(2)), ["/all"]);
    }
}
