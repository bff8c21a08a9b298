//! What was measured, as a table or as JSON.

use std::time::Duration;

use serde_json::{Value, json};

/// The figures.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) sockets: usize,
    /// Whether each window has asked for the whole canvas.
    pub(crate) asked: bool,
    pub(crate) idle_bytes: u64,
    pub(crate) busy_bytes: u64,
    /// Events that each window was sent.
    pub(crate) events: u64,
    /// Events that were written.
    pub(crate) written: u64,
    pub(crate) resyncs: u64,
    pub(crate) to_all_ms: Value,
    pub(crate) presses: usize,
    /// With two windows.
    pub(crate) press_ms: Value,
    /// With all of them.
    pub(crate) crowded_press_ms: Value,
}

impl Report {
    #[expect(clippy::print_stdout, reason = "it is what the program is for")]
    pub(crate) fn print(&self, is_json: bool) {
        let Self {
            sockets,
            asked,
            idle_bytes,
            busy_bytes,
            events,
            written,
            resyncs,
            to_all_ms,
            presses,
            press_ms,
            crowded_press_ms,
        } = self;
        if is_json {
            println!(
                "{}",
                json!({
                    "sockets": sockets, "asked": asked, "idle_bytes_per_socket": idle_bytes,
                    "busy_bytes_per_socket": busy_bytes, "events_per_socket": events, "serialisations": written,
                    "resyncs": resyncs, "event_to_all_ms": to_all_ms, "presses": presses, "press_ms": press_ms,
                    "crowded_press_ms": crowded_press_ms,
                })
            );
            return;
        }
        let kib = |bytes: u64| bytes as f64 / 1_024.0;
        println!(
            "sockets                        {sockets}{}",
            if *asked { ", each with the whole canvas" } else { "" }
        );
        println!("memory a socket, idle          {:.1} KiB", kib(*idle_bytes));
        println!("memory a socket, after events  {:.1} KiB", kib(*busy_bytes));
        println!("events that each was sent      {events}");
        println!("events that were written       {written}");
        println!("windows that missed some       {resyncs}");
        println!(
            "an event at all sockets        median {} ms, 99 % {} ms",
            to_all_ms["median"], to_all_ms["p99"]
        );
        for (name, times) in [("two windows", press_ms), ("all of them", crowded_press_ms)] {
            let (median, p99) = (&times["median"], &times["p99"]);
            println!("press to second, {name:<12}  median {median} ms, 99 % {p99} ms ({presses} presses)");
        }
    }
}

/// Median and 99th percentile, in milliseconds.
pub(crate) fn percentiles(mut times: Vec<Duration>) -> Value {
    times.sort_unstable();
    let at = |share: usize| {
        let place = (times.len() * share).div_ceil(100).saturating_sub(1);
        times.get(place).map_or(Value::Null, |time| json!((time.as_secs_f64() * 100_000.0).round() / 100.0))
    };
    json!({"median": at(50), "p99": at(99)})
}
