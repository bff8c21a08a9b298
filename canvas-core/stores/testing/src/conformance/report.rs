//! The report of a run, and the tally of generated tests.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::check::Check;
use super::outcome::{CheckOutcome, Violation};

/// The results of a run. Its text has one line per check, then the counts, and finally the list of skipped checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Each check with its result, in the order of [`Check::ALL`].
    pub results: Vec<(Check, Result<CheckOutcome, Violation>)>,
}

impl Report {
    /// Returns true if no check failed. Some may have been skipped, see [`Report::skipped`].
    pub fn is_passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// Returns the checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = Check> {
        self.results.iter().filter(|(_, result)| result.is_err()).map(|(check, _)| *check)
    }

    /// Returns the skipped checks, each with the reason.
    pub fn skipped(&self) -> impl Iterator<Item = (Check, &'static str)> {
        self.results.iter().filter_map(|(check, result)| match result {
            Ok(CheckOutcome::Skipped(why)) => Some((*check, *why)),
            Ok(CheckOutcome::Passed) | Err(_) => None,
        })
    }
}

impl Report {
    /// Lists the skipped checks, one per line with name and reason. Empty if there are none.
    pub fn skipped_list(&self) -> String {
        let lines: String =
            self.skipped().map(|(check, why)| format!("  {}: {why}\n", check.name())).collect();
        if lines.is_empty() { lines } else { format!("skipped, so not known to hold:\n{lines}") }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (check, result) in &self.results {
            let text = check.text();
            match result {
                Ok(CheckOutcome::Passed) => writeln!(f, "pass  {text}")?,
                Ok(CheckOutcome::Skipped(why)) => writeln!(f, "skip  {text} ({why})")?,
                Err(how) => writeln!(f, "FAIL  {text}: {how}")?,
            }
        }
        let (failed, skipped) = (self.failed().count(), self.skipped().count());
        let passed = self.results.len() - failed - skipped;
        writeln!(f, "{passed} passed, {skipped} skipped, {failed} failed")?;
        f.write_str(&self.skipped_list())
    }
}

/// Collects the results of the tests from [`conformance_tests!`](crate::conformance_tests), which end in any order.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Tally(Mutex<Vec<(Check, Result<CheckOutcome, Violation>)>>);

impl Tally {
    /// Creates a tally without results.
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Records the outcome of a test (`None` if it panicked). Returns the complete report if this test was the last
    /// one.
    pub fn end(&self, check: Check, outcome: Option<Result<CheckOutcome, Violation>>) -> Option<Report> {
        let outcome = outcome.unwrap_or_else(|| Err(Violation::new("the test panicked".to_owned())));
        let mut results = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        results.push((check, outcome));
        if results.len() < Check::ALL.len() {
            return None;
        }
        results.sort_by_key(|(check, _)| *check);
        Some(Report { results: std::mem::take(&mut *results) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_each_check_counts_and_lists_what_was_skipped() {
        let passed = (Check::RoundTrip, Ok(CheckOutcome::Passed));
        let skipped = (Check::NotifiesPeers, Ok(CheckOutcome::Skipped("it claims nothing")));
        let failed = (Check::MadeOnce, Err(Violation::new("it fell".to_owned())));
        let list = "skipped, so not known to hold:\n  notifies_peers: it claims nothing\n";
        let report = Report { results: vec![passed.clone(), skipped.clone(), failed] };
        let expected = "pass  what is committed is loaded\n\
                        skip  a store that claims to notify notifies every connection before it answers \
                        (it claims nothing)\n\
                        FAIL  a row is made once: it fell\n\
                        1 passed, 1 skipped, 1 failed\n";
        assert_eq!(report.to_string(), format!("{expected}{list}"));
        assert_eq!(report.failed().collect::<Vec<_>>(), [Check::MadeOnce]);
        assert_eq!(report.skipped().collect::<Vec<_>>(), [(Check::NotifiesPeers, "it claims nothing")]);
        assert!(!report.is_passed());
        // A passing run ends with the list too.
        let report = Report { results: vec![passed.clone(), skipped] };
        assert!(report.is_passed() && report.to_string().ends_with(&format!("0 failed\n{list}")), "{report}");
        let report = Report { results: vec![passed] };
        assert_eq!(report.to_string(), "pass  what is committed is loaded\n1 passed, 0 skipped, 0 failed\n");
    }

    /// Tests end in any order and may panic. Only the last one gets the report.
    #[test]
    fn the_last_test_to_end_gets_the_report_of_all() {
        let tally = Tally::new();
        let mut checks: Vec<_> = Check::ALL.to_vec();
        checks.reverse();
        let last = checks.pop().unwrap();
        for check in checks {
            let outcome = match check {
                Check::NotifiesPeers => Some(Ok(CheckOutcome::Skipped("it claims nothing"))),
                Check::MadeOnce => None,
                _ => Some(Ok(CheckOutcome::Passed)),
            };
            assert_eq!(tally.end(check, outcome), None);
        }
        let report = tally.end(last, Some(Ok(CheckOutcome::Passed))).unwrap();
        assert_eq!(report.results.len(), Check::ALL.len());
        assert_eq!(report.results[0].0, Check::ALL[0]);
        assert_eq!(report.failed().collect::<Vec<_>>(), [Check::MadeOnce]);
        assert!(report.skipped_list().contains("notifies_peers: it claims nothing"));
    }
}
