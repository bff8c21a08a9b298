//! Any patch on any text, in both modes.
#![no_main]

use canvas_fuzz::{check_both, texts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [text, patch] = texts(data);
    check_both(&text, &patch);
});
