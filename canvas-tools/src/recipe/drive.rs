//! Drives replays with an engine and a tool host.

use std::sync::{Mutex, MutexGuard, PoisonError};

use canvas_core::board::ComponentId;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{FinishReplay, RunId};
use canvas_core::store::Store;
use canvas_core::{CanvasId, CodedError as _, Engine, OpKey};

use super::error::ReplayError;
use super::pause::ReplayPauses;
use super::replay::{Replay, ReplayReport, ReplayRequest};
use crate::action::ToolHost;

/// Number of attempts to record the end of a replay if the store fails with a retryable error.
const FINISH_TRIES: usize = 3;

/// Replays the recipes of a host's canvases and limits how often each canvas is replayed. Use one value for everything
/// that refreshes, such as users, models and timers.
#[derive(Debug, Default)]
pub struct Refresher {
    pauses: Mutex<ReplayPauses>,
}

impl Refresher {
    /// Begins a replay of the canvas's recipe for the components that its board has. A dry run is not rate limited and
    /// does not delay other replays.
    ///
    /// # Errors
    ///
    /// `RECIPE_NOT_FOUND`, `NOT_IN_RECIPE`, `RATE_LIMITED` within
    /// [`RecipeLimits::pause`](canvas_core::recipe::RecipeLimits) of the last replay, and the errors of
    /// [`Engine::recipe`] and [`Engine::board`].
    pub async fn begin<S: Store>(
        &self,
        engine: &Engine<S>,
        canvas: &CanvasId,
        run: RunId,
        request: ReplayRequest,
    ) -> Result<Replay, ReplayError> {
        let (recipe, _) = engine.recipe(canvas, request.now).await?;
        let recipe = recipe.ok_or_else(ReplayError::no_recipe)?;
        let (board, _) = engine.board(canvas, request.now).await?;
        let is_there = |id: &ComponentId| board.as_ref().is_none_or(|board| board.bounds(id).is_some());
        let (limits, now, is_dry) = (engine.policy().recipe, request.now, request.dry_run);
        let replay = Replay::begin(recipe, engine.ceiling().clone(), limits, run, request, is_there)?;
        if !is_dry {
            self.pauses().begin(canvas, now, limits.pause)?;
        }
        Ok(replay)
    }

    /// Replays the recipe of a canvas to its end, calling the tools one after the other in the order of the recipe.
    /// `operation` must be new, because a repeated request is a separate refresh.
    ///
    /// If the future is dropped before the replay lands, the canvas is unchanged.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Refresher::begin`] and of [`Replay::land`].
    pub async fn refresh<S: Store, H: ToolHost>(
        &self,
        engine: &Engine<S>,
        host: &H,
        (canvas, operation): (&CanvasId, &OpKey),
        run: RunId,
        request: ReplayRequest,
    ) -> Result<ReplayReport, ReplayError> {
        let now = request.now;
        let mut replay = self.begin(engine, canvas, run, request).await?;
        while let Some(call) = replay.next_call() {
            let answer = host.call(&call.invocation).await;
            replay.settle(&call.step, answer)?;
        }
        let Some(finish) = replay.finish() else { unreachable!("each call was answered") };
        replay.land(engine, (canvas, operation), finish, now).await
    }

    fn pauses(&self) -> MutexGuard<'_, ReplayPauses> {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Replay {
    /// Lets the engine decide the command that ends the replay ([`Replay::finish`]). Makes up to three attempts if the
    /// store fails with a retryable error.
    ///
    /// # Errors
    ///
    /// `RECIPE_REPLACED` if the canvas has a different recipe by now, and the errors of [`Engine::call`]. In these
    /// cases nothing is kept.
    pub async fn land<S: Store>(
        self,
        engine: &Engine<S>,
        (canvas, operation): (&CanvasId, &OpKey),
        finish: FinishReplay,
        now: Timestamp,
    ) -> Result<ReplayReport, ReplayError> {
        let mut tries = 1;
        let answered = loop {
            match engine.call(canvas, operation, finish.clone(), now).await {
                Err(error) if error.is_retryable() && tries < FINISH_TRIES => tries += 1,
                answered => break answered?,
            }
        };
        Ok(self.report(&finish, answered.result?))
    }
}
