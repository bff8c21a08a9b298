//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    canvas_studio::run::main()
}
