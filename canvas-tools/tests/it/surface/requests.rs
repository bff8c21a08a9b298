//! How requests are read, and where they are wrong.

use canvas_core::CodedError as _;
use canvas_tools::surface::{AssetContent, SurfaceRequest};
use serde_json::{Value, json};

use super::world::World;

#[test]
fn every_method_takes_its_parameters_and_no_others() {
    let digest = "0".repeat(64);
    for (method, params) in [
        ("canvas.list", json!({})),
        ("canvas.list", json!({"agentId": "main", "after": "a", "limit": 2})),
        ("canvas.get", json!({"canvasId": "c"})),
        ("canvas.create", json!({"canvasId": "c", "spec": {}})),
        (
            "canvas.create",
            json!({"canvasId": "c", "agentId": "main", "title": "T", "ownerSessionKey": "agent:main:main",
                "entryAsset": "assets/index.html", "spec": {},
                "assets": {"assets/index.html": "<p>", "assets/a.png": {"base64": "AAE="}}}),
        ),
        ("canvas.upsert", json!({"canvasId": "c"})),
        (
            "canvas.upsert",
            json!({"canvasId": "c", "title": "T", "spec": {}, "assets": {"assets/a": null, "assets/b": "b"},
                "expectedRevision": 1}),
        ),
        ("canvas.patch", json!({"canvasId": "c", "patch": [], "expectedRevision": 1})),
        ("canvas.delete", json!({"canvasId": "c", "expectedRevision": 1})),
        ("canvas.open", json!({"canvasId": "c"})),
        ("canvas.close", json!({"canvasId": "c"})),
        (
            "canvas.action",
            json!({"canvasId": "c", "actionId": "deploy", "input": {}, "expectedRevision": 7,
                "confirmation": {"digest": digest, "plannedAt": 5}}),
        ),
        ("canvas.action", json!({"canvasId": "c", "binding": "buttons.deployNow"})),
    ] {
        let request =
            SurfaceRequest::parse(method, &params).unwrap_or_else(|e| panic!("{method} {params}: {e}"));
        assert_eq!(request.canvas().map(|id| id.as_str()), params["canvasId"].as_str(), "{method}");
        let mut more = params.clone();
        more["canvas_id"] = "c".into();
        let refused = SurfaceRequest::parse(method, &more).unwrap_err();
        assert_eq!(
            (refused.code(), refused.place().as_deref()),
            ("INVALID_ARGUMENTS", Some("/canvas_id")),
            "{method}"
        );
    }
    assert!(SurfaceRequest::parse("canvas.list", &Value::Null).is_ok(), "a method without parameters");
}

#[test]
fn wrong_parameters_are_named_by_their_place() {
    for (method, params, place) in [
        ("canvas.get", json!([]), ""),
        ("canvas.get", json!("c"), ""),
        ("canvas.get", json!({}), ""),
        ("canvas.get", json!({"canvasId": ""}), "/canvasId"),
        ("canvas.get", json!({"canvasId": "c".repeat(513)}), "/canvasId"),
        ("canvas.list", json!({"limit": -1}), "/limit"),
        ("canvas.patch", json!({"canvasId": "c", "patch": [], "expectedRevision": 1.5}), "/expectedRevision"),
        (
            "canvas.patch",
            json!({"canvasId": "c", "patch": [], "expectedRevision": 9_007_199_254_740_992_u64}),
            "/expectedRevision",
        ),
        (
            "canvas.create",
            json!({"canvasId": "c", "spec": {}, "assets": {"assets/a": 1}}),
            "/assets/assets~1a",
        ),
        (
            "canvas.create",
            json!({"canvasId": "c", "spec": {}, "assets": {"a/b": {"base64": "?"}}}),
            "/assets/a~1b",
        ),
        ("canvas.action", json!({"canvasId": "c", "actionId": 1}), "/actionId"),
        (
            "canvas.action",
            json!({"canvasId": "c", "confirmation": {"digest": "x", "plannedAt": 1}}),
            "/confirmation/digest",
        ),
        ("canvas.action", json!({"canvasId": "c", "confirmation": {"plannedAt": 1}}), "/confirmation"),
        ("canvas.run", json!({}), ""),
        ("", json!({}), ""),
    ] {
        let refused = SurfaceRequest::parse(method, &params).unwrap_err();
        assert_eq!(
            (refused.code(), refused.place().as_deref()),
            ("INVALID_ARGUMENTS", Some(place)),
            "{method} {params}"
        );
    }
}

#[test]
fn assets_are_text_or_bytes() {
    for (json, bytes) in
        [(json!("<p>"), b"<p>".to_vec()), (json!(""), vec![]), (json!({"base64": "AAH/"}), vec![0, 1, 255])]
    {
        let content: AssetContent = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(content.clone().into_bytes(), bytes);
        assert_eq!(json!(AssetContent::from(bytes)), json);
    }
}

#[test]
fn a_surface_is_deleted_as_it_was_seen() {
    let world = World::new();
    let seen = world.deploy_prod()["descriptor"]["revision"].as_u64().unwrap();
    let patch = json!([{"op": "add", "path": "/note", "value": "saved"}]);
    let now =
        world.ask("canvas.patch", json!({"canvasId": "deploy-prod", "patch": patch}))["revision"].clone();
    for expected in [seen, now.as_u64().unwrap() + 1] {
        let params = json!({"canvasId": "deploy-prod", "expectedRevision": expected});
        let error = world.window("canvas.delete", params).result.unwrap_err().to_json();
        assert_eq!(
            (&error["code"], &error["place"]),
            (&json!("REVISION_CONFLICT"), &json!("/expectedRevision"))
        );
        assert_eq!(error["revision"], now);
    }
    assert_eq!(world.state()["note"], "saved");
    assert_eq!(
        world.ask("canvas.delete", json!({"canvasId": "deploy-prod", "expectedRevision": now})),
        json!({})
    );
    assert_eq!(world.refused("canvas.get", json!({"canvasId": "deploy-prod"})), "SURFACE_NOT_FOUND");
}
