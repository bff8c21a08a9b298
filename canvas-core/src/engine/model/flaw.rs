//! Faults, each of which the model must notice.

/// What the store, the way to it, or the engine's use of its cache does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Flaw {
    /// Commits whatever version the row has.
    ConditionIgnored,
    /// Keeps the head without its receipts.
    ReceiptsForgotten,
    /// Says that an empty bump is done and does nothing.
    BumpLeftOut,
    /// Names versions by revisions, so that a bump moves nothing.
    VersionsOfRevisions,
    /// Commits after the instant after which it must not.
    LimitIgnored,
    /// Judges that instant by the clock of the moment when the commit was sent.
    ClockReadEarly,
    /// Says of a commit whose answer is lost that nothing was written.
    LostCalledDefinite,
    /// Answers that the receipt of an abandoned call is stored, and stores nothing.
    BarLeftOut,
    /// Keeps the cached row when a server is notified of a change.
    NotificationIgnored,
    /// Does not keep the row that a call ends with where any canvas was forgotten since the row was asked for, and leaves
    /// the older one there.
    ForgottenForAll,
    /// Replaces the whole text by what was made from an older one.
    BaseIgnored,
    /// Stores what a patch makes of the text that its author has seen.
    OldText,
    /// Takes a lease anew without looking who has had the canvas since.
    OldLock,
    /// Drops entries of the journal with what is not needed.
    HistoryCollected,
    /// Drops what was not needed at an earlier version of the row.
    CollectedAtAnyVersion,
    /// Starts the tool as soon as the begin of its action is sent, before it is settled.
    StartedUnsettled,
    /// Names the execution of a retry like that of the first try.
    EventNamedTwice,
    /// Answers as soon as the call is decided, before its commit.
    AnsweredEarly,
    /// Answers a call that changes nothing with a commit that was under way before it came.
    AnsweredUponTheOld,
    /// Commits several calls by the latest of the instants after which each must not be.
    LatestLimit,
    /// Stores of several calls the document that the last one leaves, and none between.
    DocumentsBetweenDropped,
    /// Stores of several calls the receipt of the last.
    LastReceiptAlone,
    /// Gives the answers of two calls of a commit to each other's callers.
    AnswersSwapped,
    /// Settles a commit of several calls for the first alone.
    SettledForOne,
    /// Commits a call whose caller has gone while it waited.
    DroppedStays,
}
