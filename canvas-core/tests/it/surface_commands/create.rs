//! A canvas gets a surface.

use canvas_core::store::Store as _;
use canvas_core::surface::CreateSurface;
use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Engine, EngineError, Face, OpKey};
use serde_json::json;

use crate::surface_commands::world::*;

#[test]
fn a_canvas_and_its_surface_are_made_in_one_commit_and_one_revision() {
    let world = World::new();
    let made = world.ask(CreateSurface {
        title: Some("Deploy Cockpit".into()),
        entry_asset: Some("assets/index.html".into()),
        assets: assets(&[("assets/index.html", "<p>"), ("assets/a%20b.css", "p{}")]),
        ..create(client())
    });
    let descriptor = made.unwrap().descriptor;
    assert_eq!((world.commits(), world.revision()), (1, 1));
    let json = json!({
        "canvasId": "deploy-prod", "agentId": "main", "title": "Deploy Cockpit",
        "ownerSessionKey": "agent:main:main", "mode": "html", "entryAsset": "assets/index.html",
        "createdAt": START, "updatedAt": START, "revision": 1,
    });
    assert_eq!(serde_json::to_value(&descriptor).unwrap(), json);
    let surface = world.surface();
    assert_eq!(surface.descriptor, descriptor);
    assert_eq!(surface.spec_json(), Some(spec(json!({"service": "api"}))));
    assert_eq!(surface.state.to_json(), r#"{"service":"api"}"#);
    let paths: Vec<_> = surface.assets.iter().map(|(path, asset)| (path.as_str(), asset.bytes)).collect();
    assert_eq!(paths, [("assets/a b.css", 3), ("assets/index.html", 3)]);
    for (_, asset) in surface.assets.iter() {
        assert!(block_on(world.engine.store().blob(&world.canvas, asset.blob)).unwrap().is_some());
    }
    let head = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap().head;
    assert_eq!([Face::Document, Face::Surface].map(|face| head.face_revision(face).get()), [1, 1]);
    world.replays();
}

#[test]
fn a_retry_is_answered_and_not_done_again() {
    let world = World::new();
    let key = world.key();
    let first = world.ask_as(&key, create(client()));
    assert_eq!(world.ask_as(&key, create(client())), first);
    assert_eq!((world.commits(), world.revision()), (1, 1));
    let other = CreateSurface { title: Some("other".into()), ..create(client()) };
    assert_eq!(world.ask_as(&key, other), refused("CALL_ID_REUSED", ""));
}

#[test]
fn a_canvas_that_is_there_gets_the_face_and_keeps_its_text() {
    let world = World::new();
    block_on(world.engine.create(&world.canvas, "# Plan\n", &world.key(), world.now())).unwrap();
    assert_eq!(world.ask(create(client())).unwrap().descriptor.revision.get(), 2);
    let snapshot = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap();
    assert_eq!((snapshot.text(), world.commits()), ("# Plan\n", 2));
    assert_eq!(world.ask(create(client())), refused("CANVAS_EXISTS", ""));
    assert_eq!(world.ask(create(session("agent:other:main"))), refused("CANVAS_EXISTS", ""));
    world.replays();
}

#[test]
fn what_is_refused_makes_no_canvas() {
    let world = World::new();
    let long = "x".repeat(1025);
    for (command, expected) in [
        (CreateSurface { title: Some(long), ..create(client()) }, ("SPEC_INVALID", "/title")),
        (
            CreateSurface { entry_asset: Some("assets/../spec.json".into()), ..create(client()) },
            ("INVALID_PATH", "/entryAsset"),
        ),
        (
            CreateSurface { assets: assets(&[("index.html", "")]), ..create(client()) },
            ("INVALID_PATH", "/assets/index.html"),
        ),
        (
            CreateSurface { assets: assets(&[("assets/%2e%2e/x", "")]), ..create(client()) },
            ("INVALID_PATH", "/assets/assets~1%2e%2e~1x"),
        ),
        (
            CreateSurface { assets: assets(&[("assets/a b", ""), ("assets/a%20b", "")]), ..create(client()) },
            ("INVALID_PATH", "/assets/assets~1a%20b"),
        ),
        (
            CreateSurface { spec: json!({"version": 2, "mode": "html"}), ..create(client()) },
            ("SPEC_INVALID", "/spec/version"),
        ),
    ] {
        assert_eq!(world.ask(command), refused(expected.0, expected.1));
    }
    let missing = block_on(world.engine.snapshot(&world.canvas, world.now())).unwrap_err();
    assert_eq!((missing.code(), world.commits()), ("CANVAS_NOT_FOUND", 0));
    // The same key may be used for a better one.
    let key = world.key();
    let bad = CreateSurface { spec: json!({}), ..create(client()) };
    assert_eq!(world.ask_as(&key, bad), refused("SPEC_INVALID", "/spec"));
    assert!(world.ask_as(&key, create(client())).is_ok());
}

#[test]
fn a_spec_is_refused_with_every_fault_below_its_member() {
    let world = World::new();
    let spec = json!({
        "version": 1, "mode": "text", "toolPolicy": {"allow": []},
        "actions": {"go": {"kind": "tool.call", "tool": "node__Deploy"}}, "bindings": {"x": "gone"},
    });
    let faults = faults(&world, CreateSurface { spec, ..create(client()) });
    assert_eq!(
        faults,
        [
            "SPEC_INVALID /spec/mode",
            "TOOL_NOT_ALLOWED /spec/actions/go/tool",
            "SPEC_INVALID /spec/bindings/x",
        ]
    );
}

#[test]
fn a_session_makes_surfaces_of_its_agent() {
    let world = || {
        World::with(|_, ceiling| {
            ceiling.agents.insert(agent("ops"), [agent("main")].into());
            ceiling.sessions.insert(session_key("agent:desk:main"));
        })
    };
    for (by, agent_id, owner, expected) in [
        ("agent:ops:a", None, None, Ok(("ops", "agent:ops:main"))),
        ("agent:ops:a", Some("ops"), Some("agent:ops:b"), Ok(("ops", "agent:ops:b"))),
        ("agent:ops:a", Some("main"), None, Ok(("main", "agent:main:main"))),
        ("agent:ops:a", None, Some("agent:desk:main"), Ok(("ops", "agent:desk:main"))),
        ("agent:ops:a", Some("desk"), None, Err("/agentId")),
        ("agent:main:a", Some("ops"), None, Err("/agentId")),
        ("agent:ops:a", None, Some("agent:main:main"), Err("/ownerSessionKey")),
        ("agent:ops:a", None, Some("main"), Err("/ownerSessionKey")),
        ("main", None, None, Err("")),
    ] {
        let world = world();
        let command = CreateSurface {
            agent_id: agent_id.map(agent),
            owner_session_key: owner.map(session_key),
            ..create(session(by))
        };
        let told = world.ask(command).map(|made| {
            let descriptor = made.descriptor;
            (descriptor.agent_id.to_string(), descriptor.owner_session_key.to_string())
        });
        let expected = expected.map(|(agent, owner)| (agent.to_owned(), owner.to_owned()));
        assert_eq!(
            told,
            expected.or_else(|place| refused("SESSION_NOT_ALLOWED", place)),
            "{by} {agent_id:?} {owner:?}"
        );
    }
    // A person may name anybody.
    let any = CreateSurface {
        agent_id: Some(agent("ops")),
        owner_session_key: Some(session_key("agent:main:x")),
        ..create(client())
    };
    assert!(world().ask(any).is_ok());
}

#[test]
fn models_make_surfaces_as_far_as_the_rollout_goes_and_in_their_turn() {
    let world = World::with(|policy, _| read_only(policy));
    assert_eq!(world.ask(create(session("agent:main:main"))), refused("TOOL_DISABLED", ""));
    assert!(world.ask(create(client())).is_ok());

    let mut world = World::new();
    block_on(world.engine.create(&world.canvas, "", &world.key(), world.now())).unwrap();
    let old = world.turn;
    world.next_turn();
    let now = std::mem::replace(&mut world.turn, old);
    assert_eq!(world.ask(create(session("agent:main:main"))), refused("LOCK_NOT_AVAILABLE", ""));
    world.turn = now;
    assert!(world.ask(create(session("agent:main:main"))).is_ok());
}

/// A canvas that was deleted goes on with its numbers, and what made the first one is not done again.
#[test]
fn a_deleted_canvas_is_made_again_with_a_surface() {
    let world = World::new();
    let first: OpKey = world.key();
    world.ask_as(&first, create(client())).unwrap();
    world.ask(patch(client(), json!([{"op": "add", "path": "/a", "value": 1}]))).unwrap();
    block_on(world.engine.delete(&world.canvas, &world.key(), world.now())).unwrap();
    let engine: &Engine<_> = &world.engine;
    let late = block_on(engine.call_or_create(&world.canvas, &first, create(client()), world.now()));
    assert!(matches!(late, Err(EngineError::Deleted { .. })));
    world.wait(5);
    let again = world.ask(create(client())).unwrap().descriptor;
    assert_eq!((again.revision.get(), again.created_at), (3, world.now()));
    assert_eq!((world.descriptor(), world.state()), (again, json!({"service": "api"})));
    assert_eq!(world.revision(), 3);
    world.replays();
}
