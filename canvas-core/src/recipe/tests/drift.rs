//! Tools that have changed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::compile::recipe;
use crate::model::error::CodedError as _;
use crate::recipe::{Drift, DriftCode, Recipe, RecipeLimits};
use crate::surface::{Ceiling, ToolContract, ToolDeclaration, ToolName};

fn name(tool: &str) -> ToolName {
    ToolName::new(tool).unwrap()
}

fn declaration(version: &str) -> ToolDeclaration {
    ToolDeclaration {
        input_schema: json!({"type": "object"}),
        read_only: true,
        version: Some(version.to_owned()),
        ..ToolDeclaration::default()
    }
}

fn ceiling(tools: &[(&str, ToolDeclaration)]) -> Ceiling {
    let contract = |(tool, declaration): &(&str, ToolDeclaration)| {
        (name(tool), ToolContract::new(name(tool), declaration.clone()).unwrap())
    };
    Ceiling { tools: tools.iter().map(contract).collect(), ..Ceiling::default() }
}

fn both() -> Ceiling {
    ceiling(&[("shop__Orders", declaration("1.0")), ("shop__Names", declaration("1.0"))])
}

fn compiled() -> Recipe {
    Recipe::compile(&recipe(), &RecipeLimits::default()).unwrap()
}

#[test]
fn a_recipe_gets_the_contracts_of_its_tools() {
    let host = both();
    let pinned = compiled().pinned(&host);
    for step in pinned.steps() {
        assert_eq!(step.contract(), Some(host.tools[step.tool()].hash()));
        assert_eq!(step.tool_version(), Some("1.0"));
        assert!(step.check(&host).is_ok());
    }
    assert_eq!(pinned.pinned(&host).id(), pinned.id());
    // The recorded contract is kept, even if the host has another one now.
    let later = ceiling(&[("shop__Orders", declaration("2.0")), ("shop__Names", declaration("2.0"))]);
    assert_eq!(pinned.pinned(&later).id(), pinned.id());
    let json = pinned.to_json();
    assert_eq!(json["steps"][0]["toolVersion"], "1.0");
    assert_eq!(json["steps"][0]["contract"].as_str().map(str::len), Some(64));
}

/// Only tools that are read-only and allowed are called again.
#[test]
fn steps_that_may_not_be_called_again_are_frozen() {
    let writes = ToolDeclaration { read_only: false, ..declaration("1.0") };
    let not_allowed = Ceiling { allow: Some(BTreeSet::from([name("shop__Names")])), ..both() };
    for (host, reason) in [
        (ceiling(&[("shop__Orders", writes), ("shop__Names", declaration("1.0"))]), "read-only"),
        (ceiling(&[("shop__Names", declaration("1.0"))]), "no tool"),
        (not_allowed, "not allow"),
    ] {
        let pinned = compiled().pinned(&host);
        let frozen = pinned.steps()[0].frozen().unwrap();
        assert!(frozen.contains(reason), "{frozen}");
        assert_eq!(pinned.steps()[0].contract(), None);
        // The arguments of the call are kept for display.
        assert_eq!(pinned.to_json()["steps"][0]["params"]["value"], recipe()["steps"][0]["params"]);
        assert_eq!(pinned.non_refreshable()[0].0.as_str(), "c1");
        assert_eq!(pinned.pinned(&host).id(), pinned.id());
    }
    let bare = json!({
        "version": 1, "catalogue": 1, "steps": [{"id": "s", "tool": "é".repeat(200)}],
        "mappings": [{"step": "s", "component": "c"}],
    });
    let bare = Recipe::compile(&bare, &RecipeLimits::default()).unwrap().pinned(&Ceiling::default());
    assert_eq!(bare.to_json()["steps"][0]["params"]["value"], json!({}));
}

#[test]
fn each_drift_of_a_tool_has_its_code() {
    let pinned = compiled().pinned(&both());
    let changed = |change: fn(&mut ToolDeclaration)| {
        let mut declaration = declaration("1.0");
        change(&mut declaration);
        ceiling(&[("shop__Orders", declaration)])
    };
    let closed = Ceiling { allow: Some(BTreeSet::new()), ..both() };
    for (host, expected) in [
        (both(), None),
        (changed(|tool| tool.description = Some("other words".to_owned())), None),
        (Ceiling { allow: Some(BTreeSet::from([name("shop__Orders")])), ..both() }, None),
        (ceiling(&[]), Some(DriftCode::ToolGone)),
        (closed, Some(DriftCode::PermissionGone)),
        (changed(|tool| tool.read_only = false), Some(DriftCode::PermissionGone)),
        (changed(|tool| tool.version = Some("1.1".to_owned())), Some(DriftCode::ContractChanged)),
        (changed(|tool| tool.version = None), Some(DriftCode::ContractChanged)),
        (
            changed(|tool| tool.input_schema = json!({"type": "object", "required": ["a"]})),
            Some(DriftCode::ContractChanged),
        ),
        (changed(|tool| tool.output_schema = Some(json!({}))), Some(DriftCode::ContractChanged)),
    ] {
        let checked = pinned.steps()[0].check(&host);
        assert_eq!(checked.as_ref().err().map(|drift| drift.code), expected, "{checked:?}");
    }
    let drift = pinned.steps()[0].check(&changed(|tool| tool.version = Some("1.1".to_owned()))).unwrap_err();
    assert!(drift.message.contains("1.0") && drift.message.contains("1.1"), "{drift}");
    assert!(
        compiled().steps()[0].check(&changed(|tool| tool.version = None)).is_ok(),
        "nothing was recorded"
    );
}

#[test]
fn a_drift_is_one_line_and_not_a_long_one() {
    let drift = Drift::new(DriftCode::CallFailed, format!("a\n b\u{7} {}", "x".repeat(1_000)));
    assert!(drift.message.starts_with("a b xxx"));
    assert_eq!(drift.message.chars().count(), Drift::MESSAGE);
    let json: Value = serde_json::to_value(&drift).unwrap();
    assert_eq!(json["code"], "CALL_FAILED");
    assert_eq!(serde_json::from_value::<Drift>(json).unwrap(), drift);
    for code in DriftCode::ALL {
        assert_eq!(Drift::new(code, "x").is_retryable(), code == DriftCode::CallFailed);
    }
}
