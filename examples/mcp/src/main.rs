//! `canvas-mcp`: documents and boards for the clients of the Model Context Protocol.

use std::process::ExitCode;

fn main() -> ExitCode {
    canvas_mcp::run::main()
}
