//! Writing the request of a long history.
//!
//! The floor is serde_json writing the same body, which is there already. Ours takes the events, pairs calls with their
//! results, checks whose each part is, cuts the schemas of the tools, and writes the bytes.

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::{Engine, Policy};
use canvas_providers::{Event, RequestOptions};
use canvas_tools::{DocumentTools, ToolSpec, Tools};
use serde_json::{Value, json};

use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;
use crate::stream::{self, Wire};

/// Messages of the model and of its tools.
const MESSAGES: usize = 200;

const SYSTEM: &str = "You edit the canvas with the user. Take the lease before you change it.";

/// Measures the request after a conversation of 200 messages with about `size` bytes.
///
/// # Panics
///
/// Where the history cannot be sent: a defect of the generator.
pub fn rows(work: &'static str, wire: Wire, size: usize, effort: Effort) -> Vec<Row> {
    if !stream::SIZES.contains(&size) {
        return Vec::new();
    }
    let (provider, options) = (wire.provider(), RequestOptions::default());
    let (issuer, events, specs) = (provider.issuer(stream::MODEL), history(wire, size / MESSAGES), specs());
    let request = || provider.request(&issuer, SYSTEM, &specs, &events, &options);
    let body = request().expect("the history can be sent").body;
    let written = write(&body);
    let subjects = [
        Subject::memcpy(&written),
        Subject::new("serde_json", || fine(write(&body)), |bytes| *bytes == written),
        Subject::new("canvas", || request().map(|request| write(&request.body)), |bytes| *bytes == written),
        Subject::new("canvas, unwritten", || request().map(|request| request.body), |made| *made == body),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

fn write(body: &Value) -> Vec<u8> {
    serde_json::to_vec(body).expect("JSON in memory can be written")
}

/// Answers of the model, each of which calls a tool, with the results.
fn history(wire: Wire, bytes_each: usize) -> Vec<Event> {
    let mut events = vec![Event::user("Merge the doubles in the list, one at a time.")];
    for turn in 0..MESSAGES / 2 {
        let answer = numbered(stream::answer(wire, bytes_each), turn);
        let calls: Vec<_> = answer.iter().filter_map(Event::call).cloned().collect();
        events.extend(answer);
        for call in calls {
            let context = "- a line of the list beside it\n".repeat(bytes_each / 32);
            let reply = json!({"ok": true, "revision_id": format!("rev-{turn}"), "context": context});
            events.push(Event::result(call.id, call.name, reply));
        }
    }
    events
}

/// The same answer with a call of its own id, in its part too.
fn numbered(answer: Vec<Event>, turn: usize) -> Vec<Event> {
    let Some(id) =
        answer.iter().filter_map(Event::call).map(|call| call.id.clone()).find(|id| !id.is_empty())
    else {
        return answer;
    };
    let json = serde_json::to_string(&answer).expect("events can be written");
    serde_json::from_str(&json.replace(&id, &format!("{id}{turn}"))).expect("events can be read")
}

fn specs() -> Vec<ToolSpec> {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    let tools = Tools::new(DocumentTools::default()).expect("one toolset");
    tools.specs(&engine)
}
