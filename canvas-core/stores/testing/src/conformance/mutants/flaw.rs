//! The list of flaws, each with the check that must reveal it.

use crate::conformance::check::Check;

macro_rules! flaws {
    ($($flaw:ident: $text:literal => $check:ident;)*) => {
        /// A flaw of a store. Each mutant has exactly one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Flaw {
            $(#[doc = concat!("It ", $text, ".")] $flaw,)*
        }

        impl Flaw {
            /// All flaws, in the order of the table in [`mutants`](super).
            pub const ALL: &[Self] = &[$(Self::$flaw),*];

            /// Returns the behaviour in words, as a predicate such as "drops no blobs".
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$flaw => $text,)*
                }
            }

            /// Returns the check that must reveal the flaw. Other checks may reveal it too.
            pub const fn killed_by(self) -> Check {
                match self {
                    $(Self::$flaw => Check::$check,)*
                }
            }
        }
    };
}

flaws! {
    InventsRows: "gives an empty row for a canvas that it does not have" => UnknownCanvas;
    IgnoresCondition: "writes whatever version the row has" => OldVersion;
    ZeroRowsAreSuccess: "says `Done` where the condition matched no row" => MadeOnce;
    Upserts: "makes the row where a version was expected and there is no row" => NoRowNoMatch;
    RetriesInside: "commits again by itself after a conflict" => OldVersion;
    FailsInsteadOfConflict: "answers a conflict as a fault" => OldVersion;
    WritesWhatItRefuses: "says `Conflict` after it has written" => LostCommit;
    CommitsTwice: "commits twice, so that the version in its answer is not the row's" => RoundTrip;
    ConflictsWithItself:
        "sends some commits again after they were done, and answers the conflict with itself" => LandOnce;
    HidesTheRow: "gives a conflict without the row" => ConflictCarriesRow;
    ShowsWhatItSawLast: "gives a conflict with the row as this connection saw it last" => ConflictCarriesRow;
    ShowsTheRowBeforeTheWait:
        "gives a conflict with the row as it was before the commit waited for it" => LearnsAfterTheWait;
    ServesStaleHeads: "answers loads with what it saw first" => PeerSees;
    ConflictsAcrossCanvases: "lets a commit of one canvas make those of others conflict" => CanvasesApart;
    NamesVersionsByContent:
        "names versions by content, so that the same content has the same version again" => VersionsAreNew;
    NamesVersionsByHead: "names versions by the hash of the head" => VersionsAreNew;
    NamesVersionsByTime: "names versions by the second in which they were made" => VersionsAreNew;
    NumbersEachLife: "numbers the versions of each row, and again after each deletion" => VersionsOfEachLife;
    NumbersEachCanvas: "numbers the versions of each row" => VersionsOfAnotherHistory;
    NumbersAllCommits: "numbers its commits, and takes the number for the version" => VersionsOfAnotherHistory;
    HashesTheVersionBefore:
        "takes the hash of the version before for the version" => VersionsOfAnotherHistory;
    NamesVersionsByConnection: "gives versions that other connections do not know" => VersionsTravel;
    CountsVersions: "numbers the versions of each row, and again from where a backup was taken" => Restored;
    TakesAnyVersion: "takes the version of another canvas for the row's" => VersionsOfOthers;
    SkipsEmptyBumps: "says `Done` without a commit where the head is the same" => EmptyBump;
    ChecksThenWrites: "compares the version, lets others go first, and then writes" => OneWins;
    OverwritesAtCreation:
        "looks whether there is a row, lets others go first, and then makes it over theirs" => CreationRace;
    RacesEdits: "compares the version of an edit, and writes it in another step" => CommitsOnThreads;
    LosesEdits: "says `Done` for an edit that another has overtaken since its version was compared" => CommitsOnThreads;
    RacesNowAndThen: "compares the version in a step of its own, in one of three commits" => CommitsOnThreads;
    RacesBumps: "compares the version of an empty bump, and moves it in another step" => CommitsOnThreads;
    RacesCreations: "looks whether there is a row, and makes it in another step" => CreationsOnThreads;
    LosesCreations:
        "says `Done` for a first commit that another has overtaken since there was no row" => CreationsOnThreads;
    RacesDeletions: "compares the version of a deletion, and writes it in another step" => DeletionsOnThreads;
    RacesRevivals: "looks for the tombstone of a canvas, and makes that again in another step" => DeletionsOnThreads;
    RacesLimits:
        "compares version and limit of a commit with a limit, and writes it in another step" => LimitsOnThreads;
    RacesCollections: "looks which blobs can go, and drops them in another step" => CollectionsOnThreads;
    BlobsAfterHead: "shows the head first and its blobs later" => HeadBringsBlobs;
    BreaksWhenGivenUp: "cannot commit any more once a commit was given up half way" => Abandoned;
    LosesBlobs: "keeps heads and forgets blobs" => BlobsAreThere;
    SharesBlobs: "keeps all blobs in one place, so that one canvas sees another's" => BlobsAreApart;
    LosesEmptyBlobs: "takes a blob of no bytes for none" => BlobSizes;
    CutsLargeBlobs: "loses the end of large blobs" => BlobSizes;
    FailsOnRepeatedBlobs: "fails where the same blob comes twice" => RepeatedBlob;
    DropsManyBlobs: "keeps only the first blobs of a commit that has many" => ManyBlobs;
    ReordersBlobs: "answers blobs that are read at once in the order of their ids" => BlobsAtOnce;
    LeavesOutAbsent: "leaves out of blobs that are read at once those that are not there" => BlobsAtOnce;
    AnswersOnce: "answers an id that comes twice only the first time" => BlobsAtOnce;
    ReadsOnePage: "answers only the first hundred of thousands of ids" => BlobsAtOnce;
    FailsOnNoIds: "fails where blobs are read by no ids" => BlobsAtOnce;
    SharesBlobsAtOnce: "looks for blobs that are read at once in all canvases" => BlobsAtOnceApart;
    CutsLongCommits: "keeps only the first megabyte of the blobs of a commit" => MixedBlobs;
    CollectsTooEarly: "drops the blobs of the last head with each commit" => OldBlobsStay;
    DropsNothing: "drops no blobs" => Dropped;
    DropsEverything: "drops all blobs that the head does not need, whatever is kept" => Dropped;
    DropsTheFirstOfMany: "drops only the first hundred of many blobs" => ManyDropped;
    DropsWholeCommits: "drops all blobs of a commit as soon as one of them goes" => DroppedInPart;
    LosesTheRest: "loses what is left of a commit once most of its blobs are dropped" => DroppedInPart;
    CountsEachPut: "counts a dropped blob once for each commit that has put it" => PutByTwo;
    DropsForAllCanvases: "drops the blobs of all canvases at once" => DroppedApart;
    RemembersBlobs:
        "skips blobs that it has written before, although they were dropped since" => DroppedAgain;
    DropsWhatTheHeadNeeds: "drops what is not kept, although the head needs it" => NeededBlobsStay;
    DropsTheYoung: "drops blobs whatever their age" => YoungStays;
    CountsFromTheFirstPut: "counts the age of a blob from when it was put first" => PutAgainIsYoung;
    DropsAtAnyVersion: "drops blobs whatever version the row has" => CollectedAtVersion;
    FreezesItsClock: "answers with the first clock that it has read" => ClockMoves;
    UsesItsOwnClock: "answers with the clock of each connection's machine" => OneClock;
    IgnoresNotAfter: "claims `not_after` and ignores it" => NotAfter;
    IgnoresLimitsOfBumps: "claims `not_after` and ignores it in an empty bump" => LateWritesNothing;
    IgnoresLimitsOfDeletions: "claims `not_after` and ignores it in a deletion" => LateWritesNothing;
    LateForAnyLimit: "takes every commit with a limit for late" => NotAfter;
    KeepsAnOldClock: "judges `not_after` by the clock of its last answer" => NotAfter;
    AcceptsAtTheLimit: "commits when its clock is exactly at `not_after`" => AtTheLimit;
    SaysLateAfterWriting: "says `Late` after it has written" => LateWritesNothing;
    JudgesTimeFirst: "says `Late` where the version is wrong too" => LateAndWrong;
    ReadsItsClockBeforeTheWait:
        "judges `not_after` by a clock that it read before it waited for the row" => JudgedAfterTheWait;
    ListsWithoutOrder: "lists the last ids first" => Listed;
    ListsWithoutAfter: "begins each list at the beginning" => ListPages;
    ListsWithoutLimit: "lists all that there is" => ListPages;
    ListsByLocale: "lists ids in the order of a dictionary" => ListBytes;
    HidesTombstones: "leaves deleted canvases out of its lists" => ListTombstones;
    CutsIdsAtNul: "ends ids at a NUL" => AlikeIds;
    FoldsIds: "takes ids that differ in the case of letters for one" => AlikeIds;
    ForgetsReceipts: "keeps heads without their receipts" => FullHead;
    LosesNul: "loses each NUL in a head" => FullHead;
    CutsLargeHeads: "keeps only the last conversations of a large head" => LargeHead;
    FreesTombstones: "gives the row of a deleted canvas away" => Tombstone;
    ClaimsToNotify: "claims `notify` and notifies nobody" => NotifiesPeers;
    DoesNotNotifyOfDeletions: "claims `notify` and does not notify of deletions" => NotifiesPeers;
    NotifiesLate: "claims `notify` and notifies at the next commit" => NotifiesPeers;
}
