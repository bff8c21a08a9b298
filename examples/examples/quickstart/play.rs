//! Plays a script on a real engine: requests are encoded, calls are run, leases renewed. Only the answers are given.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::text::{Limits, Mode, Options, apply};
use canvas_core::{
    Call, CallId, CanvasId, Command, ConversationId, Engine, MemoryStore, OpKey, Outcome, Policy, Promotion,
    Snapshot, block_on,
};
use canvas_providers::{
    Body, Event, LoopOptions, Next, Outcome as Ending, Provider, RequestOptions, Role, ToolLoop,
};
use canvas_tools::{
    HIDDEN_HEADER, Session, ToolCall, ToolReply, call_document_tool, document_tools, system_prompt,
};
use serde_json::{Value, json};

use crate::paint::{Ink, Mark, Paint, grouped};
use crate::report;
use crate::script::{Script, Typed};

type Played<T = ()> = Result<T, Box<dyn Error>>;

/// Milliseconds that the model takes for a token, and a tool for a call.
const TOKEN: u64 = 15;
const CALL: u64 = 20;
/// Most lines of a hidden message that are shown.
const HIDDEN: usize = 6;

/// A play under way.
pub(crate) struct Play<'p, W> {
    paint: &'p mut Paint<W>,
    engine: Engine<MemoryStore>,
    /// Milliseconds since the curtain rose; what store, leases and loop take for the time.
    clock: Arc<AtomicU64>,
    session: Session,
    history: Vec<Event>,
    /// What the engine gave last, to hold the script against.
    lease_id: String,
    revision_id: String,
    /// Operations of the user and the host so far: their call ids.
    operations: u64,
    tally: Tally,
}

#[derive(Default)]
struct Tally {
    messages: usize,
    requests: usize,
    bytes: usize,
    calls: usize,
    refused: BTreeMap<String, usize>,
    renewals: usize,
}

impl<'p, W: Write> Play<'p, W> {
    /// Makes the script's document a canvas in memory.
    pub(crate) fn open(script: &Script, paint: &'p mut Paint<W>) -> Played<Self> {
        let clock = Arc::new(AtomicU64::new(0));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let engine = Engine::new(store, Policy::default());
        let canvas = CanvasId::new("quickstart")?;
        let creation = OpKey { conversation: user()?, turn: Turn::ZERO, call: CallId::new("create")? };
        let now = Timestamp::from_millis(0);
        block_on(engine.create(&canvas, &script.text, &creation, now))?;
        let session = block_on(Session::join(&engine, canvas, ConversationId::new("chat")?, now))?;
        let lines = script.text.split_inclusive('\n').count();
        let size = format!("{} lines, {} bytes", grouped(lines), grouped(script.text.len()));
        paint.title(&format!("{} as a canvas in memory", script.name))?;
        let play = Self {
            paint,
            engine,
            clock,
            session,
            history: Vec::new(),
            lease_id: String::new(),
            revision_id: String::new(),
            operations: 0,
            tally: Tally::default(),
        };
        play.paint.fact(Mark::NOTE, "document", Ink::Plain, &size)?;
        play.paint.fact(Mark::NOTE, "canvas", Ink::Plain, &play.state()?)?;
        let legend = "a request, encoded for Anthropic Messages; behind it, the model’s answer";
        play.paint.fact(Mark::SENT, "     n bytes", Ink::Plain, legend)?;
        Ok(play)
    }

    /// The user sends a message: a turn begins.
    pub(crate) fn user_says(&mut self, prompt: &str) -> Played {
        self.tally.messages += 1;
        let message = self.tally.messages;
        let (call, now) = (self.call_id()?, self.now());
        let began = block_on(self.session.begin_turn(&self.engine, call, now))?;
        self.paint.title(&format!("Turn {message}: {}{}", self.state()?, promotion(began.promotion)))?;
        self.paint.entry(now.as_millis(), Mark::USER, "user", Ink::Bold, prompt)?;
        match began.hidden_message {
            Some(hidden) => self.tell(hidden)?,
            None if message == 1 => {}
            None => self.paint.fact(
                Mark::NOTE,
                "hidden",
                Ink::Plain,
                "no message: the model knows every change",
            )?,
        }
        self.history.push(Event::user(prompt));
        Ok(())
    }

