//! The list of checks, from which the enum and the tests are generated.

use super::harness::Harness;
use super::outcome::{CheckOutcome, Violation};
use super::suite;

macro_rules! make_check {
    ($d:tt $($variant:ident = $module:ident::$name:ident: $text:literal;)*) => {
        /// One promise of the contract. Each check runs independently, on a fresh store of the harness.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Check {
            $(#[doc = concat!($text, ".")] $variant,)*
        }

        impl Check {
            /// All checks, the simple ones first.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the promise as a sentence without a full stop.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// Returns the name of the check, which is also the name of its test in
            /// [`conformance_tests!`](crate::conformance_tests).
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($name),)*
                }
            }

            /// Runs the check on a fresh store of the harness.
            ///
            /// # Errors
            ///
            /// A [`Violation`] if the store breaks the promise.
            pub async fn run<H: Harness>(self, harness: &H) -> Result<CheckOutcome, Violation> {
                let (store, id) = (&harness.fresh().await, &suite::canvas("c"));
                // Boxed, so that this future is smaller than the largest check.
                let outcome = match self {
                    $(Self::$variant => Box::pin(suite::$module::$name(harness, store, id)).await,)*
                };
                outcome.map_err(Violation::new)
            }
        }
    };
}

/// Passes the list of checks to a macro, after a `$` token.
macro_rules! each_check {
    ($make:ident! $d:tt) => {
        $make! { $d
            UnknownCanvas = rows::unknown_canvas: "an unknown canvas has no row";
            RoundTrip = rows::round_trip: "what is committed is loaded";
            MadeOnce = rows::made_once: "a row is made once";
            NoRowNoMatch = rows::no_row_no_match: "no row matches no version";
            OldVersion = rows::old_version: "an old version writes nothing";
            LostCommit = rows::lost_commit:
                "a commit that loses leaves the row alone, and its blobs can be put again";
            ConflictCarriesRow = rows::conflict_carries_row: "a conflict carries the current row";
            PeerSees = rows::peer_sees: "a peer sees a commit at once";
            CanvasesApart = rows::canvases_apart: "commits of two canvases do not disturb one another";
            VersionsAreNew = versions::versions_are_new: "versions are never used twice";
            VersionsOfEachLife = versions::versions_of_each_life:
                "a canvas that is deleted and made again takes no version of its first life";
            VersionsOfAnotherHistory = versions::versions_of_another_history:
                "two stores with equally many commits of different heads have no version in common";
            VersionsTravel = versions::versions_travel: "a version is good on every connection";
            VersionsOfOthers = versions::versions_of_others: "the versions of one canvas mean nothing for another";
            EmptyBump = versions::empty_bump:
                "a commit of the very same head moves the version, and an older commit then fails";
            Restored = restore::restored:
                "a version from before a restore matches nothing that was committed after it";
            OneWins = races::one_wins: "of many commits on one version one wins";
            CreationRace = races::creation_race: "of many first commits at once one wins and the others learn of it";
            LandOnce = races::land_once: "commits that are tried again after each conflict land exactly once";
            CommitsOnThreads = contention::commits_on_threads:
                "of commits from several threads on one version one is done, and nothing that was done is lost";
            CreationsOnThreads = contention::creations_on_threads:
                "of first commits from several threads at once one is done and the others learn of it";
            DeletionsOnThreads = contention::deletions_on_threads:
                "of deletions from several threads at once one is done, and so it is when the canvas is made again";
            LimitsOnThreads = contention::limits_on_threads:
                "of commits with a limit from several threads on one version one is done";
            CollectionsOnThreads = contention::collections_on_threads:
                "a blob that is put again on one thread, while another collects, is there";
            HeadBringsBlobs = races::head_brings_blobs: "whoever sees a head finds its blobs";
            Abandoned = races::abandoned:
                "a commit that its caller gave up is there whole or not at all, and the row stays usable";
            LearnsAfterTheWait = races::learns_after_the_wait:
                "a commit that waits while another changes the row learns the changed row";
            BlobsAreThere = blobs::blobs_are_there: "blobs of a commit are there";
            BlobsAreApart = blobs::blobs_are_apart: "blobs belong to their canvas";
            BlobSizes = blobs::blob_sizes: "a blob of no bytes and one of two megabytes are kept whole";
            RepeatedBlob = blobs::repeated_blob: "the same blob may come twice in one commit";
            ManyBlobs = blobs::many_blobs: "a commit of many blobs keeps them all";
            BlobsAtOnce = blobs::blobs_at_once:
                "blobs that are read at once come in the order of the ids, also those that are not there";
            BlobsAtOnceApart = blobs::blobs_at_once_apart: "blobs that are read at once are those of their canvas";
            MixedBlobs = blobs::mixed_blobs:
                "blobs of one commit are read whole, one by one and many at once, whatever their sizes";
            OldBlobsStay = blobs::old_blobs_stay: "blobs stay until they are dropped";
            Dropped = gc::dropped: "blobs that are not kept are dropped, others stay";
            ManyDropped = gc::many_dropped: "a collection of many blobs drops them all and counts them";
            DroppedInPart = gc::dropped_in_part:
                "of the blobs of one commit some are dropped, and the others stay whole";
            PutByTwo = gc::put_by_two: "a blob that two commits have put stays or goes as one";
            DroppedApart = gc::dropped_apart: "dropping a blob of one canvas leaves another canvas its own";
            DroppedAgain = gc::dropped_again: "a dropped blob can be put again";
            NeededBlobsStay = gc::needed_blobs_stay: "blobs that the head needs stay, whatever is kept";
            YoungStays = gc::young_stays: "blobs that are younger than asked for stay";
            PutAgainIsYoung = gc::put_again_is_young: "a blob that was put again is young again";
            CollectedAtVersion = gc::collected_at_version:
                "a collection for another version than the row's drops nothing and says so";
            ClockMoves = time::clock_moves: "the clock is read with each answer";
            OneClock = time::one_clock: "every connection answers by the same clock";
            NotAfter = time::not_after: "no commit comes too late";
            AtTheLimit = time::at_the_limit: "a commit exactly at its limit is late";
            LateWritesNothing = time::late_writes_nothing: "a late commit writes nothing";
            LateAndWrong = time::late_and_wrong: "a commit that is late and has an old version learns the row";
            JudgedAfterTheWait = time::judged_after_the_wait:
                "a commit that waits for the row is judged by the clock after the wait";
            Listed = listing::listed: "canvases are listed in order";
            ListPages = listing::list_pages: "a list goes on after any id and ends at its limit";
            ListBytes = listing::list_bytes: "the order of a list is the order of the bytes of the ids";
            ListTombstones = listing::list_tombstones: "a deleted canvas stays in the list";
            AnyId = ids::any_id: "any canvas id will do";
            AlikeIds = ids::alike_ids: "ids that look alike are different canvases";
            FullHead = heads::full_head: "a head with everything in it is kept whole";
            LargeHead = heads::large_head: "a head of a megabyte is kept whole";
            LargeCanvas = heads::large_canvas: "a large canvas is kept whole";
            Tombstone = heads::tombstone: "a deleted canvas that is made again goes on with its numbers";
            Moved = moving::moved:
                "a canvas that is moved into the store and out of it as an export stays the same";
            CreatedOnce = servers::created_once: "two servers that create one canvas at once make one";
            OneLease = servers::one_lease: "one lease at a time over two servers";
            PreemptedEverywhere = servers::preempted_everywhere: "a preempted write is refused on every server";
            SkewedServers = servers::skewed_servers:
                "wrong clocks of servers let nobody write who does not hold the lease";
            RetryInFlight = retries::retry_in_flight: "a call that is made again while it is on its way is done once";
            RetryAfterTheLease = retries::retry_after_the_lease:
                "a call that is made again after its lease has ended is answered as before";
            NotifiesPeers = notification::notifies_peers: "a store that claims to notify notifies every connection before it answers";
        }
    };
}
pub(super) use each_check;

each_check!(make_check! $);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Check;

    #[test]
    fn names_and_texts_differ() {
        let names: BTreeSet<_> = Check::ALL.iter().map(|check| check.name()).collect();
        let texts: BTreeSet<_> = Check::ALL.iter().map(|check| check.text()).collect();
        assert_eq!((names.len(), texts.len()), (Check::ALL.len(), Check::ALL.len()));
        assert_eq!(Check::AnyId.name(), "any_id");
    }
}
