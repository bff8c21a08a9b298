//! A server that is killed between any two steps of a session loses nothing that it has answered.

use std::io::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::client::{Client, Folder};

/// A number below `below`, from a seed that is printed.
fn draw(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) % below
}

/// The document with so many items.
fn document(items: usize) -> String {
    let mut text = "# Log\n\n".to_owned();
    (0..items).for_each(|item| text.push_str(&format!("- {item}\n")));
    text
}

#[test]
fn killed_at_any_moment() {
    let kills = std::env::var("CANVAS_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let mut seed = std::env::var("CANVAS_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(now as u64);
    drop(writeln!(std::io::stderr(), "CANVAS_SEED={seed} CANVAS_KILLS={kills}"));
    let folder = Folder::new();
    folder.write("log.md", &document(0));
    let (database, path) = (folder.file("log.db"), folder.file("log.md"));
    let arguments = ["--db", &database, "--document", &path, "--canvas", "log"];
    // What was answered: items in the document, and items when the last check-in was.
    let (mut written, mut saved) = (0, 0);
    for kill in 0..kills {
        let mut client = Client::start(&arguments);
        let draft = client.read("canvas://log/document");
        let items = draft.lines().filter(|line| line.starts_with("- ")).count();
        assert_eq!(draft, document(items), "kill {kill}: half a change");
        assert!(items >= written, "kill {kill}: {written} items were answered, {items} are there");
        let file = folder.text("log.md");
        let kept = file.lines().filter(|line| line.starts_with("- ")).count();
        assert_eq!(file, document(kept), "kill {kill}: half a file");
        assert!(kept >= saved, "kill {kill}: {saved} items were saved, {kept} are there");
        // A person asks for something: the lease of the killed one is over, and its draft promoted.
        client.ask("prompts/get", json!({"name": "edit-document"})).unwrap();
        assert_eq!(folder.text("log.md"), draft, "kill {kill}: file and canvas differ");
        (written, saved) = (items, items);

        // A session of check-out, three patches and check-in, cut off after so many steps and a bit.
        let lease = client.check_out();
        client.done("canvas_read_all", json!({"lease_id": lease}));
        let steps = draw(&mut seed, 5);
        let call = |step: u64, items: usize| {
            if step == 3 {
                return json!({"name": "canvas_check_in", "arguments": {"lease_id": lease}});
            }
            let before = if items == 0 { " # Log\n \n".to_owned() } else { format!(" - {}\n", items - 1) };
            json!({
                "name": "canvas_apply_patch",
                "arguments": {"lease_id": lease, "patch": format!("@@\n{before}+- {items}\n")},
            })
        };
        for step in 0..steps.min(4) {
            let result = client.ask("tools/call", call(step, written)).unwrap();
            assert_eq!(result["isError"], false, "kill {kill}, step {step}: {result}");
            if step == 3 { saved = written } else { written += 1 }
        }
        if steps < 4 {
            client.request("tools/call", call(steps, written));
        }
        std::thread::sleep(Duration::from_micros(draw(&mut seed, 6_000)));
        client.kill();
    }
    let mut client = Client::start(&arguments);
    let lease =
        client.ask("prompts/get", json!({"name": "edit-document"})).map(|_| client.check_out()).unwrap();
    client.done("canvas_check_in", json!({"lease_id": lease}));
    assert_eq!(client.read("canvas://log/document"), folder.text("log.md"));
}
