//! What the suite found.

use std::fmt;

use super::check::Promise;
use super::outcome::{Broken, Kept};

/// What the suite found. Its text has a line for each promise and a count at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Each promise and what became of it, in the order of [`Promise::ALL`].
    pub results: Vec<(Promise, Result<Kept, Broken>)>,
}

impl Report {
    /// True where no promise was broken. Some may not have been tried: see [`Report::untried`].
    pub fn is_passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The promises that were broken.
    pub fn failed(&self) -> impl Iterator<Item = Promise> {
        self.results.iter().filter(|(_, result)| result.is_err()).map(|(promise, _)| *promise)
    }

    /// The promises that were not tried, and why.
    pub fn untried(&self) -> impl Iterator<Item = (Promise, &'static str)> {
        self.results.iter().filter_map(|(promise, result)| match result {
            Ok(Kept::Untried(why)) => Some((*promise, *why)),
            Ok(Kept::Shown) | Err(_) => None,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (promise, result) in &self.results {
            let text = promise.text();
            match result {
                Ok(Kept::Shown) => writeln!(f, "pass  {text}")?,
                Ok(Kept::Untried(why)) => writeln!(f, "  --  {text} (not tried: {why})")?,
                Err(how) => writeln!(f, "FAIL  {text}: {how}")?,
            }
        }
        let (broken, untried) = (self.failed().count(), self.untried().count());
        let kept = self.results.len() - broken - untried;
        writeln!(f, "{kept} kept, {untried} not tried, {broken} broken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_each_promise_and_counts() {
        let kept = (Promise::RoundTrip, Ok(Kept::Shown));
        let untried = (Promise::TellsPeers, Ok(Kept::Untried("it claims nothing")));
        let broken = (Promise::MadeOnce, Err(Broken::new("it fell".to_owned())));
        let report = Report { results: vec![kept.clone(), untried.clone(), broken] };
        let expected = "pass  what is committed is loaded\n  \
                        --  a store that claims to notify tells every connection before it answers \
                        (not tried: it claims nothing)\n\
                        FAIL  a row is made once: it fell\n\
                        1 kept, 1 not tried, 1 broken\n";
        assert_eq!(report.to_string(), expected);
        assert_eq!(report.failed().collect::<Vec<_>>(), [Promise::MadeOnce]);
        assert_eq!(report.untried().collect::<Vec<_>>(), [(Promise::TellsPeers, "it claims nothing")]);
        assert!(!report.is_passed());
        assert!(Report { results: vec![kept, untried] }.is_passed());
    }
}
