//! A pure function that takes the canvas at one moment and a call, and returns a decision.

use std::sync::Arc;

use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::op_key::OpKey;
use crate::model::receipt::{Answer, Digest, Recall, Receipt};
use crate::model::receipts::Occasion;
use crate::proposal::owner::Owner;
use crate::transition::command::{Command, Outcome, StoredAnswer, encode};
use crate::transition::pending::ProposedView;
use crate::transition::policy::Policy;
use crate::transition::refusal::{CallRefusal, Refused as _};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};
use crate::transition::view::{Change, View};

/// The decision on a call, with the change to commit.
#[derive(Debug)]
pub(crate) struct Decided<C: Command> {
    pub(crate) result: Outcome<C>,
    /// Whether the answer comes from a receipt.
    pub(crate) replayed: bool,
    /// The change to commit, or `None` if the canvas stays unchanged.
    pub(crate) change: Option<Change>,
}

impl<C: Command> Decided<C> {
    /// Creates a refusal that leaves no trace.
    fn refused(refusal: CallRefusal) -> Self {
        Self { result: Err(refusal.into()), replayed: false, change: None }
    }
}

/// Decides a call. If several refusals apply, the first in this order is returned: the rollout, the receipt, the lease
/// (epoch, owner, expiry), the base, the change itself.
pub(crate) fn decide<C: Command>(
    view: &View<'_>,
    policy: &Policy,
    (operation, digest): (&OpKey, Digest),
    command: &C,
) -> Result<Decided<C>, Missing> {
    let call = Call { view, policy, operation, digest };
    match call.open(command.access(), C::IS_READ)? {
        Opening::New => {}
        Opening::Refused(refusal) => return Ok(Decided::refused(refusal)),
        Opening::Answered(answer) => {
            return match recalled::<C>(&answer, |id| view.blob(id))? {
                Ok(begun) if C::is_begun(&begun) => resume(view, policy, operation, command, begun),
                result => Ok(Decided { result, replayed: true, change: None }),
            };
        }
    }
    let mut decided = None;
    let change = call.run(C::PROPOSES, &mut |transition| {
        let result = match command.decide(transition, operation) {
            Ok(done) => {
                transition.follow()?;
                transition.date_surface();
                Ok(done)
            }
            Err(Stop::Missing(missing)) => return Err(missing),
            Err(Stop::Refused(refusal)) => {
                transition.refuse(refusal.view());
                Err(*refusal)
            }
        };
        let kept = C::is_kept(&result).then(|| encode::<C>(&result));
        let is_refusal = C::is_refusal(&result);
        decided = Some(result);
        Ok(Ran { kept, is_refusal })
    })?;
    Ok(match change {
        Ok(change) => Decided { result: decided.expect("the command ran"), replayed: false, change },
        Err(refusal) => Decided::refused(refusal),
    })
}

/// A call on the canvas at one moment. What all commands share is compiled once here, rather than for each of them.
#[derive(Clone, Copy)]
struct Call<'a> {
    view: &'a View<'a>,
    policy: &'a Policy,
    operation: &'a OpKey,
    digest: Digest,
}

/// The state of a call before its command runs.
enum Opening {
    New,
    Refused(CallRefusal),
    /// The receipt of an earlier try has this answer.
    Answered(Answer),
}

/// The properties of a result that are the same for all commands.
struct Ran {
    /// The JSON for the receipt, if the result leaves one.
    kept: Option<String>,
    is_refusal: bool,
}

