//! Runs a script: requests are encoded, calls are run, leases renewed. Only the model's answers are recorded.

use std::error::Error;
use std::io::Write;
use std::mem;

use canvas_core::lease::Timestamp;
use canvas_core::proposal::DecideParts;
use canvas_core::turn::Promotion;
use canvas_providers::{
    Body, EncodedRequest, Event, LoopAction, LoopOptions, Outcome, Provider, RequestOptions, ToolLoop,
};
use canvas_tools::{ToolCall, ToolReply};
use serde_json::{Value, json};

use super::host::Host;
use super::report;
use super::script::{Script, UserEdit};
use super::summary::{self, Counts, counted};
use super::terminal::{Style, Symbol, Terminal, grouped};

/// The result of a step; an error is one sentence.
pub(crate) type RunResult<T = ()> = Result<T, Box<dyn Error>>;

/// Milliseconds that the model needs for a token, and a tool for a call.
const TOKEN: u64 = 15;
const CALL: u64 = 20;
/// Maximum lines of a hidden message that are shown.
const HIDDEN: usize = 6;

/// A script that is being run.
pub(crate) struct Runner<'t, W> {
    terminal: &'t mut Terminal<W>,
    host: Host,
    history: Vec<Event>,
    /// The ids that the engine gave last; the script's must equal them.
    lease_id: String,
    revision_id: String,
    counts: Counts,
}

impl<'t, W: Write> Runner<'t, W> {
    /// Makes the script's document a canvas in memory.
    pub(crate) fn open(script: &Script, terminal: &'t mut Terminal<W>) -> RunResult<Self> {
        let host = Host::open(&script.text)?;
        let lines = grouped(script.text.split_inclusive('\n').count());
        terminal.title(&format!("{} as a canvas in memory", script.name))?;
        let size = format!("{lines} lines, {} bytes", grouped(script.text.len()));
        terminal.fact(Symbol::NOTE, "document", Style::Plain, &size)?;
        terminal.fact(Symbol::NOTE, "canvas", Style::Plain, &host.state()?)?;
        let legend = "a request, encoded for Anthropic Messages; after it, the model’s answer";
        terminal.fact(Symbol::SENT, "     n bytes", Style::Plain, legend)?;
        let (lease_id, revision_id) = (String::new(), String::new());
        Ok(Self { terminal, host, history: Vec::new(), lease_id, revision_id, counts: Counts::default() })
    }

    /// The user sends a message: a turn begins.
    pub(crate) fn user_says(&mut self, prompt: &str) -> RunResult {
        self.counts.messages += 1;
        let message = self.counts.messages;
        let began = self.host.message()?;
        let state = format!("{}{}", self.host.state()?, promotion(began.promotion));
        self.terminal.title(&format!("Turn {message}: {state}"))?;
        self.terminal.entry(self.host.now(), Symbol::USER, "user", Style::Bold, prompt)?;
        match began.hidden_message {
            Some(hidden) => self.add_hidden(hidden)?,
            None if message == 1 => {}
            None => {
                let nothing = "no message: the model knows every change";
                self.terminal.fact(Symbol::NOTE, "hidden", Style::Plain, nothing)?;
            }
        }
        self.history.push(Event::user(prompt));
        Ok(())
    }

