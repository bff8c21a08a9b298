//! The pause of a call, or a collection, that loses its commits to other writers.
//!
//! * After one loss, a call has the newest row at hand and goes on at once. A call that loses twice has many
//!   competitors, so it waits after every second loss.
//! * The pause is a share of [`Policy::back_off`](crate::Policy::back_off) derived from the call's key and the
//!   number of its losses. It differs from call to call, so that only a few of many servers try at once. A collection
//!   has no key, so its pause is derived from the version of the row that it lost to.
//! * The engine has no clock. It waits with the function that the host passes to
//!   [`Engine::with_sleep`](crate::Engine::with_sleep).

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use super::trace::Trace;
use crate::model::blob::BlobId;
use crate::model::op_key::OpKey;

type Pausing = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The host's function to wait with; `None` if the host did not set one.
#[derive(Default)]
pub(super) struct Pause(Option<Box<dyn Fn(Duration) -> Pausing + Send + Sync>>);

impl Pause {
    pub(super) fn by<F>(pause: impl Fn(Duration) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self(Some(Box::new(move |time| Box::pin(pause(time)))))
    }

    /// Whether the host set a function to wait with.
    pub(super) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    /// Waits if `who` must pause after that number of losses. Returns whether it waited.
    pub(super) async fn wait(&self, trace: Trace<'_>, longest: Duration, losses: u32, who: &str) -> bool {
        let Some(pause) = &self.0 else { return false };
        let time = share(longest, losses, who);
        if time.is_zero() {
            return false;
        }
        trace.backed_off(losses, time);
        pause(time).await;
        true
    }
}

/// Returns the text from which a call's pause is derived.
pub(super) fn name(operation: &OpKey) -> String {
    operation.operation().as_str().to_owned()
}

fn share(longest: Duration, losses: u32, who: &str) -> Duration {
    if !losses.is_multiple_of(2) {
        return Duration::ZERO;
    }
    let chance = BlobId::of(format!("{losses} {who}").as_bytes());
    longest.mul_f64(f64::from(chance.as_bytes()[0]) / 255.0)
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "the host's" } else { "none" })
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::model::id::{CallId, ConversationId};

    #[test]
    fn pauses_are_spread_over_their_whole_length() {
        let longest = Duration::from_millis(24);
        let conversation = ConversationId::new("model").unwrap();
        let pauses = (0..1_000).map(|call| {
            let call = CallId::new(&format!("toolu_{call}")).unwrap();
            let key = name(&OpKey::of(conversation.clone(), call));
            assert_eq!(share(longest, 1, &key), Duration::ZERO);
            assert_eq!(share(longest, 2, &key), share(longest, 2, &key));
            share(longest, 2, &key)
        });
        let mut thirds = [0; 3];
        pauses.for_each(|pause| thirds[(pause.as_millis() * 3 / 25) as usize] += 1);
        assert!(thirds.iter().all(|third| (250..420).contains(third)), "{thirds:?}");
    }
}
