//! Faults, each of which the model must notice.

/// A fault of the store, of the way to it, or of the engine's use of its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Flaw {
    /// Commits whatever version the row has.
    ConditionIgnored,
    /// Keeps the head without its receipts.
    ReceiptsForgotten,
    /// Reports an empty bump as done without writing it.
    BumpLeftOut,
    /// Names versions by revisions, so that a bump keeps the version.
    VersionsOfRevisions,
    /// Commits after the instant after which it must not.
    LimitIgnored,
    /// Judges that instant by the clock of the moment when the commit was sent.
    ClockReadEarly,
    /// Reports a commit whose answer is lost as not written.
    LostCalledDefinite,
    /// Reports the receipt of an abandoned call as stored without storing it.
    BarLeftOut,
    /// Keeps the cached row when a server is notified of a change.
    NotificationIgnored,
    /// Discards the row with which a call ends if any canvas was forgotten since the row was requested, and keeps the
    /// older one in the cache.
    ForgottenForAll,
    /// Replaces the whole text by one made from an older text.
    BaseIgnored,
    /// Stores the result of a patch on the text that its author saw.
    OldText,
    /// Takes a lease again without checking whether another conversation held the canvas in between.
    OldLock,
    /// Decides on the parts that waited when the world began.
    OldParts,
    /// Ends the turns of all conversations with a message to one of them.
    TurnsShared,
    /// Applies a patch without a look at the lines that it quotes as context.
    ContextIgnored,
    /// Drops entries of the journal together with unneeded blobs.
    HistoryCollected,
    /// Drops blobs that were unneeded at an earlier version of the row.
    CollectedAtAnyVersion,
    /// Starts the tool as soon as the begin of its action is sent, before it is settled.
    StartedUnsettled,
    /// Gives the execution of a retry the name of the first one.
    EventNamedTwice,
    /// Answers as soon as the call is decided, before its commit.
    AnsweredEarly,
    /// Answers a call without changes by a commit that was under way before the call came.
    AnsweredUponTheOld,
    /// Commits several calls by the latest of their time limits instead of the earliest.
    LatestLimit,
    /// If a commit has several calls, stores the document of the last one, and not those between.
    DocumentsBetweenDropped,
    /// If a commit has several calls, stores only the receipt of the last one.
    LastReceiptAlone,
    /// Gives the answers of two calls of a commit to each other's callers.
    AnswersSwapped,
    /// Settles a commit of several calls for the first alone.
    SettledForOne,
    /// Commits a call although its caller left while it waited.
    DroppedStays,
}