    /// The model's turn, from the recorded answers. While one of them is written, the user may type.
    pub(crate) fn model_works(&mut self, answers: &[Value], user_edit: Option<&UserEdit>) -> RunResult {
        let mut turn = ToolLoop::new(LoopOptions::default(), mem::take(&mut self.history));
        let (mut asked, mut coming, mut typing) = (0, None, None);
        loop {
            let now = self.host.now();
            match turn.poll(Timestamp::from_millis(now)) {
                LoopAction::SendRequest => {
                    let answer = answers.get(asked).ok_or("the script has too few answers: add one")?;
                    asked += 1;
                    let request = self.encode(answer, turn.events())?;
                    let takes = writing_time(answer);
                    coming = Some((now + takes, answer, request));
                    typing = user_edit
                        .filter(|user_edit| user_edit.during == asked)
                        .map(|user_edit| (now + takes / 2, user_edit));
                }
                LoopAction::Wait { until } => {
                    let (due, answer, request) = coming
                        .as_ref()
                        .ok_or("the loop waits though no request is under way: report this")?;
                    let next = until.map_or(*due, |until| until.as_millis().min(*due));
                    if let Some((time, user_edit)) = typing.take_if(|(time, _)| *time <= next) {
                        self.host.wait_until(time);
                        self.user_types(user_edit)?;
                        continue;
                    }
                    self.host.wait_until(next);
                    if next == *due {
                        let answer = Provider::Anthropic.decode(answer, &request.context)?;
                        self.show_answer(request, &answer.events)?;
                        turn.on_response(answer)?;
                        coming = None;
                    }
                }
                LoopAction::RunCalls(calls) => {
                    for call in calls {
                        self.check_ids(&call)?;
                        let reply = self.run(&call)?;
                        self.counts.count(&reply);
                        turn.on_reply(&call.id, reply)?;
                    }
                }
                LoopAction::RenewLease { lease_id } => {
                    self.counts.renewals += 1;
                    let renewal = self.host.lease_call("canvas_renew_lease", lease_id);
                    let reply = self.run(&renewal)?;
                    turn.on_renewed(lease_id, &reply)?;
                }
                LoopAction::ReleaseLease { lease_id } => {
                    let release = self.host.lease_call("canvas_check_in", lease_id);
                    // A lease that is over already needs no check-in.
                    drop(self.run(&release)?);
                    turn.on_released(lease_id)?;
                }
                LoopAction::Done(Outcome::Completed) if asked == answers.len() => break,
                LoopAction::Done(ending) => {
                    let of = answers.len();
                    return Err(format!("the turn ended after {asked} of {of} answers as {ending:?}").into());
                }
            }
        }
        self.history = turn.into_events();
        Ok(())
    }

    /// The model's turn is over: what changed goes into the history, the draft becomes the artefact.
    pub(crate) fn end_turn(&mut self) -> RunResult {
        let ended = self.host.end_turn()?;
        let state = format!("{}{}", self.host.state()?, promotion(ended.promotion));
        self.terminal.entry(self.host.now(), Symbol::NOTE, "end of turn", Style::Plain, &state)?;
        ended.hidden_message.map_or(Ok(()), |hidden| self.add_hidden(hidden))
    }

    /// From the next turn on, what the model edits waits.
    pub(crate) fn let_propose(&mut self) {
        self.host.let_propose();
    }

    /// The user accepts and rejects parts of what the model proposes.
    pub(crate) fn user_decides(&mut self, decision: &DecideParts) -> RunResult {
        let decided = self.host.decide(decision.clone())?;
        let mut said = Vec::new();
        for (what, parts) in [("accepts", decided.accepted), ("rejects", decided.rejected)] {
            if !parts.is_empty() {
                let parts: Vec<_> = parts.iter().map(ToString::to_string).collect();
                said.push(format!("{what} {}", parts.join(", ")));
            }
        }
        let said = format!("{}: {}", said.join(" and "), self.host.state()?);
        Ok(self.terminal.entry(self.host.now(), Symbol::USER, "user", Style::Bold, &said)?)
    }

    /// Shows the state at the end, and checks it.
    pub(crate) fn summarize(self, script: &Script) -> RunResult {
        self.terminal.title("What is left")?;
        self.terminal.fact(Symbol::NOTE, "canvas", Style::Plain, &self.host.state()?)?;
        self.counts.show(self.terminal)?;
        summary::check(script, self.host.snapshot()?.text(), &self.history, self.terminal)
    }

