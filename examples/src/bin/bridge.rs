//! The engine over JSON lines: a request a line in, a reply a line out, in order, until the end of input.

use std::io::{self, BufRead as _, Write as _};

use canvas_examples::bridge::Bridge;

fn main() -> io::Result<()> {
    let mut bridge = Bridge::new();
    let mut input = io::stdin().lock();
    let mut output = io::BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        // Bytes that are no UTF-8 become a line that is no JSON, and get its reply.
        let reply = bridge.call(&String::from_utf8_lossy(&line));
        output.write_all(reply.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}
