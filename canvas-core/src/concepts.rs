//! The words of this crate, and how they work together in a call and in a turn.
//!
//! Read this page first, or look up a word when another page uses it. The last part answers common questions.
//!
//! # A canvas and its state
//!
//! * A **canvas** is the unit that people and models share. It has an id ([`CanvasId`]) and up to five **faces**
//!   ([`Face`]). Every canvas has the [`document`]. The others are the [`board`], the [`surface`], the [`recipe`], and
//!   the data that the recipe refreshes.
//! * The **head** ([`Head`]) is the only mutable value of a canvas. A [`Store`] replaces it as a whole by
//!   compare-and-swap, so two writers never both succeed on the same head.
//! * A **revision** ([`Revision`]) is the number of changes of content so far, over all faces. Leases and reads do not
//!   change it. It only grows, so restoring an earlier text also takes a new number. Models see a [`RevisionId`] such
//!   as `r12-3fa94c02`, in which eight digits of the document's hash follow the number.
//! * The **draft** ([`Head::draft`]) is the current tree of files. Every change goes there immediately.
//! * The **artefact** ([`Head::committed`]) is the last promoted tree, which is the version to publish. A **promotion**
//!   ([`Promotion`]) makes the draft's tree the artefact, with all faces. It copies the hashes of the files, not their
//!   content. The artefact's name in the API and in JSON is `committed`. Apart from that name, to *commit* on these
//!   pages means to write to the store.
//! * A **proposal** ([`Proposal`](crate::proposal::Proposal)) is a pending change of the document by one owner, a person or a
//!   conversation. Its **parts** are accepted or rejected one at a time. Proposals are next to the draft, and change neither the
//!   document nor its revision id.
//! * A **tombstone** is the head of a deleted canvas ([`Head::is_deleted`]). It keeps the receipts and the counters, so
//!   if you create the canvas again, no revision, epoch or fence is used twice.
//!
//! # Permission to write
//!
//! * A **conversation** ([`ConversationId`]) is one chat with a model. The canvas remembers which text each
//!   conversation knows, so that you can send the model exactly the changes that are new to it. See
//!   [`SyncLimits::conversations`].
//! * A **session** is one conversation about one canvas with its current turn, as a value that you keep with the chat.
//!   It is the type `Session` of the crate `canvas-tools`.
//! * A **turn** ([`Turn`]) is the work of models between two user messages. Its number is the count of messages on this
//!   canvas so far. Each call names its turn, and after the next message, check-outs of the earlier turn are refused.
//! * A **lease** ([`Lease`]) is the right to write to the document, which one conversation can have at a time. By
//!   default, it lasts 15 seconds after it is issued or renewed, and at most 2 minutes in total ([`Policy::lease`]).
//!   Calls under the lease renew it.
//! * The **fence** ([`Fence`]) is a fencing token, the number of leases issued so far. Each lease takes the next number.
//! * The **epoch** ([`Epoch`]) is the number of preemptions so far. A preemption is a message, an edit of the document,
//!   a cancellation or a take-over by the user. It ends the lease if one is held. A store's clock that falls back by
//!   more than the tolerance has the same effect. A lease id such as `lease-3-1` contains fence and epoch, so a
//!   preempted lease never becomes valid again.
//!
//! # Records of work
//!
//! * An **operation key** ([`OpKey`]) names a call by conversation, turn and call id. For calls of people and of the host,
//!   [`OpKey::user`], [`OpKey::person`] and [`OpKey::host`] fill in the first two. To repeat a call, use its key again.
//! * The **actor** ([`Actor`]) of a change is the person, the conversation or the host that made it happen. Its **author**
//!   wrote the content. If a person undoes a model's change, the person is the actor and the model's conversation the author.
//! * A **receipt** is the stored answer of a call under its key. If you repeat the call, you get this answer, and the
//!   call does not run twice. By default, a change's receipt is kept for at least 10 minutes
//!   ([`ReceiptLimits::lifetime`]), unless 2,048 newer changes displace it. The receipts of the last 64 refusals are
//!   kept, too. Calls that only read run again instead.
//! * A **directive** is an edit in the form of one JSON object, by offsets or as a diff. It needs no lease, and is
//!   refused while a lease is held. It names the version of the document that it applies to, and runs as a
//!   [`HostEdit`]. Directives are part of `canvas-tools`.
//! * A **recipe** ([`Recipe`](crate::recipe::Recipe)) consists of recorded tool calls, and of mappings from their
//!   responses to components of the board and places of the surface's state. Your host runs these calls, both in the
//!   recorded turn and in each replay.
//!
//! # One call
//!
//! 1. You pass a [`Command`], its key and the current time to [`Engine::call`].
//! 2. The engine decides on the head by pure rules. They check the [`Rollout`], the receipts, the lease, the base
//!    revision and the change itself, in this order, and the first refusal is the answer.
//! 3. The decision consists of an answer, a new head with the receipt, and the new blobs. The engine commits them
//!    together. If another writer was faster, it decides again on the new head.
//! 4. You get [`Answered`], with the answer and a [`Snapshot`] of the canvas.
//!
//! # One turn
//!
//! | step | command | effect |
//! | --- | --- | --- |
//! | the user sends a message | [`SendMessage`] | epoch and turn rise, the draft is promoted, and you get the changes that the conversation does not know |
//! | the model takes the lease | [`CheckOut`] | the fence rises |
//! | the model edits | [`ApplyPatch`] | the revision rises, and the draft changes |
//! | the model returns the lease | [`CheckIn`] | the lease ends, and the draft stays a draft |
//! | the model has answered | [`EndTurn`] | the lease ends if the model still holds it, and the draft is promoted if the epoch did not change since the message |
//!
//! The **lock** of a canvas says who may write to its document. It is in one of three states:
//!
//! ```text
//!              CheckOut (fence + 1)
//!  ┌──────┐ ────────────────────────────▶ ┌──────┐ ──┐ Renew, and calls under the lease;
//!  │ open │                               │ held │   │ CheckOut if the lease is expired (fence + 1)
//!  └──────┘ ◀──────────────────────────── └──────┘ ◀─┘
//!    ▲  │     CheckIn, EndTurn,                │
//!    │  │     Edit (epoch + 1)                 │ Cancel, TakeControl (epoch + 1)
//!    │  │                                      ▼
//!    │  │ Cancel, TakeControl (epoch + 1)  ┌────────┐
//!    │  └────────────────────────────────▶ │ closed │
//!    └──────────────────────────────────── └────────┘
//!         SendMessage (epoch + 1, turn + 1)
//! ```
//!
//! [`SendMessage`] leads to `open` from every state. An [`Edit`](crate::document::Edit) raises the epoch in every
//! state, but does not open a closed turn. The same holds for a user's [`Undo`](crate::history::Undo) in the document.
//! An expired lease stays on record until a [`CheckOut`] replaces it, or a command that leads out of `held` ends it.
//!
//! # Questions
//!
//! ## What does a lease protect?
//!
//! It protects the document from other conversations, and from late writes of its own holder, because one
//! atomic commit both checks the lease and writes. While a lease is valid, other models cannot change the document,
//! whether by patches, directives or their native edit formats. It does not protect the document from the user, who may
//! edit at any time, and it does not cover the other faces.
//!
//! ## What happens if two people type?
//!
//! People do not take leases. To save text while people type, send [`Edit::on`](crate::document::Edit::on) with the
//! revision of the text that the person changed. The second person's edit is then rebased over the first if they do not
//! overlap. If they overlap, the second edit is refused with `PATCH_REJECTED`, and the refusal carries the changes
//! since that revision and the text sent, so that you can show both. The answer's revision is the base of the page's
//! next edit. If the answer says that the edit was moved, show the document's current text
//! before the person continues typing.
//!
//! The other form, [`Edit::overwrite`](crate::document::Edit::overwrite), names no revision and overwrites the current
//! text, including changes that the person never saw. Use it for an import or a reset, not for typing. You can bring
//! the earlier text back with [`Undo`](crate::history::Undo).
//!
//! ## What happens if the user types during a model's turn?
//!
//! The epoch rises and the lease ends. The model's next call under that lease is refused with `STALE_EPOCH`, and the
//! refusal carries the changes. The turn stays open, so the model may check out again and continue. However,
//! [`EndTurn`] then does not promote. The next message does.
//!
//! ## How do I learn of the changes of others?
//!
//! By [`Engine::watch`], which reports each commit of this engine, or by [`Follow`](crate::Follow), which returns every
//! journal entry once and in order. Both are streams without text, so read the document when you need it. If another
//! process uses the same store, call [`Engine::forget`](crate::Engine::forget) when the store reports a change. Models
//! learn of changes with their next message or call.
//!
//! ## How is a change undone?
//!
//! By [`Undo`](crate::history::Undo), which takes back a number of steps, one change, or all changes of an author, on
//! document, board and surface. The undo is itself a new change, and [`Redo`](crate::history::Redo) makes undone steps
//! again. If a later change touched the same place, the undo is refused with `HISTORY_CONFLICT`. People and hosts may
//! undo any change. A model may undo only if no user acted since its turn began, and only changes that it may make
//! itself. The results of tools and jobs stay, and so does the artefact until the next promotion.
//!
//! ## Where is text kept?
//!
//! In the store, as blobs named by their hash. Each blob belongs to one canvas. A document of up to 64 KiB is one blob,
//! and a larger one is a list of chunks. The head names the blobs, directly or through other blobs. It also contains the
//! newest answers, if they have at most 1 KiB. Old texts stay for undo and history until [`Engine::collect`] drops those
//! that the canvas no longer needs. To remove a secret, use [`Engine::erase`].
//!
//! ## What does a replay of a recipe do?
//!
//! It repeats the tool calls without a model, and maps their responses again. This library cannot call your tools, so
//! your host runs each call. `Refresher` of `canvas-tools` drives a whole replay through your `ToolHost`. All results
//! go into the canvas in one commit. If a component or a place of the state cannot be refreshed, it keeps its previous
//! data and is reported as stale, with the reason.
//!
//! ## What does a refusal look like?
//!
//! It is the `Err` of [`Answered::result`], with a stable code, a sentence on how to continue, and data such as the
//! changes. It leaves the content unchanged, and while its receipt is kept, a retry gets the same refusal. So correct
//! the command, and send it under a new key. An [`EngineError`] is different, because it means that the call has no
//! answer. The commit may or may not have happened, so send the same command again under the same key. The [`errors`]
//! page lists all codes.
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! use canvas_core::document::Edit;
//! use canvas_core::lease::Timestamp;
//! use canvas_core::store::MemoryStore;
//! use canvas_core::{CallIds, CanvasId, CodedError as _, Engine, OpKey, Policy};
//!
//! let now = Timestamp::from_millis(1_000);
//! let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
//! let plan = CanvasId::new("plan")?;
//! let ids = CallIds::new(1); // draw the number at random, once per process
//! let created = engine.create(&plan, "- one\n", &OpKey::host(ids.fresh()), now).await?;
//!
//! // Two people edit the same line of the same revision.
//! let edit = |text: &str| Edit::on(created.revision, text);
//! engine.call(&plan, &OpKey::user(ids.fresh()), edit("- two\n"), now).await?.result?;
//! let answered = engine.call(&plan, &OpKey::user(ids.fresh()), edit("- three\n"), now).await?;
//! assert_eq!(answered.snapshot.text(), "- two\n");
//! assert_eq!(answered.result.unwrap_err().code(), "PATCH_REJECTED");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! ## What does the host bring?
//!
//! Four things. A store, which has a clock of its own for leases. The current time of each call, so that the library
//! reads no clock. Ids for canvases, conversations and calls, of 1 to 512 bytes. A call's id must never repeat, even
//! after a restart, and [`CallIds`](crate::CallIds) makes such ids. And an executor of your choice, because every call
//! is a future that spawns no task.
//!
//! ## Who begins and ends a turn?
//!
//! You do. Run [`SendMessage`] when the user sends a message, and [`EndTurn`] when the model's answer is complete or
//! fails. `Session::begin_turn` and `Session::end_turn` of `canvas-tools` do this. If the user stops the model, run
//! [`Cancel`], and if the user takes the document over, [`TakeControl`]. Both close the turn until the next message. A
//! canvas has one turn at a time, so a message in any conversation begins the next turn for all.
//!
//! ## What does "promoted" mean?
//!
//! The draft is now the artefact. [`EndTurn`] promotes only if the epoch is the same as at the start of its turn.
//! Otherwise it returns [`Promotion::Deferred`]. [`SendMessage`] always promotes, so the draft of an interrupted turn
//! waits for the next message. [`CheckIn`] does not promote.
//!
//! ## When is `Head::committed` `None`?
//!
//! From the creation of a canvas until its first promotion, and in tombstones.
//!
//! [`Actor`]: crate::Actor
//! [`Answered`]: crate::Answered
//! [`Answered::result`]: crate::Answered::result
//! [`ApplyPatch`]: crate::document::ApplyPatch
//! [`board`]: crate::board
//! [`Cancel`]: crate::turn::Cancel
//! [`CanvasId`]: crate::CanvasId
//! [`CheckIn`]: crate::lease::CheckIn
//! [`CheckOut`]: crate::lease::CheckOut
//! [`Command`]: crate::Command
//! [`ConversationId`]: crate::ConversationId
//! [`document`]: crate::document
//! [`EndTurn`]: crate::turn::EndTurn
//! [`Engine::call`]: crate::Engine::call
//! [`Engine::collect`]: crate::Engine::collect
//! [`Engine::erase`]: crate::Engine::erase
//! [`Engine::watch`]: crate::Engine::watch
//! [`EngineError`]: crate::EngineError
//! [`Epoch`]: crate::lease::Epoch
//! [`errors`]: crate::errors
//! [`Face`]: crate::Face
//! [`Fence`]: crate::lease::Fence
//! [`Head`]: crate::store::Head
//! [`Head::committed`]: crate::store::Head::committed
//! [`Head::draft`]: crate::store::Head::draft
//! [`Head::is_deleted`]: crate::store::Head::is_deleted
//! [`HostEdit`]: crate::document::HostEdit
//! [`Lease`]: crate::lease::Lease
//! [`OpKey`]: crate::OpKey
//! [`OpKey::host`]: crate::OpKey::host
//! [`OpKey::person`]: crate::OpKey::person
//! [`OpKey::user`]: crate::OpKey::user
//! [`SyncLimits::conversations`]: crate::policy::SyncLimits::conversations
//! [`Policy::lease`]: crate::Policy::lease
//! [`ReceiptLimits::lifetime`]: crate::policy::ReceiptLimits::lifetime
//! [`Promotion`]: crate::turn::Promotion
//! [`Promotion::Deferred`]: crate::turn::Promotion::Deferred
//! [`recipe`]: crate::recipe
//! [`Revision`]: crate::Revision
//! [`Rollout`]: crate::rollout::Rollout
//! [`RevisionId`]: crate::RevisionId
//! [`SendMessage`]: crate::turn::SendMessage
//! [`Snapshot`]: crate::Snapshot
//! [`Store`]: crate::store::Store
//! [`surface`]: crate::surface
//! [`TakeControl`]: crate::turn::TakeControl
//! [`Turn`]: crate::lease::Turn
