//! What surfaces may do.

use canvas_core::surface::{
    ActionId, ActionReach, AgentId, Ceiling, Confirm, PolicyView, SessionKey, ToolName, widens,
};

use crate::surface::world::contract;

fn tool(name: &str) -> ToolName {
    ToolName::new(name).unwrap()
}

/// Tools `bash`, `read` (read-only) and `sure` (trusted).
fn ceiling() -> Ceiling {
    let contract = |name: &str, read_only| {
        (tool(name), contract(name, &serde_json::json!({"readOnly": read_only})).unwrap())
    };
    Ceiling {
        tools: [contract("bash", false), contract("read", true), contract("sure", false)].into(),
        trust: [tool("sure")].into(),
        ..Ceiling::default()
    }
}

#[test]
fn a_tool_is_allowed_by_spec_and_host() {
    let all = ceiling();
    let some = Ceiling { allow: Some([tool("read"), tool("gone")].into()), ..ceiling() };
    let found = |ceiling: &Ceiling, name: &str| {
        let allow = ["bash", "read", "gone", "*"].map(tool).into();
        ceiling
            .tool(&tool(name), &allow)
            .map(|found| found.name().to_string())
            .map_err(|fault| fault.code.code())
    };
    for (ceiling, name, expected) in [
        (&all, "bash", Ok("bash")),
        (&all, "read", Ok("read")),
        (&all, "sure", Err("TOOL_NOT_ALLOWED")),
        (&all, "ba*", Err("TOOL_NOT_ALLOWED")),
        (&all, "gone", Err("TOOL_NOT_FOUND")),
        (&some, "read", Ok("read")),
        (&some, "bash", Err("TOOL_NOT_ALLOWED")),
        (&some, "gone", Err("TOOL_NOT_FOUND")),
    ] {
        assert_eq!(found(ceiling, name), expected.map(str::to_owned), "{name}");
    }
}

#[test]
fn a_person_is_asked_unless_the_tool_is_read_only_or_trusted() {
    use Confirm::{Always, Auto, Never};
    let ceiling = ceiling();
    for (name, asking) in [("bash", &[Never, Auto, Always][..]), ("read", &[Always]), ("sure", &[Always])] {
        for confirm in [Never, Auto, Always] {
            let asks = ceiling.asks(&ceiling.tools[&tool(name)], confirm);
            assert_eq!(asks, asking.contains(&confirm), "{name} {confirm:?}");
        }
    }
    assert_eq!(Confirm::default(), Auto);
}

#[test]
fn sessions_and_agents_are_added_by_the_host() {
    let session = |name: &str| SessionKey::new(name).unwrap();
    let agent = |name: &str| AgentId::new(name).unwrap();
    let ceiling = Ceiling {
        sessions: [session("b")].into(),
        agents: [(agent("x"), [agent("y")].into())].into(),
        ..ceiling()
    };
    for (to, owner, expected) in [
        ("a", Some("a"), None),
        ("b", Some("a"), None),
        ("b", None, None),
        ("c", Some("a"), Some("SESSION_NOT_ALLOWED")),
        ("a", None, Some("SESSION_NOT_ALLOWED")),
    ] {
        let found = ceiling.session(&session(to), owner.map(session).as_ref());
        assert_eq!(found.err().map(|fault| fault.code.code()), expected, "{to} {owner:?}");
    }
    for (asking, of, expected) in [("x", "x", true), ("x", "y", true), ("y", "x", false), ("z", "y", false)] {
        assert_eq!(ceiling.sees(&agent(asking), &agent(of)), expected, "{asking} {of}");
    }
}

