//! The page of limits says what the code has.

use std::fmt::Display;
use std::time::Duration;

use canvas_core::board::Board;
use canvas_core::document::ProtectedPlaces;
use canvas_core::proposal::{MAX_BYTES, MAX_NOTE_BYTES, MAX_PARTS, MAX_PROPOSALS, MAX_REASON_BYTES};
use canvas_core::version::{MAX_NOTE_BYTES as NOTE, MAX_VERSIONS, VersionLabel};
use canvas_core::{Policy, lease, text};
use canvas_providers::{MAX_BODY_BYTES, MAX_STREAM_BYTES};

/// 65536 as `64 KiB`.
fn bytes(bytes: impl TryInto<u64>) -> String {
    let bytes = bytes.try_into().ok().expect("it is small");
    let units = [(1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(unit, _)| bytes % unit == 0);
    unit.map_or_else(|| bytes.to_string(), |(unit, name)| format!("{} {name}", bytes / unit))
}

/// 20000 as `20,000`.
fn count(count: impl Display) -> String {
    let digits = count.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

fn time(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

#[test]
fn the_page_of_limits_is_true() {
    let page = include_str!("../../../../LIMITS.md");
    let policy = Policy::default();
    let (board, surface, recipe, patch) =
        (policy.board, policy.surface, policy.recipe, policy.document.patch);
    assert_eq!(patch, text::Limits::default());
    assert_eq!(policy.lease, lease::LeasePolicy::default());
    let rows = [
        (bytes(policy.document.bytes), "DocumentLimits::bytes"),
        (bytes(patch.text_bytes), "Limits::text_bytes"),
        (bytes(patch.patch_bytes), "Limits::patch_bytes"),
        (count(patch.hunks), "Limits::hunks"),
        (count(Board::COMPONENTS), "Board::COMPONENTS"),
        (format!("{} and {}", count(Board::COLUMNS), count(Board::ROWS)), "Board::ROWS"),
        (bytes(board.config_bytes), "BoardRules::config_bytes"),
        (count(board.batch), "BoardRules::batch"),
        (bytes(surface.state_bytes), "SurfaceLimits::state_bytes"),
        (count(surface.actions), "SurfaceLimits::actions"),
        (bytes(surface.result_bytes), "SurfaceLimits::result_bytes"),
        (
            format!("{} and {}", bytes(surface.asset_bytes), bytes(surface.all_asset_bytes)),
            "SurfaceLimits::asset_bytes",
        ),
        (count(recipe.steps), "RecipeLimits::steps"),
        (bytes(recipe.response_bytes), "RecipeLimits::response_bytes"),
        (format!("{MAX_PROPOSALS} and {MAX_PARTS}"), "MAX_PARTS"),
        (bytes(MAX_BYTES), "proposal::MAX_BYTES"),
        (
            format!("{} and {}", ProtectedPlaces::PLACES, bytes(ProtectedPlaces::BYTES)),
            "ProtectedPlaces::BYTES",
        ),
        (format!("{MAX_REASON_BYTES} and {MAX_NOTE_BYTES}"), "MAX_NOTE_BYTES"),
        (
            format!("{}, {} and {}", count(MAX_VERSIONS), VersionLabel::MAX_BYTES, count(NOTE)),
            "version::MAX_NOTE_BYTES",
        ),
        (format!("{} levels", surface.depth), "SurfaceLimits::depth"),
        (format!("{} levels", recipe.depth), "RecipeLimits::depth"),
        (format!("{} and {}", bytes(MAX_BODY_BYTES), bytes(MAX_STREAM_BYTES)), "MAX_STREAM_BYTES"),
        (time(policy.lease.ttl), "canvas_lease::LeasePolicy::ttl"),
        (
            format!(
                "{}, of the last {} changes",
                time(policy.receipts.lifetime),
                count(policy.receipts.max_changes)
            ),
            "ReceiptLimits::lifetime",
        ),
        (time(policy.min_blob_age), "Policy::min_blob_age"),
        (count(policy.history.changes), "HistoryLimits::changes"),
        (count(policy.history.reach), "HistoryLimits::reach"),
        (count(policy.sync.conversations), "SyncLimits::conversations"),
        (count(policy.receipts.calls_per_lease), "ReceiptLimits::calls_per_lease"),
    ];
    for (value, name) in &rows {
        let row = page.lines().find(|line| line.contains(&format!("`{name}`")));
        let row = row.unwrap_or_else(|| panic!("the page lacks {name}"));
        assert_eq!(row.split('|').nth(2).map(str::trim), Some(value.as_str()), "{name}");
    }
    let searched = format!("| {} | 64 times that reach |", count(64 * policy.history.reach));
    assert!(page.contains(&searched), "{searched}");
    // Those that share a row are among the others.
    let shared = 9;
    assert_eq!(page.matches('`').count() / 2 - 2, rows.len() + shared, "a row is compared with nothing");
}
