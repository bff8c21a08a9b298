//! The macro that generates a test for each check.

use super::check::each_check;

macro_rules! make_tests {
    ($d:tt $($variant:ident = $module:ident::$name:ident: $text:literal;)*) => {
        /// Generates one test per check, so that `cargo test` names the promises that a store breaks.
        ///
        /// The first argument is an expression for the [`Harness`](crate::conformance::Harness), which may use `.await`.
        /// The optional second argument is a function or closure that drives a future to its end; the default is
        /// [`block_on`](canvas_core::testing::block_on). Each test creates a harness of its own.
        ///
        /// If a check is skipped (see [`CheckOutcome::Skipped`](crate::conformance::CheckOutcome)), its test passes and
        /// reports the reason on standard error, even if test output is captured. The last test to end lists all skipped
        /// checks again, whether the others passed or failed. If a filter selects only some of the tests, there is no list.
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
        ///     canvas_store_testing::conformance_tests!(InMemory::default(), |test| canvas_core::testing::block_on(test));
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

                /// Ends a test. Reports a skipped check in spite of output capture, and panics on a violation.
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
                    // Ignore a closed standard error, which is no reason for a test to fail.
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