#[test]
fn a_policy_is_widened_by_tools_and_by_actions_that_ask_less() {
    use Confirm::{Always, Auto, Never};
    type Actions<'a> = &'a [(&'a str, &'a str, Confirm)];
    let tools = ["a", "b", "c"].map(tool);
    let actions = ["x", "y", "z~/"].map(|name| ActionId::new(name).unwrap());
    let sessions = ["s:me", "s:you"].map(|name| SessionKey::new(name).unwrap());
    let view = |allow: &str, calls: Actions<'_>| {
        let reach = |name: &str| match sessions.iter().find(|session| session.as_str() == name) {
            Some(session) => ActionReach::Session(session),
            None => ActionReach::Tool(tools.iter().find(|tool| tool.as_str() == name).unwrap()),
        };
        let find = |name: &str| tools.iter().find(|tool| tool.as_str() == name).unwrap();
        let action = |name: &str| actions.iter().find(|action| action.as_str() == name).unwrap();
        PolicyView {
            allow: allow.split(' ').filter(|name| !name.is_empty()).map(find).collect(),
            calls: calls
                .iter()
                .map(|(name, tool, confirm)| (action(name), (reach(tool), *confirm)))
                .collect(),
        }
    };
    for (old, new, expected) in [
        (("a b", &[][..]), ("a b", &[][..]), &[][..]),
        (("a b", &[]), ("a", &[]), &[]),
        (("a", &[]), ("a b c", &[]), &["/toolPolicy/allow", "/toolPolicy/allow"]),
        // The same action.
        (("a", &[("x", "a", Auto)]), ("a", &[("x", "a", Auto)]), &[]),
        (("a", &[("x", "a", Auto)]), ("a", &[("x", "a", Always)]), &[]),
        (("a", &[("x", "a", Always)]), ("a", &[("x", "a", Auto)]), &["/actions/x/confirm"]),
        (("a", &[("x", "a", Auto)]), ("a", &[("x", "a", Never)]), &["/actions/x/confirm"]),
        (("a", &[("x", "a", Never)]), ("a", &[("x", "a", Never)]), &[]),
        // It asks as before, although another one with its tool always asks.
        (("a", &[("x", "a", Auto), ("y", "a", Always)]), ("a", &[("x", "a", Auto)]), &[]),
        // A new one.
        (("a", &[]), ("a", &[("x", "a", Auto)]), &[]),
        (("a", &[]), ("a", &[("z~/", "a", Never)]), &["/actions/z~0~1/confirm"]),
        (("a", &[("x", "a", Never)]), ("a", &[("y", "a", Never)]), &[]),
        (("a", &[("x", "a", Always)]), ("a", &[("y", "a", Auto)]), &["/actions/y/confirm"]),
        (("a", &[("x", "a", Always), ("y", "a", Auto)]), ("a", &[("z~/", "a", Auto)]), &[]),
        // What sends to a session.
        (("", &[("x", "s:me", Always)]), ("", &[("x", "s:me", Always)]), &[]),
        (("", &[("x", "s:me", Always)]), ("", &[("x", "s:me", Auto)]), &["/actions/x/confirm"]),
        (("", &[("x", "s:me", Auto)]), ("", &[("x", "s:me", Never)]), &["/actions/x/confirm"]),
        (("", &[("x", "s:me", Always)]), ("", &[("y", "s:me", Auto)]), &["/actions/y/confirm"]),
        (("", &[("x", "s:me", Always)]), ("", &[("y", "s:you", Auto)]), &[]),
        (("", &[("x", "s:me", Always)]), ("", &[("x", "s:you", Auto)]), &["/actions/x/confirm"]),
        (("a", &[("x", "s:me", Always)]), ("a", &[("x", "a", Auto)]), &["/actions/x/confirm"]),
        (
            ("a", &[("x", "a", Always), ("y", "s:me", Auto)]),
            ("a", &[("x", "s:me", Auto)]),
            &["/actions/x/confirm"],
        ),
        (("", &[]), ("", &[("x", "s:me", Auto)]), &[]),
        // Another tool under the same name.
        (("a b", &[("x", "a", Auto)]), ("a b", &[("x", "b", Auto)]), &[]),
        (("a b", &[("x", "a", Always)]), ("a b", &[("x", "b", Auto)]), &["/actions/x/confirm"]),
        (
            ("a b", &[("x", "a", Auto), ("y", "b", Always)]),
            ("a b", &[("x", "b", Auto)]),
            &["/actions/x/confirm"],
        ),
        (("a b", &[("x", "a", Never)]), ("a b", &[("x", "b", Never)]), &["/actions/x/confirm"]),
        (("a b", &[("x", "a", Never)]), ("a b", &[("x", "b", Auto)]), &[]),
        (
            ("a", &[("x", "a", Always)]),
            ("a b", &[("x", "a", Auto)]),
            &["/actions/x/confirm", "/toolPolicy/allow"],
        ),
    ] {
        let faults = widens(&view(old.0, old.1), &view(new.0, new.1));
        let places: Vec<_> = faults.iter().map(|fault| fault.place.as_str()).collect();
        assert_eq!(places, expected, "{old:?} to {new:?}");
        assert!(faults.iter().all(|fault| fault.code.code() == "POLICY_WIDENING"));
    }
}
