//! The tests that are made of the checks.

use super::check::each_check;

macro_rules! make_tests {
    ($d:tt $($variant:ident = $module:ident::$name:ident: $text:literal;)*) => {
        /// Makes a test of each check, so that `cargo test` names what a store breaks.
        ///
        /// It takes an expression that makes the [`Harness`](crate::conformance::Harness), which may wait
        /// (`.await`), and what drives a future to its end: a function or closure, [`block_on`](canvas_core::block_on)
        /// unless another is given. Each test makes a harness of its own.
        ///
        /// The test of a check that is skipped (see [`CheckOutcome::Skipped`](crate::conformance::CheckOutcome)) passes, and
        /// says on standard error why, also where the output of tests is captured. The last test to end lists all that were
        /// skipped once more, whether the others passed or failed; if a filter runs only some of them there is no list.
        ///
        /// ```
        /// # use std::time::Duration;
        /// # use canvas_store_testing::conformance::Harness;
        /// # use canvas_core::lease::Timestamp;
        /// # use canvas_core::store::MemoryStore;
        /// # use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
        /// # #[derive(Default)]
        /// # struct InMemory(Arc<AtomicU64>);
        /// # impl Harness for InMemory {
        /// #     type Store = MemoryStore;
        /// #     async fn fresh(&self) -> MemoryStore {
        /// #         let clock = Arc::clone(&self.0);
        /// #         MemoryStore::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed)))
        /// #     }
        /// #     async fn peer(&self, store: &MemoryStore) -> MemoryStore { store.clone() }
        /// #     async fn advance(&self, by: Duration) {
        /// #         self.0.fetch_add(by.as_millis() as u64, Ordering::Relaxed);
        /// #     }
        /// # }
        /// mod conformance {
        /// #   use super::InMemory;
        ///     canvas_store_testing::conformance_tests!(InMemory::default());
        /// }
        ///
        /// mod conformance_by_another_driver {
        /// #   use super::InMemory;
        ///     // With tokio: `|test| tokio::runtime::Runtime::new().unwrap().block_on(test)`.
        ///     canvas_store_testing::conformance_tests!(InMemory::default(), |test| canvas_core::block_on(test));
        /// }
        /// # fn main() {}
        /// ```
        #[macro_export]
        macro_rules! conformance_tests {
            ($d harness:expr $d(,)?) => {
                $crate::conformance_tests!($d harness, $crate::conformance::block_on);
            };
            ($d harness:expr, $d block_on:expr $d(,)?) => {
                static TALLY: $crate::conformance::Tally = $crate::conformance::Tally::new();

                /// Ends a test: says what was skipped where the capture of tests does not hide it, and panics on a violation.
                fn end(
                    check: $crate::conformance::Check,
                    outcome: ::std::thread::Result<
                        ::std::result::Result<
                            $crate::conformance::CheckOutcome,
                            $crate::conformance::Violation,
                        >,
                    >,
                ) {
                    let mut text = ::std::string::String::new();
                    if let ::std::result::Result::Ok(::std::result::Result::Ok(
                        $crate::conformance::CheckOutcome::Skipped(why),
                    )) = &outcome
                    {
                        text = ::std::format!("{}: {} is skipped: {why}\n", ::std::module_path!(), check.name());
                    }
                    if let ::std::option::Option::Some(report) =
                        TALLY.end(check, outcome.as_ref().ok().cloned())
                    {
                        let list = report.skipped_list();
                        if !list.is_empty() {
                            text += &::std::format!("{}: {list}", ::std::module_path!());
                        }
                    }
                    // A test whose standard error is closed fails for other reasons.
                    let _ = ::std::io::Write::write_all(&mut ::std::io::stderr(), text.as_bytes());
                    match outcome {
                        ::std::result::Result::Ok(::std::result::Result::Ok(_)) => {}
                        ::std::result::Result::Ok(::std::result::Result::Err(violation)) => {
                            ::std::panic!("{}: {violation}", check.text());
                        }
                        ::std::result::Result::Err(panic) => ::std::panic::resume_unwind(panic),
                    }
                }

                $(
                    #[test]
                    fn $name() {
                        let check = $crate::conformance::Check::$variant;
                        let run = ::std::panic::AssertUnwindSafe(|| {
                            $d block_on(async {
                                let harness = $d harness;
                                check.run(&harness).await
                            })
                        });
                        end(check, ::std::panic::catch_unwind(run));
                    }
                )*
            };
        }
    };
}

each_check!(make_tests! $);
