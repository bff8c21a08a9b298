//! Plays a script: requests are encoded, calls are run, leases renewed. Only the model's answers are given.

use std::error::Error;
use std::io::Write;
use std::mem;

use canvas_core::Promotion;
use canvas_core::lease::Timestamp;
use canvas_providers::{
    Body, EncodedRequest, Event, LoopAction, LoopOptions, Outcome, Provider, RequestOptions, ToolLoop,
};
use canvas_tools::{ToolCall, ToolReply, document_tools, system_prompt};
use serde_json::{Value, json};

use crate::paint::{Ink, Mark, Paint, grouped};
use crate::report;
use crate::script::{Script, Typed};
use crate::stage::Stage;
use crate::sum::{self, Tally, counted};

/// What a step of the play gives; an error is one sentence.
pub(crate) type Played<T = ()> = Result<T, Box<dyn Error>>;

/// Milliseconds that the model takes for a token, and a tool for a call.
const TOKEN: u64 = 15;
const CALL: u64 = 20;
/// Most lines of a hidden message that are shown.
const HIDDEN: usize = 6;

/// A play under way.
pub(crate) struct Play<'p, W> {
    paint: &'p mut Paint<W>,
    stage: Stage,
    history: Vec<Event>,
    /// What the engine gave last, to hold the script against.
    lease_id: String,
    revision_id: String,
    tally: Tally,
}

impl<'p, W: Write> Play<'p, W> {
    /// Makes the script's document a canvas in memory.
    pub(crate) fn open(script: &Script, paint: &'p mut Paint<W>) -> Played<Self> {
        let stage = Stage::open(&script.text)?;
        let lines = grouped(script.text.split_inclusive('\n').count());
        paint.title(&format!("{} as a canvas in memory", script.name))?;
        let size = format!("{lines} lines, {} bytes", grouped(script.text.len()));
        paint.fact(Mark::NOTE, "document", Ink::Plain, &size)?;
        paint.fact(Mark::NOTE, "canvas", Ink::Plain, &stage.state()?)?;
        let legend = "a request, encoded for Anthropic Messages; behind it, the model’s answer";
        paint.fact(Mark::SENT, "     n bytes", Ink::Plain, legend)?;
        let (lease_id, revision_id) = (String::new(), String::new());
        Ok(Self { paint, stage, history: Vec::new(), lease_id, revision_id, tally: Tally::default() })
    }

    /// The user sends a message: a turn begins.
    pub(crate) fn user_says(&mut self, prompt: &str) -> Played {
        self.tally.messages += 1;
        let message = self.tally.messages;
        let began = self.stage.message()?;
        let state = format!("{}{}", self.stage.state()?, promotion(began.promotion));
        self.paint.title(&format!("Turn {message}: {state}"))?;
        self.paint.entry(self.stage.now(), Mark::USER, "user", Ink::Bold, prompt)?;
        match began.hidden_message {
            Some(hidden) => self.tell(hidden)?,
            None if message == 1 => {}
            None => {
                let nothing = "no message: the model knows every change";
                self.paint.fact(Mark::NOTE, "hidden", Ink::Plain, nothing)?;
            }
        }
        self.history.push(Event::user(prompt));
        Ok(())
    }

