//! Changes written as calls: just these, with as much around them as was asked for, or as makes them unique.

use canvas_tools::native::{Dialect, RenderOptions, render_native};
use serde_json::{Value, json};

const PATH: &str = "plan.md";

fn calls(dialect: Dialect, before: &str, after: &str, context: usize, unique: bool) -> Option<Vec<Value>> {
    render_native(before, after, dialect, PATH, &RenderOptions { context, unique }).ok()
}

fn strings(old: &str, new: &str) -> Value {
    json!({"command": "str_replace", "path": PATH, "old_str": old, "new_str": new})
}

#[test]
fn strings_quote_whole_lines() {
    let text = "a\nb\nc\nb\nd\n";
    for (before, after, context, unique, expected) in [
        ("a\nb\nc\n", "a\nx\nc\n", 0, true, vec![strings("b\n", "x\n")]),
        ("a\nb\nc\n", "a\nx\nc\n", 1, true, vec![strings("a\nb\nc\n", "a\nx\nc\n")]),
        // Of two equal lines the one above stays, whether it is quoted or not.
        (text, "a\nb\nc\nx\nd\n", 0, false, vec![strings("b\n", "x\n")]),
        (text, "a\nb\nc\nx\nd\n", 0, true, vec![strings("c\nb\nd\n", "c\nx\nd\n")]),
        // More is quoted until it is enough: one line, two, four.
        (
            "b\nb\nb\nb\nb\na\n",
            "b\nx\nb\nb\nb\na\n",
            0,
            true,
            vec![strings("b\nb\nb\nb\nb\na\n", "b\nx\nb\nb\nb\na\n")],
        ),
        // All of a text is quoted where nothing less is unique; nothing else is left then.
        ("b\nb\n", "b\nx\n", 0, true, vec![strings("b\nb\n", "b\nx\n")]),
        // The last change comes first.
        ("a\nb\nc\n", "x\nb\ny\n", 0, true, vec![strings("c\n", "y\n"), strings("a\n", "x\n")]),
        // An insertion quotes a line beside it, or nothing where that is asked for.
        ("a\nb\n", "a\nx\nb\n", 0, false, vec![strings("", "x\n")]),
        ("a\nb\n", "a\nx\nb\n", 0, true, vec![strings("a\nb\n", "a\nx\nb\n")]),
        ("", "a\n", 0, true, vec![json!({"command": "create", "path": PATH, "file_text": "a\n"})]),
        ("a\n", "a\n", 0, true, vec![]),
    ] {
        assert_eq!(calls(Dialect::TextEditor, before, after, context, unique), Some(expected), "{before:?}");
    }
    for dialect in [Dialect::Edit, Dialect::Replace] {
        let expected = json!({"file_path": PATH, "old_string": "b\n", "new_string": "x\n"});
        assert_eq!(calls(dialect, "a\nb\n", "a\nx\n", 0, true), Some(vec![expected]));
        let expected = json!({"file_path": PATH, "old_string": "", "new_string": "x\n"});
        assert_eq!(calls(dialect, "", "x\n", 0, true), Some(vec![expected]));
    }
}

#[test]
fn diffs_have_anchors_where_they_need_them() {
    let twice = "# A\n- x\n- y\n# B\n- x\n- y\n";
    // Lines around a change are no help here, however many.
    let (same, counted) = ("b\n".repeat(150), (1..=300).map(|i| format!("{i}\n")).collect::<String>());
    let sections = format!("# A\n{counted}# B\n{counted}");
    let (same_after, sections_after) =
        (same[2..].to_owned() + "x\n", format!("# A\n{counted}# B\n{}", counted.replace("\n150\n", "\nx\n")));
    // A heading that the hunk itself begins with is no anchor of it.
    let half = (1..=150).map(|i| format!("{i}\n")).collect::<String>();
    let nested = format!("# A\n{half}## T\n{half}# B\n{half}## T\n{half}");
    let nested_after = format!("# A\n{half}## T\n{half}# B\n{half}## T\nx\n{}", &half[2..]);
    // Where no anchor helps either, all of the text is quoted.
    let middle_after = same[..150].to_owned() + "x\n" + &same[152..];
    let middle = format!("@@\n{}-b\n+x\n{}", " b\n".repeat(75), " b\n".repeat(74));
    for (before, after, context, unique, expected) in [
        ("a\nb\n", "a\nx\n", 0, true, "@@\n-b\n+x\n"),
        ("a\nb\n", "a\nx\n", 1, true, "@@\n a\n-b\n+x\n"),
        (twice, "# A\n- x\n- y\n# B\n- x\n- z\n", 0, false, "@@\n-- y\n+- z\n"),
        ("a\nb\nc\nd\ne\n", "x\nb\nc\nd\ny\n", 1, true, "@@\n-a\n+x\n b\n@@\n d\n-e\n+y\n"),
        ("a\r\nb\r\n", "a\r\nx\r\n", 0, true, "@@\n-b\n+x\n"),
        (&same, &middle_after, 1, true, &middle),
        (&same, &same_after, 1, true, "@@\n b\n-b\n+x\n*** End of File\n"),
        (&sections, &sections_after, 1, true, "@@ # B\n 149\n-150\n+x\n 151\n"),
        (&nested, &nested_after, 1, true, "@@ # B\n ## T\n-1\n+x\n 2\n"),
    ] {
        let call = json!({"type": "update_file", "path": PATH, "diff": expected});
        assert_eq!(
            calls(Dialect::ApplyPatch, before, after, context, unique),
            Some(vec![call]),
            "{before:?}"
        );
        let input = format!("*** Begin Patch\n*** Update File: {PATH}\n{expected}*** End Patch\n");
        let call = json!({"input": input});
        assert_eq!(
            calls(Dialect::CodexPatch, before, after, context, unique),
            Some(vec![call]),
            "{before:?}"
        );
    }
    let call = json!({"type": "create_file", "path": PATH, "diff": "+a\n+\n"});
    assert_eq!(calls(Dialect::ApplyPatch, "", "a\n\n", 1, true), Some(vec![call]));
    let call = json!({"input": format!("*** Begin Patch\n*** Add File: {PATH}\n+a\n*** End Patch\n")});
    assert_eq!(calls(Dialect::CodexPatch, "", "a\n", 1, true), Some(vec![call]));
}

#[test]
fn blocks_name_the_document() {
    let expected = format!(
        "{PATH}\n<<<<<<< SEARCH\na\n=======\nx\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nc\n=======\n>>>>>>> REPLACE\n"
    );
    let call = json!({"text": expected});
    assert_eq!(calls(Dialect::SearchReplace, "a\nb\nc\n", "x\nb\n", 0, true), Some(vec![call]));
}

/// Forms made of lines cannot say how a text ends, or which terminator a line has; strings can say the former.
#[test]
fn what_a_form_cannot_say() {
    for dialect in Dialect::ALL {
        let by_string = matches!(dialect, Dialect::TextEditor | Dialect::Edit | Dialect::Replace);
        assert_eq!(calls(dialect, "a\nb", "a\nb\n", 1, true).is_some(), by_string, "{dialect}");
        assert_eq!(calls(dialect, "a\nb\n", "a\r\nb\r\n", 1, true), None, "{dialect}");
        assert_eq!(calls(dialect, "a\nb\n", "a\nb\n", 1, true), Some(vec![]), "{dialect}");
    }
}
