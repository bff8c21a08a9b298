//! Measures the server beside the bridge: `cargo build --release -p canvas-mcp -p canvas-examples --bins`, then
//! `target/release/mcp-bench`. Both programs lie beside this one.

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use canvas_mcp::measure::{fan_out, look};
use serde_json::{Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Calls of one round, and rounds. The best round counts: others had the machine too.
const CALLS: usize = 400;
const ROUNDS: usize = 5;

/// Starts that are measured; the middle one counts.
const STARTS: usize = 21;

fn main() -> Outcome {
    let folder = env::temp_dir().join(format!("mcp-bench-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let measured = measure(&folder);
    fs::remove_dir_all(&folder)?;
    measured
}

fn measure(folder: &Path) -> Outcome {
    let (server, bridge) = (beside("canvas-mcp")?, beside("bridge")?);
    for bytes in [1_000, 100_000] {
        let over_mcp = calls_over_mcp(&server, bytes)?;
        let over_bridge = calls_over_bridge(&bridge, bytes)?;
        let framing = framing()?;
        let ratio = over_mcp.as_secs_f64() / (over_bridge + framing).as_secs_f64();
        say(&format!(
            "a patch over stdio, {bytes} bytes: {} µs; through the bridge {} µs, framing {} µs: {ratio:.2} × (at most 1.5)",
            over_mcp.as_micros(),
            over_bridge.as_micros(),
            framing.as_micros(),
        ));
    }
    say(&format!(
        "start to first answer, an SQLite file with 100 KB and 200 changes: {:.1} ms (at most 50)",
        1_000.0 * first_answer(&server, folder)?.as_secs_f64(),
    ));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let fanned = runtime.block_on(fan_out(1_000, 1 << 20))?;
    say(&format!(
        "1,000 subscribers of one canvas, 1 MB: told within {:.2} ms by {} value; all have read it after {:.2} ms, of {} text",
        1_000.0 * fanned.told.as_secs_f64(),
        fanned.changes,
        1_000.0 * fanned.read.as_secs_f64(),
        fanned.texts,
    ));
    let file = folder.join("looked.md");
    fs::write(&file, document(100_000))?;
    say(&format!(
        "the look at an unchanged file before a call: {:.1} µs (at most 50)",
        1e6 * runtime.block_on(look(&file))?.as_secs_f64()
    ));
    let (started, listed) = notes(&server, folder)?;
    say(&format!(
        "a folder of 10,000 files: started in {:.0} ms (at most 1,000), listed in {:.0} ms (at most 100)",
        1_000.0 * started.as_secs_f64(),
        1_000.0 * listed.as_secs_f64(),
    ));
    Ok(())
}

/// Starts on a folder of 10,000 files, and has all of them listed.
fn notes(server: &Path, folder: &Path) -> Outcome<(Duration, Duration)> {
    let root = folder.join("notes");
    for number in 0..10_000 {
        let folder = root.join(format!("{:02}", number % 100));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{number:05}.md")), "# Note\n")?;
    }
    let database = folder.join("notes.db");
    let (database, root) = (database.to_str().unwrap_or_default(), root.to_str().unwrap_or_default());
    let (mut started, mut listed) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let mut pipe = Pipe::open(server, &["--db", database, "--folder", root])?;
        pipe.initialize()?;
        started = started.min(began.elapsed());
        let began = Instant::now();
        let (mut params, mut count) = (json!({}), 0);
        loop {
            let page = pipe.mcp(1, "resources/list", params)?;
            count += page["result"]["resources"].as_array().map_or(0, Vec::len);
            match page["result"].get("nextCursor") {
                Some(next) => params = json!({"cursor": next}),
                None => break,
            }
        }
        listed = listed.min(began.elapsed());
        if count != 10_000 {
            return Err(format!("{count} files are listed").into());
        }
    }
    Ok((started, listed))
}

fn say(line: &str) {
    drop(writeln!(std::io::stdout(), "{line}"));
}

/// A program in the folder of this one.
fn beside(name: &str) -> Outcome<PathBuf> {
    let path = env::current_exe()?.with_file_name(name);
    if !path.exists() {
        return Err(format!(
            "{name} is not built: cargo build --release -p canvas-mcp -p canvas-examples --bins"
        )
        .into());
    }
    Ok(path)
}

/// A program that answers a line with a line.
struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipe {
    fn open(program: &Path, arguments: &[&str]) -> Outcome<Self> {
        let mut command = Command::new(program);
        let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err("no pipe".into()) };
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    fn ask(&mut self, request: &Value) -> Outcome<Value> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }

    fn mcp(&mut self, id: usize, method: &str, params: Value) -> Outcome<Value> {
        self.ask(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    fn initialize(&mut self) -> Outcome {
        let client = json!({"name": "bench", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        self.mcp(0, "initialize", params)?;
        Ok(())
    }

    fn call(&mut self, id: usize, name: &str, arguments: Value) -> Outcome<Value> {
        let mut answer = self.mcp(id, "tools/call", json!({"name": name, "arguments": arguments}))?;
        let body = answer["result"]["structuredContent"].take();
        if body["ok"] == true { Ok(body) } else { Err(body.to_string().into()) }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn document(bytes: usize) -> String {
    let mut text = "# Bench\n\nstate: a\n".to_owned();
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!("- line {number}\n"));
    }
    text
}

/// Turns one line to and fro.
fn patch(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "@@\n-state: a\n+state: b\n" } else { "@@\n-state: b\n+state: a\n" }
}

fn calls_over_mcp(server: &Path, bytes: usize) -> Outcome<Duration> {
    let file = env::temp_dir().join(format!("mcp-bench-{}.md", std::process::id()));
    fs::write(&file, document(bytes))?;
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut pipe = Pipe::open(server, &["--document", file.to_str().unwrap_or_default()])?;
        pipe.initialize()?;
        let lease = pipe.call(1, "canvas_check_out", json!({}))?["lease_id"].take();
        pipe.call(2, "canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 5}))?;
        let began = Instant::now();
        for number in 0..CALLS {
            pipe.call(3 + number, "canvas_apply_patch", json!({"lease_id": lease, "patch": patch(number)}))?;
        }
        best = best.min(began.elapsed() / u32::try_from(CALLS)?);
    }
    fs::remove_file(file)?;
    Ok(best)
}

fn calls_over_bridge(bridge: &Path, bytes: usize) -> Outcome<Duration> {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let mut pipe = Pipe::open(bridge, &[])?;
        let canvas = json!({"op": "canvas.create", "canvas": "c", "markdown": document(bytes), "now": 1});
        pipe.ask(&canvas)?;
        let mut call = |id: usize, name: &str, arguments: Value| -> Outcome<Value> {
            let mut answer = pipe.ask(&json!({
                "op": "tool.call", "canvas": "c", "session": "main", "call_id": id.to_string(), "name": name,
                "arguments": arguments, "now": 1_000 + id,
            }))?;
            let body = answer["result"].take();
            if body["ok"] == true { Ok(body) } else { Err(answer.to_string().into()) }
        };
        let lease = call(1, "canvas_check_out", json!({}))?["lease_id"].take();
        call(2, "canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 5}))?;
        let began = Instant::now();
        for number in 0..CALLS {
            call(3 + number, "canvas_apply_patch", json!({"lease_id": lease, "patch": patch(number)}))?;
        }
        best = best.min(began.elapsed() / u32::try_from(CALLS)?);
    }
    Ok(best)
}

/// What the envelope costs at both ends: a request and a result are written and read, the reply twice in it, as text and as
/// a value.
fn framing() -> Outcome<Duration> {
    let reply = json!({
        "applied_hunks": 1, "lines": ["1: # Bench", "2: ", "3: state: b", "4: - line 0"], "new_revision_id": "r9-00000000",
        "ok": true, "revision_id": "r9-00000000",
    });
    let arguments = json!({"lease_id": "lease-1-0", "patch": patch(0)});
    let params = json!({"name": "canvas_apply_patch", "arguments": arguments});
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for id in 0..CALLS {
            let line =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
            let _: Value = serde_json::from_str(&line)?;
            let content = json!([{"type": "text", "text": reply.to_string()}]);
            let result = json!({"content": content, "structuredContent": reply, "isError": false});
            let line = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
            let _: Value = serde_json::from_str(&line)?;
        }
        best = best.min(began.elapsed() / u32::try_from(CALLS)?);
    }
    Ok(best)
}

fn first_answer(server: &Path, folder: &Path) -> Outcome<Duration> {
    let (file, database) = (folder.join("plan.md"), folder.join("plan.db"));
    fs::write(&file, document(100_000))?;
    let arguments =
        ["--db", database.to_str().unwrap_or_default(), "--document", file.to_str().unwrap_or_default()];
    {
        let mut pipe = Pipe::open(server, &arguments)?;
        pipe.initialize()?;
        let lease = pipe.call(1, "canvas_check_out", json!({}))?["lease_id"].take();
        pipe.call(2, "canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 5}))?;
        for number in 0..200 {
            pipe.call(3 + number, "canvas_apply_patch", json!({"lease_id": lease, "patch": patch(number)}))?;
        }
        pipe.call(300, "canvas_check_in", json!({"lease_id": lease}))?;
    }
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let mut pipe = Pipe::open(server, &arguments)?;
        pipe.initialize()?;
        pipe.call(1, "canvas_outline", json!({}))?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[STARTS / 2])
}