    /// The model's turn, from the recorded answers. While one of them is written, the user may type.
    pub(crate) fn model_works(&mut self, answers: &[Value], typed: Option<&Typed>) -> Played {
        let mut turn = ToolLoop::new(LoopOptions::default(), mem::take(&mut self.history));
        let (mut asked, mut coming, mut typing) = (0, None, None);
        loop {
            let now = self.stage.now();
            match turn.poll(Timestamp::from_millis(now)) {
                LoopAction::SendRequest => {
                    let answer = answers.get(asked).ok_or("the script has too few answers: add one")?;
                    asked += 1;
                    let request = self.encode(answer, turn.events())?;
                    let takes = writing_time(answer);
                    coming = Some((now + takes, answer, request));
                    typing =
                        typed.filter(|typed| typed.during == asked).map(|typed| (now + takes / 2, typed));
                }
                LoopAction::Wait { until } => {
                    let (due, answer, request) =
                        coming.as_ref().ok_or("the loop waits for nothing: report this")?;
                    let next = until.map_or(*due, |until| until.as_millis().min(*due));
                    if let Some((time, typed)) = typing.take_if(|(time, _)| *time <= next) {
                        self.stage.wait_until(time);
                        self.user_types(typed)?;
                        continue;
                    }
                    self.stage.wait_until(next);
                    if next == *due {
                        let answer = Provider::Anthropic.decode(answer, &request.renames)?;
                        self.show_answer(request, &answer.events)?;
                        turn.on_response(answer)?;
                        coming = None;
                    }
                }
                LoopAction::RunCalls(calls) => {
                    for call in calls {
                        self.check_ids(&call)?;
                        let reply = self.run(&call)?;
                        self.tally.count(&reply);
                        turn.on_reply(&call.id, reply)?;
                    }
                }
                LoopAction::RenewLease { lease_id } => {
                    self.tally.renewals += 1;
                    let renewal = self.stage.lease_call("canvas_renew_lease", lease_id);
                    let reply = self.run(&renewal)?;
                    turn.on_renewed(lease_id, &reply)?;
                }
                LoopAction::ReleaseLease { lease_id } => {
                    let release = self.stage.lease_call("canvas_check_in", lease_id);
                    self.run(&release)?;
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
    pub(crate) fn end_turn(&mut self) -> Played {
        let ended = self.stage.end_turn()?;
        let state = format!("{}{}", self.stage.state()?, promotion(ended.promotion));
        self.paint.entry(self.stage.now(), Mark::NOTE, "end of turn", Ink::Plain, &state)?;
        ended.hidden_message.map_or(Ok(()), |hidden| self.tell(hidden))
    }

    /// Says what has become of it all, and checks it.
    pub(crate) fn sum_up(self, script: &Script) -> Played {
        self.paint.title("What is left")?;
        self.paint.fact(Mark::NOTE, "canvas", Ink::Plain, &self.stage.state()?)?;
        self.tally.show(self.paint)?;
        sum::check(script, self.stage.snapshot()?.text(), &self.history, self.paint)
    }

    /// Encodes the request that would go over the wire.
    fn encode(&mut self, answer: &Value, events: &[Event]) -> Played<EncodedRequest> {
        let tools = document_tools();
        let model = answer["model"].as_str().unwrap_or("scripted");
        let thinking = json!({"type": "enabled", "budget_tokens": 1_024});
        let extra = [("thinking".to_owned(), thinking)].into_iter().collect();
        let options = RequestOptions { extra, ..RequestOptions::default() };
        let request = Provider::Anthropic.request(model, &system_prompt(&tools), &tools, events, &options)?;
        self.tally.requests += 1;
        self.tally.bytes += bytes(&request)?;
        Ok(request)
    }

    fn show_answer(&mut self, request: &EncodedRequest, events: &[Event]) -> Played {
        let said = events.iter().find_map(|event| match &event.body {
            Body::Text(text) => Some((Ink::Bold, text.clone())),
            Body::Thinking(text) => Some((Ink::Dim, format!("(thinking) {text}"))),
            _ => None,
        });
        let calls = events.iter().filter(|event| event.call().is_some()).count();
        let (ink, said) = said.unwrap_or_else(|| (Ink::Dim, format!("({})", counted(calls, "call"))));
        let size = match bytes(request)? {
            bytes @ 0..100_000 => format!("{:>6} bytes", grouped(bytes)),
            bytes => format!("{:>9} kB", grouped(bytes / 1_000)),
        };
        Ok(self.paint.entry(self.stage.now(), Mark::SENT, &size, ink, &said)?)
    }

    /// A script is written for ids that the engine gives; where it gives others, the script is wrong.
    fn check_ids(&self, call: &ToolCall) -> Played {
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
        let reply = self.stage.call(call);
        report::reply(self.paint, self.stage.now(), call, &reply, self.stage.lock()?)?;
        if let Some(lease_id) = reply.lease_id() {
            self.lease_id = lease_id.to_owned();
        }
        if let Some(revision_id) = reply.revision_id() {
            self.revision_id = revision_id.to_owned();
        }
        self.stage.wait_until(self.stage.now() + CALL);
        Ok(reply)
    }

    fn user_types(&mut self, typed: &Typed) -> Played {
        self.stage.edit(typed.edit)?;
        let state = format!("while the model writes: {}", self.stage.state()?);
        Ok(self.paint.entry(self.stage.now(), Mark::USER, "user types", Ink::Bold, &state)?)
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
}

fn bytes(request: &EncodedRequest) -> Played<usize> {
    Ok(serde_json::to_vec(&request.body)?.len())
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
