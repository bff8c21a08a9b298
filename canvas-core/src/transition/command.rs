//! Commands on a canvas. Each is a type of its own, with its own answer and its own refusals.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::model::face::TreeFile;
use crate::model::json_text::json_text;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::transition::refusal::{CallRefusal, Refused};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

/// A command on a canvas.
///
/// A model's command needs the lease if the [`Rollout`](crate::rollout::Rollout) requires it. Commands of users never
/// need it. The trait is sealed, so only this library defines commands.
pub trait Command: sealed::Decide {
    /// The answer if the command was executed.
    type Done: Clone + std::fmt::Debug + PartialEq + Send + Serialize + DeserializeOwned;
    /// The error if the command was refused.
    type Refusal: Clone
        + std::fmt::Debug
        + PartialEq
        + Send
        + Serialize
        + DeserializeOwned
        + Refused
        + From<CallRefusal>;
}

/// Either the answer or the refusal of a command.
pub(crate) type Outcome<C> = Result<<C as Command>::Done, <C as Command>::Refusal>;

pub(crate) mod sealed {
    use super::{Access, Command, Digest, OpKey, Outcome, Stop, Transition, TreeFile};

    /// The decision logic of a command.
    #[expect(unnameable_types, reason = "it seals `Command`")]
    pub trait Decide: Clone + std::fmt::Debug + Send + Sync {
        /// The name of the command for observers, which is the name of its type.
        const NAME: &'static str;

        /// The value of `kind` in a receipt's answer.
        const KIND: &'static str;

        /// Whether this is a read. Reads run again instead of being answered from a receipt.
        const IS_READ: bool = false;

        /// Returns the access that a model needs for it, or `None` if the command does not come from a model.
        fn access(&self) -> Option<Access> {
            None
        }

        /// Distinguishes commands with the same key. The digest is a hash of the name and the fields, each with its
        /// length.
        fn digest(&self) -> Digest;

        /// Decides the command, and changes the head while it does so.
        fn decide(
            &self,
            transition: &mut Transition<'_>,
            operation: &OpKey,
        ) -> Result<Self::Done, Stop<Self::Refusal>>
        where
            Self: Command;

        /// Files to read in addition to the document, fetched together with it. Each file requested later costs another
        /// round trip.
        const FILES: &'static [TreeFile] = &[];

        /// Whether the command reads or changes nothing but the document, a lease and a turn, so that it can run in a
        /// proposal.
        const IS_OF_TEXT: bool = false;

        /// Whether the command runs in the proposal of its conversation.
        const PROPOSES: bool = false;

        /// Whether an answer leaves a receipt.
        fn is_kept(_: &Outcome<Self>) -> bool
        where
            Self: Command,
        {
            !Self::IS_READ
        }

        /// Whether an answer only reports that something has begun. A retry is then answered by [`Decide::resume`].
        fn is_begun(_: &Self::Done) -> bool
        where
            Self: Command,
        {
            false
        }

        /// Answers a retry of a call whose action already began. Its changes of the head are committed without a
        /// receipt of their own. A refusal leaves the head unchanged.
        fn resume(&self, _: &mut Transition<'_>, begun: Self::Done) -> Result<Self::Done, Stop<Self::Refusal>>
        where
            Self: Command,
        {
            Ok(begun)
        }

        /// Whether an answer counts as a refusal. A refusal must not be based on a cached head.
        fn is_refusal(outcome: &Outcome<Self>) -> bool
        where
            Self: Command,
        {
            outcome.is_err()
        }
    }
}

/// The value of `kind` for refusals in receipts.
const REFUSED: &str = "refused";

/// The JSON form of an answer in a receipt, which is the answer's own JSON with a leading member `kind`.
#[derive(Serialize)]
struct Tagged<'a, T> {
    kind: &'static str,
    #[serde(flatten)]
    answer: &'a T,
}

/// Encodes a result as the JSON of a receipt.
pub(crate) fn encode<C: Command>(outcome: &Outcome<C>) -> String {
    match outcome {
        Ok(answer) => encode_answer(C::KIND, answer),
        Err(answer) => encode_answer(REFUSED, answer),
    }
}

pub(crate) fn encode_answer<T: Serialize>(kind: &'static str, answer: &T) -> String {
    json_text(&Tagged { kind, answer }, 384)
}

/// An answer of any command, as stored in a receipt. The host may no longer know which command it sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer(pub(crate) String);

impl StoredAnswer {
    pub(crate) fn of<C: Command>(outcome: &Outcome<C>) -> Self {
        Self(encode::<C>(outcome))
    }

    /// Returns the JSON of the answer. Its member `kind` names the kind of the answer, which is `refused` for refusals.
    pub fn json(&self) -> &str {
        &self.0
    }

    /// Whether the call was refused.
    pub fn is_refusal(&self) -> bool {
        self.members().is_some_and(|(kind, _)| kind == REFUSED)
    }

    /// Parses the answer to a command. Returns `None` if the answer belongs to another command.
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
    use crate::model::error::CodedError as _;
    use crate::transition::document::{ApplyPatch, HostEdit, Read, ReplaceLines};
    use crate::transition::edit::Edit;
    use crate::transition::lease::{CheckIn, CheckOut, Renew};
    use crate::transition::native::{ApplyEdits, Look};
    use crate::transition::protected::SetProtected;
    use crate::transition::refusal::{ApplyPatchRefusal, BaseRefusal};
    use crate::transition::stale::StaleBase;
    use crate::transition::structure::EditStructure;
    use crate::transition::turn::{Cancel, EndTurn, Forget, SendMessage, TakeControl};
    use crate::transition::undo::{ClearHistory, Redo, Undo};
    use crate::transition::work_mode::SetWorkMode;

    fn read<C: Command>(json: Value) -> Option<Outcome<C>> {
        StoredAnswer(json.to_string()).answer::<C>()
    }

    /// An answer is read only as its own command's.
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

    /// Refusals from before suggestions and partial changes existed.
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

    /// Observers get this name, so it must match the type that the host wrote.
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
        check! { Edit Read ApplyPatch ReplaceLines EditStructure HostEdit Look ApplyEdits CheckOut Renew CheckIn }
        check! { SendMessage Forget Cancel TakeControl EndTurn Undo Redo ClearHistory SetWorkMode SetProtected }
        #[cfg(feature = "board")]
        check! { crate::board::CreateBoard crate::board::RunBoardCommand }
        #[cfg(feature = "surface")]
        check! {
            crate::surface::CreateSurface crate::surface::UpsertSurface crate::surface::PatchState
            crate::surface::PlanAction crate::surface::BeginAction crate::surface::FinishAction
        }
        #[cfg(feature = "recipe")]
        check! { crate::recipe::RecordRecipe crate::recipe::FinishReplay }
    }
}
