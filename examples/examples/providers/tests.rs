//! The table is the same twice, and fits.

use canvas_providers::Provider;

use super::{layout, tell};

#[test]
fn the_table_is_the_same_twice_and_fits_into_120_columns() {
    let run = || {
        let mut out = Vec::new();
        tell(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let table = run();
    assert_eq!(run(), table);
    for line in table.lines() {
        assert!(line.chars().count() <= layout::WIDTH, "{line}");
    }
    for provider in Provider::ALL {
        assert!(table.contains(&format!("── {provider} ")), "{provider} is not in:\n{table}");
    }
    for built_in in ["text_editor_20250728", "apply_patch_call_output", "custom_tool_call_output", "\"lark\""]
    {
        assert!(table.contains(built_in), "{built_in} is not in:\n{table}");
    }
    assert!(!table.contains("declared as   null"), "a declaration is missing in:\n{table}");
}
