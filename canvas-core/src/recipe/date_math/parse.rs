//! Parsing of time expressions.

use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime, Time};

use super::eval::is_in_years;
use super::expr::{Anchor, Change, DateExpr, DateExprError, Problem, Step, Unit};
use super::reach;

impl DateExpr {
    /// Parses an expression.
    ///
    /// # Errors
    ///
    /// Returns the fault and its column, even for an expression that would leave the years 1 to 9999 at any `now`.
    pub fn parse(text: &str) -> Result<Self, DateExprError> {
        let expr = read(text).and_then(|(anchor, steps)| {
            reach::check(anchor, &steps)?;
            Ok(Self { text: text.into(), anchor, steps })
        });
        expr.map_err(|(column, problem)| DateExprError::new(text, column, problem))
    }
}

impl FromStr for DateExpr {
    type Err = DateExprError;

    fn from_str(text: &str) -> Result<Self, DateExprError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for DateExpr {
    type Error = DateExprError;

    fn try_from(text: String) -> Result<Self, DateExprError> {
        Self::parse(&text)
    }
}

/// Parses the text without a check of its range.
pub(super) fn read(text: &str) -> Parsed<(Anchor, Vec<Step>)> {
    Cursor { text: text.as_bytes(), at: 0 }.expr()
}

pub(super) type Parsed<T> = Result<T, (usize, Problem)>;

/// Parses from left to right. All consumed bytes are ASCII, so that the next byte is in the next column.
struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    fn expr(&mut self) -> Parsed<(Anchor, Vec<Step>)> {
        let anchor = if self.takes(b"now") { Anchor::Now } else { self.date()? };
        let mut steps = Vec::new();
        while self.peek().is_some() {
            let column = self.column();
            if steps.len() == DateExpr::STEPS {
                return Err((column, Problem::Steps));
            }
            let change = self.change()?;
            steps.push(Step { column, change });
        }
        Ok((anchor, steps))
    }

    fn change(&mut self) -> Parsed<Change> {
        let sign = match self.peek() {
            Some(b'/') => {
                self.at += 1;
                return self.unit().map(Change::Floor);
            }
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(self.fault(Problem::Sign)),
        };
        self.at += 1;
        let count = self.count()?;
        Ok(Change::Add(sign * i64::from(count), self.unit()?))
    }

    fn count(&mut self) -> Parsed<u32> {
        let fault = self.fault(Problem::Count);
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).take(8).count();
        // The largest number has seven digits.
        if !(1..=7).contains(&digits) {
            return Err(fault);
        }
        let count = self.number(digits).ok_or(fault)?;
        if count <= DateExpr::COUNT { Ok(count) } else { Err(fault) }
    }

    fn unit(&mut self) -> Parsed<Unit> {
        let found = Unit::ALL.into_iter().find(|(letter, _)| self.peek() == Some(*letter));
        let (_, unit) = found.ok_or_else(|| self.fault(Problem::Unit))?;
        self.at += 1;
        Ok(unit)
    }

    fn date(&mut self) -> Parsed<Anchor> {
        let whole = self.fault(Problem::NoDate);
        let year = self.number(4).ok_or((1, Problem::Anchor))?;
        if year == 0 || self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err((1, Problem::Years));
        }
        let month = self.after(b"-", 2, Problem::Anchor)?;
        let day = self.after(b"-", 2, Problem::Anchor)?;
        let date = Date::new(year as i16, month as i8, day as i8).map_err(|_| whole)?;
        if self.takes(b"||") {
            return Ok(Anchor::Day(date));
        }
        if !matches!(self.peek(), Some(b'T' | b't')) {
            return Err(self.fault(Problem::Bars));
        }
        self.at += 1;
        let instant = self.time(date)?;
        if !is_in_years(instant) {
            return Err((1, Problem::Years));
        }
        if self.takes(b"||") { Ok(Anchor::Instant(instant)) } else { Err(self.fault(Problem::Bars)) }
    }

    /// Returns the UTC time of the time parsed here.
    fn time(&mut self, date: Date) -> Parsed<DateTime> {
        let whole = self.fault(Problem::Time);
        let hour = self.after(b"", 2, Problem::Time)?;
        let minute = self.after(b":", 2, Problem::Time)?;
        let second = self.after(b":", 2, Problem::Time)?;
        let nanosecond = if self.takes(b".") { self.fraction()? } else { 0 };
        let time = Time::new(hour as i8, minute as i8, second as i8, nanosecond).map_err(|_| whole)?;
        let offset = self.offset()?;
        DateTime::from_parts(date, time).checked_sub(offset).map_err(|_| (1, Problem::Years))
    }

    fn fraction(&mut self) -> Parsed<i32> {
        let fault = self.fault(Problem::Time);
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).take(10).count();
        if !(1..=9).contains(&digits) {
            return Err(fault);
        }
        let fraction = self.number(digits).ok_or(fault)?;
        Ok(fraction as i32 * 10_i32.pow(9 - digits as u32))
    }

    fn offset(&mut self) -> Parsed<SignedDuration> {
        let whole = self.fault(Problem::Time);
        let sign = match self.peek() {
            Some(b'Z' | b'z') => 0,
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(whole),
        };
        self.at += 1;
        if sign == 0 {
            return Ok(SignedDuration::ZERO);
        }
        let hours = self.after(b"", 2, Problem::Time)?;
        let minutes = self.after(b":", 2, Problem::Time)?;
        if hours > 23 || minutes > 59 {
            return Err(whole);
        }
        Ok(SignedDuration::from_mins(sign * i64::from(hours * 60 + minutes)))
    }

    /// Parses a number with this many digits after a text.
    fn after(&mut self, text: &[u8], digits: usize, problem: Problem) -> Parsed<u32> {
        if !self.takes(text) {
            return Err(self.fault(problem));
        }
        self.number(digits).ok_or_else(|| self.fault(problem))
    }

    /// Parses exactly this many digits, at most nine.
    fn number(&mut self, digits: usize) -> Option<u32> {
        let read = self.text.get(self.at..self.at + digits)?;
        let number = read.iter().try_fold(0, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
        })?;
        self.at += digits;
        Some(number)
    }

    fn takes(&mut self, text: &[u8]) -> bool {
        let found = self.text[self.at..].starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn column(&self) -> usize {
        self.at + 1
    }

    fn fault(&self, problem: Problem) -> (usize, Problem) {
        (self.column(), problem)
    }
}
