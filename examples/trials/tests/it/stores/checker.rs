//! Holds what servers say against the model, also where nobody can know yet what has happened.
//!
//! The checker keeps every world that may be the real one. A commit whose answer was lost splits a world in two: one
//! where it was done, one where it was not and may still arrive. What is said and seen afterwards drops the worlds
//! that do not fit. Where none is left, the store or the engine has broken a promise.

use canvas_core::BlobId;

use super::model::{Command, Decision, Millis, Model, Op, Terms};
use super::row::{Access, Row};
use super::transcript::text;

/// A command that was sent to a server.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) op: Op,
    pub(crate) command: Command,
}

/// What the caller of a server got to hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Answer {
        code: String,
        replayed: bool,
    },
    /// Nothing was written, and nothing will be.
    Failed,
    /// It may have been done, and it may still be.
    Unknown,
    /// The server went down.
    Crashed,
}

/// What happened while a command was under way.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// Time has passed.
    Passed,
    /// A commit of this server was done, whether it has heard of it or not.
    Landed,
    /// Another server was asked this, and answered before.
    Other(Asked, Reported, Said),
    /// A commit that was on its way has arrived and was done.
    Arrived,
}

/// What a server may take the time for.
#[derive(Debug, Clone)]
pub(crate) struct Reported {
    /// What it may believe at the start: what it learns now, and what follows from what it learned before.
    pub(crate) clocks: Vec<Millis>,
    /// How far the clock that it learns is ahead of the right one.
    pub(crate) ahead: i64,
}

/// A command and all that was going on around it.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) asked: Asked,
    pub(crate) reported: Reported,
    /// What happened meanwhile, each with the clock after it.
    pub(crate) events: Vec<(Event, Millis)>,
    /// Some load was answered from the past.
    pub(crate) stale: bool,
}

/// What may have happened, as far as anybody can know.
#[derive(Debug, Clone, PartialEq)]
struct World {
    model: Model,
    sent: Vec<Sent>,
}

/// A commit that may still arrive: it was decided on a row, and can only land where that row has not moved.
#[derive(Debug, Clone, PartialEq)]
struct Sent {
    base: Model,
    next: Model,
    limit: Option<Millis>,
}

#[derive(Debug, Clone, PartialEq)]
struct Case {
    world: World,
    /// What the canvas has been since the round began.
    past: Vec<Model>,
    /// Answer, and whether it was in a receipt. None where the command is not done yet.
    done: Option<(String, bool)>,
}

#[derive(Debug)]
pub(crate) struct Checker {
    terms: Terms,
    /// Whether clocks are real: then nothing is said of instants.
    is_timeless: bool,
    now: Millis,
    worlds: Vec<World>,
    /// Every row that there may have been.
    past: Vec<Model>,
}

impl Checker {
    pub(crate) fn new(terms: Terms, is_timeless: bool, now: Millis) -> Self {
        let world = World { model: Model::default(), sent: Vec::new() };
        Self { terms, is_timeless, now, past: Vec::new(), worlds: vec![world] }
    }

    /// A canvas as it may be.
    pub(crate) fn model(&self) -> &Model {
        &self.worlds[0].model
    }

    /// Takes what a server said to a command.
    pub(crate) fn hear(&mut self, round: &Round, said: &Said) -> Result<(), String> {
        let Reported { mut clocks, ahead } = round.reported.clone();
        let cases =
            self.worlds.iter().map(|world| Case { world: world.clone(), past: Vec::new(), done: None });
        let mut cases = self.branch(cases.collect(), round, &clocks, false);
        for (event, now) in &round.events {
            self.now = *now;
            cases = self.happens(cases, event);
            clocks.push(now.saturating_add_signed(ahead));
            cases = self.branch(cases, round, &clocks, matches!(event, Event::Landed | Event::Arrived));
        }
        let mut worlds = Vec::new();
        for mut case in cases {
            let past = std::mem::take(&mut case.past);
            let fit = self.fits(case, round, &clocks, said);
            if !fit.is_empty() {
                self.remember(past);
            }
            worlds.extend(fit);
        }
        self.keep(worlds);
        self.at_least_one(|| format!("{:?} was answered {said:?}, which fits nothing", round.asked))
    }

