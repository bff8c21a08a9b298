//! What the suite found.

use std::fmt;

use super::check::Check;
use super::outcome::{CheckOutcome, Violation};

/// What the suite found. Its text has a line for each check and a count at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Each check and its outcome, in the order of [`Check::ALL`].
    pub results: Vec<(Check, Result<CheckOutcome, Violation>)>,
}

impl Report {
    /// True where no check failed. Some may have been skipped: see [`Report::skipped`].
    pub fn is_passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The checks that failed.
    pub fn failed(&self) -> impl Iterator<Item = Check> {
        self.results.iter().filter(|(_, result)| result.is_err()).map(|(check, _)| *check)
    }

    /// The checks that were skipped, and why.
    pub fn skipped(&self) -> impl Iterator<Item = (Check, &'static str)> {
        self.results.iter().filter_map(|(check, result)| match result {
            Ok(CheckOutcome::Skipped(why)) => Some((*check, *why)),
            Ok(CheckOutcome::Passed) | Err(_) => None,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (check, result) in &self.results {
            let text = check.text();
            match result {
                Ok(CheckOutcome::Passed) => writeln!(f, "pass  {text}")?,
                Ok(CheckOutcome::Skipped(why)) => writeln!(f, "  --  {text} (skipped: {why})")?,
                Err(how) => writeln!(f, "FAIL  {text}: {how}")?,
            }
        }
        let (failed, skipped) = (self.failed().count(), self.skipped().count());
        let passed = self.results.len() - failed - skipped;
        writeln!(f, "{passed} passed, {skipped} skipped, {failed} failed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_each_check_and_counts() {
        let passed = (Check::RoundTrip, Ok(CheckOutcome::Passed));
        let skipped = (Check::NotifiesPeers, Ok(CheckOutcome::Skipped("it claims nothing")));
        let failed = (Check::MadeOnce, Err(Violation::new("it fell".to_owned())));
        let report = Report { results: vec![passed.clone(), skipped.clone(), failed] };
        let expected = "pass  what is committed is loaded\n  \
                        --  a store that claims to notify notifies every connection before it answers \
                        (skipped: it claims nothing)\n\
                        FAIL  a row is made once: it fell\n\
                        1 passed, 1 skipped, 1 failed\n";
        assert_eq!(report.to_string(), expected);
        assert_eq!(report.failed().collect::<Vec<_>>(), [Check::MadeOnce]);
        assert_eq!(report.skipped().collect::<Vec<_>>(), [(Check::NotifiesPeers, "it claims nothing")]);
        assert!(!report.is_passed());
        assert!(Report { results: vec![passed, skipped] }.is_passed());
    }
}
