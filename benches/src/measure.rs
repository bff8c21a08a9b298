//! Timing several subjects side by side.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long to measure: in each round each subject gets a slot of time.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    rounds: u32,
    slot: Duration,
}

impl Effort {
    /// For a first look.
    pub const QUICK: Self = Self { rounds: 12, slot: Duration::from_millis(15) };
    /// For numbers to cite.
    pub const FULL: Self = Self { rounds: 40, slot: Duration::from_millis(20) };

    /// Fewer rounds, and what prepares them is small.
    pub(crate) fn is_quick(self) -> bool {
        self.rounds == Self::QUICK.rounds
    }

    /// Rounds for subjects that take a second each: 3 or 7.
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(crate) fn long_rounds(self) -> usize {
        self.rounds as usize / 6 + 1
    }
}

/// Shorter calls are timed several at once, so that reading the clock does not count.
const SHORTEST_SAMPLE: Duration = Duration::from_micros(20);

/// Samples that even the slowest subject gets.
const FEWEST_SAMPLES: usize = 3;

/// One way to do a piece of work.
pub struct Subject<'a> {
    name: &'static str,
    call: Box<dyn Fn() + 'a>,
    flaw: Option<Flaw>,
    first_call: Duration,
}

/// Why a subject is not timed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// It gave another result than expected.
    OtherResult,
    /// It gave none, with this error.
    Refused(String),
}

/// The result of work that cannot fail.
pub(crate) fn fine<T>(result: T) -> Result<T, Infallible> {
    Ok(result)
}

impl<'a> Subject<'a> {
    /// Runs once and has the result judged: a subject that is wrong is reported and not timed.
    pub fn new<T, E: fmt::Display>(
        name: &'static str,
        run: impl Fn() -> Result<T, E> + 'a,
        is_right: impl FnOnce(&T) -> bool,
    ) -> Self {
        let start = Instant::now();
        let result = run();
        let first_call = start.elapsed();
        let flaw = match result {
            Ok(result) if is_right(&result) => None,
            Ok(_) => Some(Flaw::OtherResult),
            Err(error) => Some(Flaw::Refused(error.to_string())),
        };
        let call = Box::new(move || drop(black_box(run())));
        Self { name, call, flaw, first_call }
    }

    /// The floor of every work: the document copied into a buffer that is reused.
    pub fn memcpy(document: &'a [u8]) -> Self {
        let buffer = RefCell::new(vec![0; document.len()]);
        let copy = move || {
            buffer.borrow_mut().copy_from_slice(black_box(document));
            black_box(&buffer);
            fine(())
        };
        Self::new("memcpy", copy, |()| true)
    }
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("name", &self.name).field("flaw", &self.flaw).finish_non_exhaustive()
    }
}

/// What became of a subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The subject's name.
    pub subject: &'static str,
    /// The times of its calls, or why there are none.
    pub time: Result<Time, Flaw>,
}

/// Nanoseconds of a call, with the result dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// Of half of the samples no more.
    pub median_ns: f64,
    /// Of the fastest sample. On a busy machine a call of milliseconds is mostly interrupted: then this one tells more.
    pub fastest_ns: f64,
}

/// Times the subjects in turns, so that drift of the machine hits all of them alike.
pub fn side_by_side(subjects: &[Subject<'_>], effort: Effort) -> Vec<Outcome> {
    let mut clocks: Vec<_> = subjects.iter().map(Clock::new).collect();
    for round in 1..=effort.rounds {
        for clock in &mut clocks {
            clock.run_until(effort.slot * round);
        }
    }
    clocks.into_iter().map(Clock::finish).collect()
}

struct Clock<'s, 'a> {
    subject: &'s Subject<'a>,
    /// Calls timed as one sample.
    batch: u32,
    spent: Duration,
    /// Nanoseconds per call.
    samples: Vec<f64>,
}

impl<'s, 'a> Clock<'s, 'a> {
    fn new(subject: &'s Subject<'a>) -> Self {
        let mut clock = Self { subject, batch: 1, spent: Duration::ZERO, samples: Vec::new() };
        if subject.flaw.is_none() && subject.first_call < 50 * SHORTEST_SAMPLE {
            let fastest = (0..10).map(|_| clock.time()).min().unwrap_or_default();
            clock.batch = SHORTEST_SAMPLE.div_duration_f64(fastest).ceil().clamp(1.0, 10_000.0) as u32;
        }
        clock
    }

    /// The time of one batch.
    fn time(&self) -> Duration {
        let start = Instant::now();
        for _ in 0..self.batch {
            (self.subject.call)();
        }
        start.elapsed()
    }

    fn sample(&mut self) {
        let time = self.time();
        self.spent += time;
        self.samples.push(time.as_secs_f64() * 1e9 / f64::from(self.batch));
    }

    /// Uses up the time allowed so far; a subject too slow for it waits for a later round.
    fn run_until(&mut self, allowed: Duration) {
        if self.subject.flaw.is_some() || self.spent >= allowed {
            return;
        }
        // The subject before has filled the caches with its own.
        if self.subject.first_call < (allowed - self.spent) / 4 {
            let warm_up = self.time();
            self.spent += warm_up;
        }
        while self.spent < allowed {
            self.sample();
        }
    }

    fn finish(mut self) -> Outcome {
        let subject = self.subject.name;
        if let Some(flaw) = &self.subject.flaw {
            return Outcome { subject, time: Err(flaw.clone()) };
        }
        while self.samples.len() < FEWEST_SAMPLES {
            self.sample();
        }
        self.samples.sort_unstable_by(f64::total_cmp);
        let time = Time { median_ns: self.samples[self.samples.len() / 2], fastest_ns: self.samples[0] };
        Outcome { subject, time: Ok(time) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_and_refusing_subjects_are_not_timed() {
        let refuse = || Err::<u8, _>(fmt::Error);
        let subjects = [
            Subject::new("right", || Ok::<_, Infallible>(1), |n| *n == 1),
            Subject::new("wrong", || Ok::<_, Infallible>(2), |n| *n == 1),
            Subject::new("refusing", refuse, |n| *n == 1),
        ];
        let effort = Effort { rounds: 1, slot: Duration::from_micros(100) };
        let [right, wrong, refusing] = &side_by_side(&subjects, effort)[..] else { panic!("three subjects") };
        assert!(right.time.is_ok());
        assert_eq!(wrong.time, Err(Flaw::OtherResult));
        assert_eq!(refusing.time, Err(Flaw::Refused(fmt::Error.to_string())));
    }
}
