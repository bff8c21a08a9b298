//! Two people and two assistants on one document, in each work mode.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::{collections::BTreeMap, error::Error, io, io::Write as _};

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::turn::{SetWorkMode, WorkMode};
use canvas_core::{CallId, CanvasId, Engine, OpKey, PersonId, Policy};
use canvas_tools::{DocumentTools, Session, ToolCall, ToolReply, Tools};
use serde_json::json;

const DOCUMENT: &str =
    "# Plan\n\n- plan 0\n- plan 1\n- plan 2\n\n# Text\n\n- text 0\n- text 1\n- text 2\n\n# Notes\n\n";

/// An assistant that changes three lines of its own section, one in each request.
struct Assistant {
    session: Session,
    section: &'static str,
    lease: Option<String>,
    done: usize,
    /// The time of its next request; `None` after its turn.
    next: Option<u64>,
    /// The code of each reply, or `OK`.
    codes: Vec<String>,
}

impl Assistant {
    fn request(&self) -> ToolCall {
        let Self { section, done, lease, .. } = self;
        let (name, arguments) = match lease {
            None => ("canvas_check_out", json!({})),
            Some(lease) => {
                let patch = format!("@@\n-- {section} {done}\n+- {section} {done}, checked\n");
                ("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}))
            }
        };
        ToolCall { id: format!("call-{}", self.codes.len()), name: name.into(), arguments }
    }

    fn take(&mut self, reply: &ToolReply, now: u64) {
        self.codes.push(reply.code().unwrap_or("OK").to_owned());
        match reply.code() {
            None if self.lease.is_none() => self.lease = reply.lease_id().map(str::to_owned),
            None => self.done += 1,
            Some("STALE_EPOCH" | "LOCK_NOT_OWNED" | "LEASE_EXPIRED") => self.lease = None,
            Some(_) => {}
        }
        let turn_is_over = reply.body()["error"]["reason"] == "USER_ACTIVE";
        let is_over = self.done == 3 || self.codes.len() == 12 || turn_is_over;
        self.next = (!is_over).then_some(now + 400);
    }
}

/// The final text, the lines that people saved, and for each assistant the number of its changes and its codes.
type Story = (String, Vec<String>, BTreeMap<&'static str, (usize, Vec<String>)>);

pub(crate) async fn story(mode: WorkMode) -> Result<Story, Box<dyn Error>> {
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let (of_store, at) = (clock.clone(), |millis| Timestamp::from_millis(1_000_000 + millis));
    let store = MemoryStore::new(move || Timestamp::from_millis(of_store.load(SeqCst)));
    let (engine, tools) = (Engine::new(store, Policy::default()), Tools::new(DocumentTools::default())?);
    let canvas = CanvasId::new("plan")?;
    engine.create(&canvas, DOCUMENT, &OpKey::host("create".parse()?), at(0)).await?;
    engine.call(&canvas, &OpKey::host("mode".parse()?), SetWorkMode { mode }, at(0)).await?.result?;
    let mut assistants = Vec::new();
    for section in ["plan", "text"] {
        let mut session = Session::open(&engine, canvas.clone(), section.parse()?, at(0)).await?;
        session.begin_turn(&engine, "message".parse()?, at(0)).await?;
        let assistant =
            Assistant { session, section, lease: None, done: 0, next: Some(0), codes: Vec::new() };
        assistants.push(assistant);
    }
    // Each person saves once in 600 ms, so together they save every 300 ms.
    let (mut saved, mut base) = (Vec::new(), engine.snapshot(&canvas, at(0)).await?);
    for now in (0..6_000).step_by(100) {
        clock.store(at(now).as_millis(), SeqCst);
        if now % 300 == 0 {
            let person = PersonId::new(["anna", "bert"][saved.len() % 2])?;
            let line = format!("note {} by {person}", saved.len());
            let edit = Edit::on(base.revision_id(), format!("{}{line}\n", base.text()));
            let key = OpKey::person(person, CallId::new(&line)?);
            engine.call(&canvas, &key, edit, at(now)).await?.result?;
            base = engine.snapshot(&canvas, at(now)).await?;
            saved.push(line);
        }
        for assistant in assistants.iter_mut().filter(|assistant| assistant.next == Some(now)) {
            let call = assistant.request();
            let reply = tools.call(&engine, &mut assistant.session, &call, at(now)).await;
            assistant.take(&reply, now);
        }
    }
    let text = engine.snapshot(&canvas, at(6_000)).await?.text().to_owned();
    let results =
        assistants.into_iter().map(|assistant| (assistant.section, (assistant.done, assistant.codes)));
    Ok((text, saved, results.collect()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    for mode in [WorkMode::Exclusive, WorkMode::Collaborative] {
        let (_, saved, assistants) = canvas_core::testing::block_on(story(mode))?;
        writeln!(out, "{mode:?}: {} notes were saved", saved.len())?;
        for (section, (done, codes)) in assistants {
            writeln!(out, "  {section}: {done} of 3 changes; {}", codes.join(" "))?;
        }
    }
    Ok(())
}
