//! Sums of numbers.

use serde_json::{Number, Value};

use super::order::integer;

/// Up to this number, doubles hold every whole number.
const LAST: f64 = (1_u64 << 53) as f64;

/// A sum of numbers, with their count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    total: Total,
    count: u64,
}

#[derive(Debug, Clone, Copy)]
enum Total {
    /// Exact. Sums of fewer than 2^63 integers of 64 bits fit.
    Whole(i128),
    Double(f64),
}

impl Sum {
    pub(super) const ZERO: Self = Self { total: Total::Whole(0), count: 0 };

    pub(super) fn add(&mut self, number: &Number) {
        self.count += 1;
        self.total = match (self.total, whole(number)) {
            (Total::Whole(total), Some(integer)) => Total::Whole(total + integer),
            (total, _) => Total::Double(total.double() + number.as_f64().unwrap_or_default()),
        };
    }

    /// Returns `None` if the sum is not a JSON number.
    pub(super) fn total(self) -> Option<Value> {
        let number = match self.total {
            Total::Whole(total) => Number::from_i128(total),
            Total::Double(total) => Number::from_f64(total),
        };
        number.map(Value::Number)
    }

    /// Returns null without numbers, and `None` if the sum is not a JSON number.
    pub(super) fn average(self) -> Option<Value> {
        if self.count == 0 {
            return Some(Value::Null);
        }
        Number::from_f64(self.total.double() / self.count as f64).map(Value::Number)
    }
}

impl Total {
    fn double(self) -> f64 {
        match self {
            Self::Whole(total) => total as f64,
            Self::Double(total) => total,
        }
    }
}

/// Returns the value of a whole number in any notation; for example, 1.0 is 1.
fn whole(number: &Number) -> Option<i128> {
    let double = number.as_f64().filter(|double| double.trunc() == *double && double.abs() <= LAST);
    integer(number).or_else(|| double.map(|double| double as i128))
}