    /// The model's turn, from the recorded answers. While one of them is written, the user may type.
    pub(crate) fn model_works(&mut self, answers: &[Value], typed: Option<&Typed>) -> Played {
        let mut turn = ToolLoop::new(LoopOptions::default(), mem::take(&mut self.history));
        let (mut asked, mut coming, mut typing) = (0, None, None);
        loop {
            match turn.poll(self.now().as_millis()) {
                Next::SendRequest => {
                    let answer =
                        answers.get(asked).ok_or("the script has no answer to this request: add one")?;
                    asked += 1;
                    let bytes = self.encode(answer, turn.events())?;
                    let (now, takes) = (self.now().as_millis(), writing_time(answer));
                    coming = Some((now + takes, answer, bytes));
                    typing =
                        typed.filter(|typed| typed.during == asked).map(|typed| (now + takes / 2, typed));
                }
                Next::Wait { until } => {
                    let (due, answer, bytes) = coming.ok_or("the loop waits for nothing: report this")?;
                    let next = until.map_or(due, |until| until.min(due));
                    if let Some((at, typed)) = typing.take_if(|(at, _)| *at <= next) {
                        self.clock.store(at, Ordering::Relaxed);
                        self.user_types(typed)?;
                        continue;
                    }
                    self.clock.store(next, Ordering::Relaxed);
                    if next == due {
                        let answer = Provider::Anthropic.decode(answer)?;
                        self.show_answer(bytes, &answer.events)?;
                        turn.on_response(answer)?;
                        coming = None;
                    }
                }
                Next::RunCalls(calls) => {
                    for call in calls {
                        self.check_names(&call)?;
                        let reply = self.run(&call)?;
                        self.tally.count(&reply);
                        turn.on_reply(&call.id, reply)?;
                    }
                }
                Next::RenewLease { lease_id } => {
                    self.tally.renewals += 1;
                    let renewal = self.own_call("canvas_renew_lease", &lease_id);
                    let reply = self.run(&renewal)?;
                    turn.on_renewed(&lease_id, &reply)?;
                }
                Next::ReleaseLease { lease_id } => {
                    let release = self.own_call("canvas_check_in", &lease_id);
                    self.run(&release)?;
                    turn.on_released(&lease_id)?;
                }
                Next::Done(Ending::Completed) if asked == answers.len() => break,
                Next::Done(Ending::Completed) => {
                    return Err(format!("the turn ended after {asked} of {} answers", answers.len()).into());
                }
                Next::Done(ending) => return Err(format!("the turn ended as {ending:?}").into()),
            }
        }
        self.history = turn.into_events();
        Ok(())
    }

    /// The model's turn is over: what changed goes into the history, the draft becomes the artefact.
    pub(crate) fn end_turn(&mut self) -> Played {
        let (call, now) = (self.call_id()?, self.now());
        let ended = block_on(self.session.end_turn(&self.engine, call, now))?;
        let state = format!("{}{}", self.state()?, promotion(ended.promotion));
        self.paint.entry(now.as_millis(), Mark::NOTE, "end of turn", Ink::Plain, &state)?;
        ended.hidden_message.map_or(Ok(()), |hidden| self.tell(hidden))
    }

