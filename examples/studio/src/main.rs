//! `canvas-studio`: one canvas in a browser.

use std::process::ExitCode;

fn main() -> ExitCode {
    canvas_studio::run::main()
}
