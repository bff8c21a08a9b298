//! Hosts that pass time in seconds are told so, before anything is done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::document::Edit;
use canvas_core::lease::{CheckOut, Timestamp};
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, CodedError as _, Engine, OpKey, Policy};

const MILLIS: u64 = 1_700_000_000_000;
const SECONDS: u64 = MILLIS / 1_000;
const YEAR: u64 = 365 * 24 * 60 * 60;

/// What the next edit answers, by a server that knows the canvas already and by one that has just come.
fn codes(made_by: (u64, u64), then: (u64, u64)) -> [Option<&'static str>; 2] {
    let clock = Arc::new(AtomicU64::new(made_by.0));
    let shared = Arc::clone(&clock);
    let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
    let engine = || Engine::new(store.clone(), Policy::default());
    let (old, canvas) = (engine(), CanvasId::new("plan").unwrap());
    let key = |call: &str| OpKey::user(CallId::new(call).unwrap());
    let at = Timestamp::from_millis(made_by.1);
    block_on(old.create(&canvas, "a\n", &key("create"), at)).unwrap();
    // A head knows a time once it had a lease. Where the two clocks differ, that is refused already.
    let _ = block_on(old.call(&canvas, &key("first"), CheckOut, at));
    clock.store(then.0, Ordering::Relaxed);
    let now = Timestamp::from_millis(then.1);
    [(old, "old"), (engine(), "new")].map(|(engine, call)| {
        let text = format!("{call}\n");
        let answered = block_on(engine.call(&canvas, &key(call), Edit::overwrite(text.clone()), now));
        let code = answered.map(|answered| assert_eq!(answered.snapshot.text(), text)).err();
        let read = block_on(engine.snapshot(&canvas, now)).err();
        assert_eq!(code.as_ref().map(|e| e.code()), read.as_ref().map(|e| e.code()));
        code.map(|error| {
            let said = error.to_string();
            assert!(said.contains("counts seconds") && said.contains("Timestamp::from_secs"), "{said}");
            error.code()
        })
    })
}

#[test]
fn a_host_or_a_store_that_counts_seconds_is_told() {
    let (told, not) = ([Some("TIME_IN_SECONDS"); 2], [None; 2]);
    for (made_by, then, expected) in [
        // The store's clock and the host's, when the canvas was made and at the edit.
        ((MILLIS, MILLIS), (MILLIS + 5, MILLIS + 5), not),
        ((MILLIS, SECONDS), (MILLIS + 5, SECONDS), told),
        ((MILLIS, MILLIS), (MILLIS + 5, SECONDS), told),
        ((SECONDS, MILLIS), (SECONDS, MILLIS + 5), told),
        ((SECONDS, SECONDS), (SECONDS, MILLIS), told),
        // A store whose clock counts seconds, on a canvas of one that did not, years later too.
        ((MILLIS, MILLIS), (SECONDS, SECONDS), told),
        ((MILLIS, MILLIS), (SECONDS + 3 * YEAR, SECONDS + 3 * YEAR), told),
        // A host that has mended its clocks: a server goes by what it has seen until it is started again.
        ((SECONDS, SECONDS), (MILLIS, MILLIS), [told[0], None]),
        // Small clocks, such as those of tests, and a clock that falls back.
        ((1_000, 1_000), (2_000, 2_000), not),
        ((1_000_000, 1_000), (1_000_005, 1_000), not),
        ((MILLIS, 1_000), (MILLIS + 5, 1_001), not),
        ((MILLIS, MILLIS), (MILLIS - YEAR * 1_000, MILLIS - YEAR * 1_000), not),
        ((MILLIS, MILLIS), (0, 0), not),
        // In seconds from the first call on: nothing says so.
        ((SECONDS, SECONDS), (SECONDS + 5, SECONDS + 5), not),
    ] {
        assert_eq!(codes(made_by, then), expected, "{made_by:?}, then {then:?}");
    }
}
