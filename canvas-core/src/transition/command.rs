//! What may be asked of a canvas: one type a command, each with its own answer and its own refusals.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::model::face::TreeFile;
use crate::model::id::OpKey;
use crate::model::json_text::json_text;
use crate::model::receipt::Digest;
use crate::transition::refusal::{CallRefusal, Refused};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

/// Something that may be asked of a canvas.
///
/// A command of a model needs the lease as far as the [`Rollout`](crate::Rollout) says so; those of users and hosts come
/// first always. Only this library has commands.
pub trait Command: sealed::Decide {
    /// The answer where it was done.
    type Done: Clone + std::fmt::Debug + PartialEq + Serialize + DeserializeOwned;
    /// Why it was not done.
    type Refusal: Clone
        + std::fmt::Debug
        + PartialEq
        + Serialize
        + DeserializeOwned
        + Refused
        + From<CallRefusal>;
}

/// What became of a command.
pub(crate) type Outcome<C> = Result<<C as Command>::Done, <C as Command>::Refusal>;

pub(crate) mod sealed {
    use super::{Access, Command, Digest, OpKey, Outcome, Stop, Transition, TreeFile};

    /// How a command is decided.
    #[expect(unnameable_types, reason = "it seals `Command`")]
    pub trait Decide: Clone + std::fmt::Debug {
        /// The name of the command for observers: that of its type.
        const NAME: &'static str;

        /// The name of an answer in a receipt.
        const KIND: &'static str;

        /// Reads are run again rather than answered from a receipt.
        const IS_READ: bool = false;

        /// What a model does by it; `None` where it is not a model's.
        fn access(&self) -> Option<Access> {
            None
        }

        /// Tells it from others with the same key: a hash of its name and its fields, each with its length.
        fn digest(&self) -> Digest;

        /// Decides it, changing the head as it goes.
        fn decide(
            &self,
            transition: &mut Transition<'_>,
            operation: &OpKey,
        ) -> Result<Self::Done, Stop<Self::Refusal>>
        where
            Self: Command;

        /// Files that it reads besides the document, fetched along with that. What it asks for later costs a round trip
        /// of its own.
        const FILES: &'static [TreeFile] = &[];

        /// Whether an answer leaves a receipt.
        fn is_kept(_: &Outcome<Self>) -> bool
        where
            Self: Command,
        {
            !Self::IS_READ
        }

        /// Whether an answer only says that something has begun. Who asks again is answered by [`Decide::resume`].
        fn is_begun(_: &Self::Done) -> bool
        where
            Self: Command,
        {
            false
        }

        /// What is answered to the same call after it was answered that something has begun. What it changes in the head is
        /// committed, without a receipt of its own; a refusal changes nothing.
        fn resume(&self, _: &mut Transition<'_>, begun: Self::Done) -> Result<Self::Done, Stop<Self::Refusal>>
        where
            Self: Command,
        {
            Ok(begun)
        }

        /// Whether an answer counts as a refusal, which a cached head is not enough for.
        fn is_refusal(outcome: &Outcome<Self>) -> bool
        where
            Self: Command,
        {
            outcome.is_err()
        }
    }
}

/// The name of refusals in receipts.
const REFUSED: &str = "refused";

/// The JSON by which a receipt keeps an answer: that of the answer, with a member `kind` before.
#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'static str,
    #[serde(flatten)]
    answer: &'a T,
}

/// The JSON that a receipt keeps.
pub(crate) fn encode<C: Command>(outcome: &Outcome<C>) -> String {
    match outcome {
        Ok(answer) => encode_answer(C::KIND, answer),
        Err(answer) => encode_answer(REFUSED, answer),
    }
}

/// The JSON of an answer of this kind.
pub(crate) fn encode_answer<T: Serialize>(kind: &'static str, answer: &T) -> String {
    json_text(&Tagged { kind, answer }, 384)
}

/// The answer that a receipt keeps, whatever it answers: the host may not know any more what it asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer(pub(crate) String);

impl StoredAnswer {
    pub(crate) fn of<C: Command>(outcome: &Outcome<C>) -> Self {
        Self(encode::<C>(outcome))
    }

    /// As JSON, with the kind of the answer in the member `kind`: `refused` for refusals.
    pub fn json(&self) -> &str {
        &self.0
    }

    /// Whether the call was refused.
    pub fn is_refusal(&self) -> bool {
        self.members().is_some_and(|(kind, _)| kind == REFUSED)
    }