    /// Time has passed.
    pub(crate) fn pass(&mut self, now: Millis) {
        self.now = now;
    }

    /// Some commit that was on its way has arrived and was done.
    pub(crate) fn arrived(&mut self) {
        let worlds = self.worlds.iter().flat_map(|world| world.arrived(self.now)).collect();
        self.keep(worlds);
    }

    /// Takes what is stored, in the words of [`Checker::describe`].
    pub(crate) fn see(&mut self, stored: &str) -> Result<(), String> {
        let expected: Vec<_> = self.worlds.iter().map(|world| self.describe(&world.model)).collect();
        let mut fits = expected.iter().map(|expected| expected == stored);
        self.worlds.retain(|_| fits.next() == Some(true));
        self.at_least_one(|| {
            format!("the store has\n  {stored}\nand should have one of\n  {}", expected.join("\n  "))
        })
    }

    /// What anybody can see of a canvas, in one line.
    pub(crate) fn describe(&self, model: &Model) -> String {
        let Some(row) = &model.row else { return "nothing".to_owned() };
        let Row { revision, epoch, fence, turn, mark, start, .. } = row;
        let mark = if self.is_timeless { 0 } else { *mark };
        let access = match &row.access {
            Access::Closed => "closed".to_owned(),
            Access::Open => "open".to_owned(),
            Access::Held(hold) => {
                let until = if self.is_timeless { 0 } else { hold.expires };
                let Op { who, turn, call } = hold.op;
                format!("held by {}/{turn}/{call} until {until}", who.name())
            }
        };
        let artefact = row.artefact.as_ref().map(|lines| BlobId::of_document(&text(lines)).to_string());
        let artefact = artefact.unwrap_or_else(|| "none".to_owned());
        let content = if row.deleted { "deleted".to_owned() } else { row.text().join("|") };
        format!(
            "r{revision} e{epoch} f{fence} t{turn} at {mark} {access}, began e{}-r{}, artefact {artefact}, text {content}",
            start.0, start.1
        )
    }

    fn at_least_one(&self, problem: impl FnOnce() -> String) -> Result<(), String> {
        if self.worlds.is_empty() { Err(problem()) } else { Ok(()) }
    }

    fn keep(&mut self, worlds: Vec<World>) {
        self.worlds.clear();
        for mut world in worlds {
            world.sent.retain(|sent| sent.base == world.model);
            if !self.worlds.contains(&world) {
                self.worlds.push(world);
            }
        }
        self.remember(self.worlds.iter().map(|world| world.model.clone()).collect());
    }

    fn remember(&mut self, models: Vec<Model>) {
        for model in models {
            if model.row.is_some() && !self.past.contains(&model) {
                self.past.push(model);
            }
        }
    }

    fn decide(&self, model: &Model, clock: Millis, asked: &Asked) -> Decision {
        let clock = if self.is_timeless { 0 } else { clock };
        model.decide(self.terms, clock, asked.op, &asked.command)
    }

    /// Every way in which the command may be done at this moment, beside not being done yet: where a commit has
    /// landed, it may have been that of the command. Where its answer was lost, the server asks again: one that is
    /// done is then answered from its receipt, and a read, which leaves none, is done again.
    fn branch(&self, cases: Vec<Case>, round: &Round, clocks: &[Millis], landed: bool) -> Vec<Case> {
        let is_read = matches!(round.asked.command, Command::Read(_));
        let mut all = cases.clone();
        for case in cases {
            for clock in clocks {
                for (world, answer) in self.outcomes(&case.world, &round.asked, *clock, round.reported.ahead)
                {
                    if world == case.world || (landed && case.done.is_none()) {
                        push_new(&mut all, case.becomes(world.clone(), Some(answer)));
                    }
                    if landed && is_read && case.done.is_none() {
                        push_new(&mut all, case.becomes(world, None));
                    }
                }
            }
            if round.stale && case.done.is_none() {
                self.past_answers(&case, round, clocks, &mut all);
            }
        }
        all
    }

