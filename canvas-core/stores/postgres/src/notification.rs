//! Notifications, and the payload of a preemption on the channel.

use std::fmt::Write as _;

use canvas_core::lease::Epoch;
use canvas_core::{CanvasId, Revision};

/// A notification about changes by other servers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notification {
    /// Somebody took over the canvas. Its lease has a new epoch, and calls under an older epoch are refused. The host
    /// is notified of its own preemptions too.
    Preempted {
        /// The canvas that was taken over.
        canvas: CanvasId,
        /// The epoch of the lease after the preemption.
        epoch: Epoch,
        /// The canvas's revision after the preempting commit.
        revision: Revision,
    },
    /// The connection is lost or the host fell behind. Notifications may be missing, so any canvas may have changed.
    Lost,
    /// Notifications arrive again. Those sent between [`Notification::Lost`] and this one are never delivered.
    Listening,
}

/// Formats the epoch and the revision in decimal, and the id in hexadecimal. Takes at most 1,058 bytes of the 8,000
/// that a notification may have.
pub(super) fn payload(canvas: &CanvasId, epoch: Epoch, revision: Revision) -> String {
    let mut text = format!("{epoch} {} ", revision.get());
    text.reserve(2 * canvas.as_str().len());
    for byte in canvas.as_str().bytes() {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    text
}

/// Parses a payload. Ignores invalid ones, because anybody with access to the database can send them.
pub(super) fn parse(payload: &str) -> Option<Notification> {
    let mut parts = payload.split(' ');
    let epoch = Epoch::new(parts.next()?.parse().ok()?).ok()?;
    let revision = Revision::new(parts.next()?.parse().ok()?).ok()?;
    let hex = parts.next().filter(|hex| hex.len() % 2 == 0)?;
    if parts.next().is_some() {
        return None;
    }
    let digits = hex.bytes().map(|byte| char::from(byte).to_digit(16));
    let digits: Vec<u8> =
        digits.map(|digit| digit.and_then(|d| u8::try_from(d).ok())).collect::<Option<_>>()?;
    let bytes = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    let canvas = CanvasId::new(&String::from_utf8(bytes).ok()?).ok()?;
    Some(Notification::Preempted { canvas, epoch, revision })
}

#[cfg(test)]
mod tests {
    use canvas_core::lease::safe_integer;

    use super::*;

    #[test]
    fn a_payload_reads_back() {
        for name in ["c", "\0", "ü ∀ 🦀 \n", &"x".repeat(512)] {
            let canvas = CanvasId::new(name).expect("the name is short");
            for (epoch, revision) in [(0, 0), (3, 17), (safe_integer::MAX, safe_integer::MAX)] {
                let epoch = Epoch::new(epoch).expect("the number is small");
                let revision = Revision::new(revision).expect("the number is small");
                let text = payload(&canvas, epoch, revision);
                assert!(text.len() < 8_000);
                let canvas = canvas.clone();
                assert_eq!(parse(&text), Some(Notification::Preempted { canvas, epoch, revision }));
            }
        }
    }

    #[test]
    fn what_is_no_payload_is_left_out() {
        let long = format!("1 2 {}", "61".repeat(513));
        for text in
            ["", "1 2", "1 2 ", "1 2 6", "1 2 6g", "1 2 61 ", "x 2 61", "1 -2 61", "1 2 ff", "1 2 é1", &long]
        {
            assert_eq!(parse(text), None, "{text:?}");
        }
        assert_eq!(parse("9007199254740992 1 61"), None);
    }
}