    /// The answer to a command; `None` where it answers another one.
    pub fn answer<C: Command>(&self) -> Option<Result<C::Done, C::Refusal>> {
        let (kind, members) = self.members()?;
        if kind == REFUSED {
            return serde_json::from_value(Value::Object(members)).ok().map(Err);
        }
        serde_json::from_value(Value::Object(members)).ok().filter(|_| kind == C::KIND).map(Ok)
    }

    fn members(&self) -> Option<(String, Map<String, Value>)> {
        let mut members: Map<String, Value> = serde_json::from_str(&self.0).ok()?;
        match members.remove("kind")? {
            Value::String(kind) => Some((kind, members)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::transition::document::{ApplyPatch, HostEdit, Read, ReplaceLines};
    use crate::transition::edit::Edit;
    use crate::transition::lease::{CheckIn, CheckOut, Renew};
    use crate::transition::native::{ApplyEdits, Look};
    use crate::transition::refusal::{ApplyPatchRefusal, BaseRefusal};
    use crate::transition::stale::StaleBase;
    use crate::transition::turn::{Cancel, EndTurn, Forget, SendMessage, TakeControl};
    use crate::transition::undo::{ClearHistory, Redo, Undo};

    fn read<C: Command>(json: Value) -> Option<Outcome<C>> {
        StoredAnswer(json.to_string()).answer::<C>()
    }

    /// Answers are read as one command's and no other's.
    #[test]
    fn an_answer_is_that_of_its_command() {
        let checked_out = json!({
            "kind": "checked_out", "lease": "lease-1-0", "epoch": 0, "expires_at": 9, "revision": "r1-00000000",
        });
        let forgotten = json!({"kind": "forgotten"});
        let held = json!({"kind": "refused", "refusal": "held", "until": 9});
        assert!(read::<CheckOut>(checked_out.clone()).unwrap().is_ok());
        assert!(read::<Forget>(forgotten.clone()).unwrap().is_ok());
        assert_eq!(read::<CheckOut>(held.clone()).unwrap().unwrap_err().reason(), Some("HELD"));
        assert_eq!((read::<CheckOut>(forgotten), read::<Forget>(checked_out)), (None, None));
        assert_eq!(read::<Edit>(held), None, "an edit meets no lease");
        for damaged in
            [json!({}), json!({"kind": 1}), json!([]), json!({"kind": "refused", "refusal": "new"})]
        {
            assert_eq!(read::<CheckOut>(damaged), None);
        }
    }

    /// Refusals that were written before there were suggestions and parts of changes.
    #[test]
    fn refusals_of_older_versions_are_read() {
        let rejected = |conflicts: Value| {
            read::<ApplyPatch>(
                json!({"kind": "refused", "refusal": "patch_rejected", "conflicts": conflicts}),
            )
        };
        let conflict = json!({"hunk": 0, "reason": "NO_HUNKS", "patch_line": 1});
        assert_eq!(rejected(json!([conflict])).unwrap().unwrap_err().reason(), Some("NO_HUNKS"));
        assert_eq!(rejected(json!([])), None, "a refusal without a conflict is damaged");
        let stale = json!({"kind": "refused", "refusal": "stale_base", "base": null, "changes": null});
        let nothing = StaleBase::of(None);
        let expected = ApplyPatchRefusal::Base(BaseRefusal::StaleBase(Box::new(nothing)));
        assert_eq!(read::<ApplyPatch>(stale), Some(Err(expected)));
    }

    /// Observers are told it, so it is that which the host has written.
    #[test]
    fn a_command_is_named_by_its_type() {
        fn check<C: Command>() {
            let name = std::any::type_name::<C>().rsplit("::").next().unwrap();
            let words = name.chars().flat_map(|c| {
                let gap = c.is_ascii_uppercase().then_some('_');
                gap.into_iter().chain([c.to_ascii_lowercase()])
            });
            assert_eq!(format!("_{}", C::NAME), words.collect::<String>());
        }
        macro_rules! check {
            ($($command:ty)*) => { $(check::<$command>();)* };
        }
        check! { Edit Read ApplyPatch ReplaceLines HostEdit Look ApplyEdits CheckOut Renew CheckIn }
        check! { SendMessage Forget Cancel TakeControl EndTurn Undo Redo ClearHistory }
        #[cfg(feature = "board")]
        check! { crate::board::CreateBoard crate::board::RunBoardCommand }
        #[cfg(feature = "surface")]
        check! {
            crate::surface::CreateSurface crate::surface::UpsertSurface crate::surface::PatchState crate::surface::PlanAction crate::surface::BeginAction
            crate::surface::FinishAction
        }
        #[cfg(feature = "recipe")]
        check! { crate::recipe::RecordRecipe crate::recipe::FinishReplay }
    }
}
