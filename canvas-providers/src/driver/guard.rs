//! Hands a turn back to the host if it is dropped before its end.

use canvas_tools::CallHost;

use super::transport::Transport;
use super::turn::TurnDriver;
use crate::tool_loop::{Interruption, Outcome};

/// Owns a turn, and hands it to the host if the guard is dropped before the turn is over.
///
/// A web server drops the future of a request when its client disconnects, at any await point. The guard then cancels
/// the turn, like [`TurnDriver::interrupt`], and passes it to the host's function, which cannot wait but can spawn a
/// task:
///
/// ```text
/// let mut guard = TurnGuard::new(turn, |mut rest| {
///     tokio::spawn(async move {
///         rest.run().await;
///         save(rest.into_events());
///     });
/// });
/// let outcome = guard.run().await;
/// ```
///
/// If you run the interrupted turn to its end, it waits for the call under way and releases the leases. It sends no
/// further request and begins no further call.
pub struct TurnGuard<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(TurnDriver<T, H>)> {
    /// `Some` until the turn is taken or handed over.
    guarded: Option<(TurnDriver<T, H>, F)>,
}

impl<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(TurnDriver<T, H>)> TurnGuard<T, H, F> {
    /// Guards a turn. If the guard is dropped before the turn is over, `on_drop` gets the interrupted turn.
    pub fn new(turn: TurnDriver<T, H>, on_drop: F) -> Self {
        Self { guarded: Some((turn, on_drop)) }
    }

    /// Drives the turn to its end. You can drop this future and call `run` again to continue.
    pub async fn run(&mut self) -> Outcome {
        self.turn().run().await
    }

    /// Returns the guarded turn.
    pub fn turn(&mut self) -> &mut TurnDriver<T, H> {
        match &mut self.guarded {
            Some((turn, _)) => turn,
            None => unreachable!("the turn is there until the guard is gone"),
        }
    }

    /// Returns the turn and ends its protection: `on_drop` is not called.
    pub fn into_turn(mut self) -> TurnDriver<T, H> {
        match self.guarded.take() {
            Some((turn, _)) => turn,
            None => unreachable!("the turn is there until the guard is gone"),
        }
    }
}

impl<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(TurnDriver<T, H>)> Drop for TurnGuard<T, H, F> {
    fn drop(&mut self) {
        if let Some((mut turn, on_drop)) = self.guarded.take()
            && !turn.is_over()
        {
            turn.interrupt(Interruption::Cancel);
            on_drop(turn);
        }
    }
}

impl<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(TurnDriver<T, H>)> std::fmt::Debug
    for TurnGuard<T, H, F>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let turn = self.guarded.as_ref().map(|(turn, _)| turn);
        f.debug_struct("TurnGuard").field("turn", &turn).finish_non_exhaustive()
    }
}
