//! What becomes of a turn that nobody drives any more.

use canvas_tools::CallHost;

use super::transport::Transport;
use super::turn::Turn;
use crate::tool_loop::{Interruption, Outcome};

/// Owns a turn, and hands it to the host where it is dropped before its end.
///
/// A web server drops the future of a request when its client goes away, wherever that waits. The turn in it is cancelled
/// then, as [`Turn::interrupt`] does it, and given to the function of the host, which cannot wait but can spawn:
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
/// The rest waits for the call that is under way and releases the leases; it sends no request and begins no call.
pub struct TurnGuard<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(Turn<T, H>)> {
    /// Both are there until the turn is taken or handed over.
    guarded: Option<(Turn<T, H>, F)>,
}

impl<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(Turn<T, H>)> TurnGuard<T, H, F> {
    /// Guards a turn.
    pub fn new(turn: Turn<T, H>, on_drop: F) -> Self {
        Self { guarded: Some((turn, on_drop)) }
    }

    /// Drives the turn to its end. The future may be dropped and made again.
    pub async fn run(&mut self) -> Outcome {
        self.turn().run().await
    }

    /// The turn.
    pub fn turn(&mut self) -> &mut Turn<T, H> {
        match &mut self.guarded {
            Some((turn, _)) => turn,
            None => unreachable!("the turn is there until the guard is gone"),
        }
    }

    /// The turn without its guard.
    pub fn into_turn(mut self) -> Turn<T, H> {
        match self.guarded.take() {
            Some((turn, _)) => turn,
            None => unreachable!("the turn is there until the guard is gone"),
        }
    }
}

impl<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(Turn<T, H>)> Drop for TurnGuard<T, H, F> {
    fn drop(&mut self) {
        if let Some((mut turn, on_drop)) = self.guarded.take()
            && !turn.is_over()
        {
            turn.interrupt(Interruption::Cancel);
            on_drop(turn);
        }
    }
}

impl<T: Transport, H: CallHost + Clone + 'static, F: FnOnce(Turn<T, H>)> std::fmt::Debug
    for TurnGuard<T, H, F>
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let turn = self.guarded.as_ref().map(|(turn, _)| turn);
        f.debug_struct("TurnGuard").field("turn", &turn).finish_non_exhaustive()
    }
}