    /// Says what has become of it all, and checks it.
    pub(crate) fn sum_up(self, script: &Script) -> Played {
        let snapshot = self.snapshot()?;
        let state = self.state()?;
        let Self { paint, history, tally, .. } = self;
        paint.title("What is left")?;
        paint.fact(Mark::NOTE, "canvas", Ink::Plain, &state)?;
        let refused: Vec<String> = tally.refused.iter().map(|(code, n)| format!("{n} × {code}")).collect();
        let (all, failed) =
            (tally.calls, if refused.is_empty() { "none".into() } else { refused.join(", ") });
        let calls = format!("{all}; refused: {failed}; by the loop: {}", counted(tally.renewals, "renewal"));
        paint.fact(Mark::NOTE, "calls", Ink::Plain, &calls)?;
        let requests = format!("{}, of {} bytes together", tally.requests, grouped(tally.bytes));
        paint.fact(Mark::NOTE, "requests", Ink::Plain, &requests)?;

        let typed = snapshot.text().contains(script.typed.words);
        let mark = if typed { Mark::DONE } else { Mark::REFUSED };
        paint.fact(mark, "user’s text", mark.1, if typed { "is in the document" } else { "is lost" })?;
        let mut told = script.text.clone();
        let diffs: Vec<&str> = history.iter().filter_map(hidden_diff).collect();
        // A hidden diff is as long as the change is; no limit may keep the law from being checked.
        let limits = Limits { text_bytes: usize::MAX, patch_bytes: usize::MAX, hunks: usize::MAX };
        let strict = Options { mode: Mode::Strict, limits };
        for diff in &diffs {
            told = apply(&told, diff, &strict)?.into_text();
        }
        let holds = told == snapshot.text();
        let mark = if holds { Mark::DONE } else { Mark::REFUSED };
        let equals = if holds { "=" } else { "is not" };
        let law =
            format!("first snapshot + {} hidden diffs, applied strictly {equals} the document", diffs.len());
        paint.fact(mark, "invariant", mark.1, &law)?;
        if typed && holds { Ok(()) } else { Err("the canvas is not what it should be: report this".into()) }
    }

    /// What would go over the wire, and its bytes.
    fn encode(&mut self, answer: &Value, events: &[Event]) -> Played<usize> {
        let tools = document_tools();
        let model = answer["model"].as_str().unwrap_or("scripted");
        let thinking = json!({"type": "enabled", "budget_tokens": 1_024});
        let extra = [("thinking".to_owned(), thinking)].into_iter().collect();
        let options = RequestOptions { extra, ..RequestOptions::default() };
        let request = Provider::Anthropic.request(model, &system_prompt(&tools), &tools, events, &options)?;
        let bytes = serde_json::to_vec(&request.body)?.len();
        self.tally.requests += 1;
        self.tally.bytes += bytes;
        Ok(bytes)
    }

    fn show_answer(&mut self, bytes: usize, events: &[Event]) -> Played {
        let calls = events.iter().filter(|event| event.call().is_some()).count();
        let said = events.iter().find_map(|event| match &event.body {
            Body::Text(text) => Some((Ink::Bold, text.clone())),
            Body::Thinking(text) => Some((Ink::Dim, format!("(thinking) {text}"))),
            _ => None,
        });
        let (ink, said) = said.unwrap_or_else(|| (Ink::Dim, format!("({})", counted(calls, "call"))));
        let size = match bytes {
            0..100_000 => format!("{:>6} bytes", grouped(bytes)),
            _ => format!("{:>9} kB", grouped(bytes / 1_000)),
        };
        Ok(self.paint.entry(self.now().as_millis(), Mark::SENT, &size, ink, &said)?)
    }