impl Call<'_> {
    fn open(&self, access: Option<Access>, is_read: bool) -> Result<Opening, Missing> {
        let Self { view, policy, operation, digest } = *self;
        if let Some(Err(refusal)) = access.map(|access| policy.permits(access)) {
            return Ok(Opening::Refused(refusal));
        }
        if is_read {
            return Ok(Opening::New);
        }
        Ok(match view.head.receipts.recall(operation, digest, |id| view.blob(id))? {
            Recall::New => Opening::New,
            Recall::Answered(answer) => Opening::Answered(answer),
            Recall::Reused => Opening::Refused(CallRefusal::CallIdReused),
            Recall::Abandoned => Opening::Refused(CallRefusal::Abandoned),
        })
    }

    /// Runs a new call, and returns the change to commit, or a refusal that leaves no trace.
    fn run(
        &self,
        proposes: bool,
        command: &mut dyn FnMut(&mut Transition<'_>) -> Result<Ran, Missing>,
    ) -> Result<Result<Option<Change>, CallRefusal>, Missing> {
        let Self { view, policy, operation, digest } = *self;
        let (focused, shared) = view.head.focus(&policy.lease, view.clock, &operation.conversation).unzip();
        let has_clock_fallen_back =
            shared.as_ref().is_some_and(|shared| !shared.lock.is_same_state(&view.head.lock));
        let real = &View { head: focused.as_ref().unwrap_or(view.head), ..*view };
        let proposed = match proposes {
            true => match ProposedView::of(real, Owner::Conversation(operation.conversation.clone()))? {
                Ok(proposed) => Some(proposed),
                Err(refusal) => return Ok(Err(refusal)),
            },
            false => None,
        };
        let view = &View {
            head: proposed.as_ref().map_or(real.head, |proposed| &proposed.head),
            contents: proposed.as_ref().map_or(real.contents, |proposed| &proposed.contents),
            ..*real
        };
        let mut transition = Transition::new(view, policy, &operation.conversation, shared);
        transition.proposing = proposed.as_ref().map(|proposed| proposed.change(real));
        let Ran { kept, is_refusal } = command(&mut transition)?;
        let needed = match kept {
            None => has_clock_fallen_back || transition.is_worth_a_commit(),
            Some(json) => {
                let answer = Answer::of_json(json, &mut transition.blobs);
                // No write waits for the lease of a turn of its own, so its receipts are kept as any others.
                let has_own_turn = transition.has_own_turn();
                let fence = transition.fence.filter(|_| !has_own_turn);
                let receipt = Receipt { operation: operation.clone(), digest, fence, answer, at: 0 };
                let occasion = Occasion {
                    // A batch on the board may be refused in part.
                    is_refusal: is_refusal && transition.head.revision == view.head.revision,
                    live: transition
                        .head
                        .lock
                        .lease()
                        .map(|lease| lease.id.fence())
                        .filter(|_| !has_own_turn),
                    clock: Some(view.clock),
                };
                let Transition { head, blobs, .. } = &mut transition;
                head.leave_receipt(receipt, occasion, &policy.receipt_bounds(), |id| view.blob(id), blobs);
                true
            }
        };
        Ok(Ok(needed.then(|| change_by(transition))))
    }
}

/// Resumes a call whose first attempt already started an action.
fn resume<C: Command>(
    view: &View<'_>,
    policy: &Policy,
    operation: &OpKey,
    command: &C,
    begun: C::Done,
) -> Result<Decided<C>, Missing> {
    let (focused, shared) = view.head.focus(&policy.lease, view.clock, &operation.conversation).unzip();
    let view = &View { head: focused.as_ref().unwrap_or(view.head), ..*view };
    let mut transition = Transition::new(view, policy, &operation.conversation, shared);
    match command.resume(&mut transition, begun) {
        Ok(done) => {
            let change = (transition.head != *view.head).then(|| change_by(transition));
            Ok(Decided { result: Ok(done), replayed: true, change })
        }
        Err(Stop::Missing(missing)) => Err(missing),
        Err(Stop::Refused(refusal)) => Ok(Decided { result: Err(*refusal), replayed: true, change: None }),
    }
}

fn change_by(mut transition: Transition<'_>) -> Change {
    transition.put_proposal();
    transition.put_turn();
    transition.move_blame();
    let Transition { head, blobs, contents, not_after, actor, .. } = transition;
    Change { head: Arc::new(head), blobs, contents, not_after, actor }
}

/// Reads the answer in a receipt.
pub(crate) fn recalled<'a, C: Command>(
    answer: &Answer,
    blob: impl FnOnce(BlobId) -> Result<&'a Blob, Missing>,
) -> Result<Outcome<C>, Missing> {
    let Some(stored) = stored_answer(answer, blob)? else { return Ok(Err(CallRefusal::Abandoned.into())) };
    // The receipt proves that the call ran, but its answer is unreadable. Refuse rather than run it twice.
    Ok(stored.answer::<C>().unwrap_or_else(|| Err(CallRefusal::CallIdReused.into())))
}

/// Returns any command's answer from a receipt, or `None` if the call was abandoned.
pub(crate) fn stored_answer<'a>(
    answer: &Answer,
    blob: impl FnOnce(BlobId) -> Result<&'a Blob, Missing>,
) -> Result<Option<StoredAnswer>, Missing> {
    Ok(match answer {
        Answer::Inline(json) => Some(StoredAnswer(json.clone())),
        Answer::Stored(id) => Some(StoredAnswer(blob(*id)?.as_text().unwrap_or_default().to_owned())),
        Answer::Abandoned => None,
    })
}