    /// A load from the past makes an answer of the past, where nothing is committed for it.
    fn past_answers(&self, case: &Case, round: &Round, clocks: &[Millis], all: &mut Vec<Case>) {
        for past in self.past.iter().chain(&case.past) {
            for clock in clocks {
                let decision = self.decide(past, *clock, &round.asked);
                if decision.next == *past {
                    let done = Some((decision.answer, decision.replayed));
                    push_new(all, Case { done, ..case.clone() });
                }
            }
        }
    }

    /// The worlds after a command that is done now, with its answers.
    fn outcomes(
        &self,
        world: &World,
        asked: &Asked,
        clock: Millis,
        ahead: i64,
    ) -> Vec<(World, (String, bool))> {
        let decision = self.decide(&world.model, clock, asked);
        let now = self.now.saturating_add_signed(ahead);
        if decision.limit.is_some_and(|limit| !self.is_timeless && now >= limit) {
            return Vec::new();
        }
        let mut after = vec![];
        if let Some(also) = decision.also {
            after.push((world.clone(), (also, true)));
        }
        let next = World { model: decision.next, ..world.clone() };
        after.push((next, (decision.answer, decision.replayed)));
        after
    }

    fn happens(&self, cases: Vec<Case>, event: &Event) -> Vec<Case> {
        let mut after = Vec::new();
        for case in cases {
            let worlds = match event {
                Event::Passed | Event::Landed => vec![case.world.clone()],
                Event::Arrived => case.world.arrived(self.now),
                Event::Other(asked, Reported { clocks, ahead }, said) => {
                    let all =
                        clocks.iter().flat_map(|clock| self.outcomes(&case.world, asked, *clock, *ahead));
                    all.filter(|(_, answer)| agrees(answer, said)).map(|(world, _)| world).collect()
                }
            };
            for world in worlds {
                push_new(&mut after, case.becomes(world, case.done.clone()));
            }
        }
        after
    }

    /// The worlds of a case that fit to what was said.
    fn fits(&self, case: Case, round: &Round, clocks: &[Millis], said: &Said) -> Vec<World> {
        match (said, case.done) {
            (Said::Answer { .. }, Some(answer)) if agrees(&answer, said) => vec![case.world],
            (Said::Answer { .. }, _) | (Said::Failed, Some(_)) => Vec::new(),
            (Said::Failed, None) | (Said::Unknown | Said::Crashed, Some(_)) => vec![case.world],
            (Said::Unknown | Said::Crashed, None) => {
                let mut world = case.world;
                for clock in clocks {
                    let Decision { next, limit, .. } = self.decide(&world.model, *clock, &round.asked);
                    if next != world.model {
                        let limit = limit.filter(|_| !self.is_timeless);
                        let limit = limit.map(|limit| limit.saturating_add_signed(-round.reported.ahead));
                        world.sent.push(Sent { base: world.model.clone(), next, limit });
                    }
                }
                vec![world]
            }
        }
    }
}

impl Case {
    fn becomes(&self, world: World, done: Option<(String, bool)>) -> Self {
        let mut past = self.past.clone();
        if self.world.model != world.model {
            past.push(self.world.model.clone());
        }
        Self { world, past, done }
    }
}

impl World {
    fn arrived(&self, now: Millis) -> Vec<Self> {
        let lands = |sent: &&Sent| sent.base == self.model && sent.limit.is_none_or(|limit| now < limit);
        let landed =
            self.sent.iter().filter(lands).map(|sent| Self { model: sent.next.clone(), ..self.clone() });
        std::iter::once(self.clone()).chain(landed).collect()
    }
}

fn push_new(cases: &mut Vec<Case>, case: Case) {
    if !cases.contains(&case) {
        cases.push(case);
    }
}

/// What was said is this answer. One that lies in a receipt is given as a repetition; others may be as well, where an
/// answer was lost on the way to the same server.
fn agrees((expected, replayed): &(String, bool), said: &Said) -> bool {
    match said {
        Said::Answer { code, replayed: said } => code == expected && said >= replayed,
        Said::Failed | Said::Unknown | Said::Crashed => false,
    }
}