    /// A script is written for ids that the engine gives; where it gives others, the script is wrong.
    fn check_names(&self, call: &ToolCall) -> Played {
        for (name, given) in [("lease_id", &self.lease_id), ("base_revision_id", &self.revision_id)] {
            match call.arguments.get(name).and_then(Value::as_str) {
                Some(said) if said != given => {
                    let id = &call.id;
                    let problem =
                        format!("call {id} of the script has {name} {said}, the engine gave {given}");
                    return Err(format!("{problem}: correct the script").into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn run(&mut self, call: &ToolCall) -> Played<ToolReply> {
        let now = self.now();
        let reply = block_on(call_document_tool(&self.engine, &self.session, call, now));
        let lock = self.lock(&self.snapshot()?);
        report::reply(self.paint, now.as_millis(), call, &reply, lock)?;
        if let Some(lease_id) = reply.lease_id() {
            self.lease_id = lease_id.to_owned();
        }
        if let Some(revision_id) = reply.revision_id() {
            self.revision_id = revision_id.to_owned();
        }
        self.clock.fetch_add(CALL, Ordering::Relaxed);
        Ok(reply)
    }

    fn user_types(&mut self, typed: &Typed) -> Played {
        let markdown = (typed.edit)(self.snapshot()?.text());
        let (call, now) = (self.call_id()?, self.now());
        let operation = OpKey { conversation: user()?, turn: Turn::ZERO, call };
        let edit = Call { operation, command: Command::Edit { markdown } };
        match block_on(self.engine.call(&self.session.canvas, &edit, now))?.outcome {
            Outcome::Edited { .. } => {
                let state = format!("while the model writes: {}", self.state()?);
                Ok(self.paint.entry(now.as_millis(), Mark::USER, "user types", Ink::Bold, &state)?)
            }
            outcome => Err(format!("the user's edit was not taken: {outcome:?}").into()),
        }
    }

    /// A hidden message goes into the history, and, in this example, onto the page.
    fn tell(&mut self, hidden: String) -> Played {
        self.paint.fact(
            Mark::NOTE,
            "hidden",
            Ink::Plain,
            "message into the history, not onto the screen:",
        )?;
        self.paint.quoted(&hidden, HIDDEN)?;
        self.history.push(Event::user(hidden));
        Ok(())
    }

    /// Revision, epoch and lock.
    fn state(&self) -> Played<String> {
        let snapshot = self.snapshot()?;
        let (revision, epoch) = (snapshot.revision_id(), snapshot.head.lease().epoch());
        Ok(format!("{revision}, epoch {epoch}, {}", self.lock(&snapshot)))
    }

    fn lock(&self, snapshot: &Snapshot) -> &'static str {
        match snapshot.head.lease().held_at(&self.engine.policy().lease, snapshot.clock) {
            Some(_) => "locked: “Assistant editing canvas…”",
            None => "unlocked",
        }
    }

    fn snapshot(&self) -> Played<Snapshot> {
        Ok(block_on(self.engine.snapshot(&self.session.canvas, self.now()))?)
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    fn call_id(&mut self) -> Played<CallId> {
        self.operations += 1;
        Ok(CallId::new(&format!("host-{}", self.operations))?)
    }

    /// A call that the loop makes by itself.
    fn own_call(&mut self, name: &str, lease_id: &str) -> ToolCall {
        self.operations += 1;
        let id = format!("host-{}", self.operations);
        ToolCall { id, name: name.into(), arguments: json!({"lease_id": lease_id}) }
    }
}

impl Tally {
    fn count(&mut self, reply: &ToolReply) {
        self.calls += 1;
        if let Some(code) = reply.code() {
            *self.refused.entry(code.to_owned()).or_default() += 1;
        }
    }
}

/// The user's own operations are kept under this name.
fn user() -> Played<ConversationId> {
    Ok(ConversationId::new("user")?)
}

fn writing_time(answer: &Value) -> u64 {
    answer["usage"]["output_tokens"].as_u64().unwrap_or(1).max(1) * TOKEN
}

const fn promotion(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Promoted => ", draft promoted",
        Promotion::Unchanged => "",
        Promotion::StaleEpoch => ", draft not promoted: the user came between",
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The diff that a hidden message carries, without its code fence.
fn hidden_diff(event: &Event) -> Option<&str> {
    let Body::Text(text) = &event.body else { return None };
    let fenced =
        text.strip_prefix(HIDDEN_HEADER).filter(|_| event.role == Role::User)?.trim_start_matches('\n');
    let (opening, diff) = fenced.split_once('\n')?;
    diff.strip_suffix(opening.strip_suffix("diff")?)
}
