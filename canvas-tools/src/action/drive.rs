//! Driving an execution over an engine and a host.

use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::surface::SurfaceEvent;
use canvas_core::{Engine, EngineError};

use super::host::{SessionHost, ToolHost};
use super::run::{ActionOver, ActionRun, ActionStep};

/// How often the end of an execution is brought to a store that may take it.
const FINISH_TRIES: usize = 3;

impl ActionRun {
    /// Runs the action to its end: begins it, has the host do what it does, finishes it. `notify` gets each event as it
    /// happens.
    ///
    /// Where the future is dropped, the host may have been at work: the execution is lost after its deadline. An error
    /// before the host was asked leaves all as it is, and the same call again is answered.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::call`]. After the host has answered, one that may pass is tried again.
    pub async fn drive<S: Store, H: ToolHost + SessionHost>(
        &mut self,
        engine: &Engine<S>,
        host: &H,
        clock: impl Fn() -> Timestamp + Send,
        mut notify: impl FnMut(SurfaceEvent) + Send,
    ) -> Result<ActionOver, EngineError> {
        self.advance(engine, clock()).await?.into_iter().for_each(&mut notify);
        let outcome = match self.step() {
            ActionStep::Call(invocation) => Some(host.call(&invocation).await),
            ActionStep::Send(message) => Some(host.send(&message).await),
            _ => None,
        };
        if let Some(outcome) = outcome {
            self.settle(outcome);
            let mut tries = 1;
            let events = loop {
                match self.advance(engine, clock()).await {
                    Err(error) if error.retryable() && tries < FINISH_TRIES => tries += 1,
                    ended => break ended?,
                }
            };
            events.into_iter().for_each(notify);
        }
        match self.step() {
            ActionStep::Over(over) => Ok(over.clone()),
            step => unreachable!("the engine answers whatever it is asked, and the host was: {step:?}"),
        }
    }

    /// Has the engine decide what is next: how the action begins, or what becomes of what the host has answered. Gives what
    /// the clients are told. Does nothing while the host is at work, and when all is over.
    ///
    /// For hosts that answer at another time: they call [`ActionRun::settle`] then, and this again.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::call`]. It can be called again.
    pub async fn advance<S: Store>(
        &mut self,
        engine: &Engine<S>,
        now: Timestamp,
    ) -> Result<Vec<SurfaceEvent>, EngineError> {
        Ok(match self.step() {
            ActionStep::Begin(begin) => {
                let answered = engine.call(self.canvas(), &self.operation(), begin.clone(), now).await?;
                self.begun(answered)
            }
            ActionStep::Finish(finish) => {
                let answered = engine.call(self.canvas(), &self.operation(), finish.clone(), now).await?;
                self.finished(answered)
            }
            ActionStep::Call(_) | ActionStep::Send(_) | ActionStep::Over(_) => Vec::new(),
        })
    }
}