    /// Encodes the request that would go over the wire, and counts it.
    fn encode(&mut self, answer: &Value, events: &[Event]) -> RunResult<EncodedRequest> {
        let (system, tools) = self.host.tools();
        let model = answer["model"].as_str().unwrap_or("scripted");
        let thinking = json!({"type": "enabled", "budget_tokens": 1_024});
        let extra = [("thinking".to_owned(), thinking)].into_iter().collect();
        let options = RequestOptions { extra, ..RequestOptions::default() };
        let request = Provider::Anthropic.request(
            &Provider::Anthropic.issuer(model),
            &system,
            &tools,
            events,
            &options,
        )?;
        self.counts.requests += 1;
        self.counts.bytes += bytes(&request)?;
        Ok(request)
    }

    fn show_answer(&mut self, request: &EncodedRequest, events: &[Event]) -> RunResult {
        let shown = events.iter().find_map(|event| match &event.body {
            Body::Text(text) => Some((Style::Bold, text.clone())),
            Body::Thinking(text) => Some((Style::Dim, format!("(thinking) {text}"))),
            _ => None,
        });
        let calls = events.iter().filter(|event| event.call().is_some()).count();
        let (style, shown) = shown.unwrap_or_else(|| (Style::Dim, format!("({})", counted(calls, "call"))));
        let size = match bytes(request)? {
            bytes @ 0..100_000 => format!("{:>6} bytes", grouped(bytes)),
            bytes => format!("{:>9} kB", grouped(bytes / 1_000)),
        };
        Ok(self.terminal.entry(self.host.now(), Symbol::SENT, &size, style, &shown)?)
    }

    /// A script is written for ids that the engine gives; where it gives others, the script is wrong.
    fn check_ids(&self, call: &ToolCall) -> RunResult {
        for (name, given) in [("lease_id", &self.lease_id), ("base_revision_id", &self.revision_id)] {
            match call.arguments.get(name).and_then(Value::as_str) {
                Some(scripted) if scripted != given => {
                    let id = &call.id;
                    let problem =
                        format!("call {id} of the script has {name} {scripted}, the engine gave {given}");
                    return Err(format!("{problem}: correct the script").into());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn run(&mut self, call: &ToolCall) -> RunResult<ToolReply> {
        let reply = self.host.call(call);
        report::reply(self.terminal, self.host.now(), call, &reply, self.host.lock()?)?;
        if let Some(lease_id) = reply.lease_id() {
            self.lease_id = lease_id.to_owned();
        }
        if let Some(revision_id) = reply.revision_id() {
            self.revision_id = revision_id.to_owned();
        }
        self.host.wait_until(self.host.now() + CALL);
        Ok(reply)
    }

    fn user_types(&mut self, user_edit: &UserEdit) -> RunResult {
        self.host.edit(user_edit.edit)?;
        let state = format!("while the model writes: {}", self.host.state()?);
        Ok(self.terminal.entry(self.host.now(), Symbol::USER, "user types", Style::Bold, &state)?)
    }

    /// Adds a hidden message to the history, and shows it, which a real host would not do.
    fn add_hidden(&mut self, hidden: String) -> RunResult {
        self.terminal.fact(
            Symbol::NOTE,
            "hidden",
            Style::Plain,
            "message into the history, not onto the screen:",
        )?;
        self.terminal.quoted(&hidden, HIDDEN)?;
        self.history.push(Event::user(hidden));
        Ok(())
    }
}

fn bytes(request: &EncodedRequest) -> RunResult<usize> {
    Ok(serde_json::to_vec(&request.body)?.len())
}

fn writing_time(answer: &Value) -> u64 {
    answer["usage"]["output_tokens"].as_u64().unwrap_or(1).max(1) * TOKEN
}

const fn promotion(promotion: Promotion) -> &'static str {
    match promotion {
        Promotion::Promoted => ", draft promoted",
        Promotion::Unchanged => "",
        Promotion::Deferred => ", draft not promoted: the user has edited",
    }
}
