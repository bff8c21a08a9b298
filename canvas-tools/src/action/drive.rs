//! Drives an execution with an engine and a host.

use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::surface::SurfaceEvent;
use canvas_core::{CodedError as _, Engine, EngineError};

use super::host::{SessionHost, ToolHost};
use super::run::{ActionOver, ActionRun, ActionStep};

/// Number of attempts to record the end of an execution if the store fails with a retryable error.
const FINISH_TRIES: usize = 3;

impl ActionRun {
    /// Begins the action, lets the host do its work and finishes the action. `notify` receives each event as it
    /// happens.
    ///
    /// If the future is dropped, the host may already be at work, and the execution is lost after its deadline. An
    /// error before the host starts leaves the canvas unchanged, and the same call can be sent again.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::call`]. After the host's answer, it returns a retryable error only after several
    /// attempts.
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
                    Err(error) if error.is_retryable() && tries < FINISH_TRIES => tries += 1,
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

    /// Lets the engine decide the next step, which is either to begin the action or to record the host's outcome, and
    /// returns the events for clients. Has no effect while the host is at work or when the action is over.
    ///
    /// This is for hosts that answer later. Call [`ActionRun::settle`] with the host's answer, and then this method
    /// again.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::call`]. You can call this method again.
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
