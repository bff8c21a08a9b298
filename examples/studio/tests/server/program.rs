//! The program: what it prints, and how it ends.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::common::{Client, Frame, PATIENCE, raw, status};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canvas-studio"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

async fn address(child: &mut Child) -> (String, u16) {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let line = timeout(PATIENCE, lines.next_line()).await.unwrap().unwrap().unwrap();
    let port = line.trim_end_matches('/').rsplit(':').next().unwrap().parse().unwrap();
    (line, port)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_prints_its_address_and_ends_on_a_signal_with_windows_open() {
    for signal in ["-TERM", "-INT"] {
        let mut child = program(&["--port", "0"]).spawn().unwrap();
        let (line, port) = address(&mut child).await;
        assert_eq!(line, format!("http://127.0.0.1:{port}/"));
        let mut client = Client::connect(port).await;
        client.ok("hello", serde_json::json!({"clientId": "one"})).await;
        let page = raw(
            port,
            format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n").as_bytes(),
        )
        .await;
        assert_eq!(status(&page), 200);
        let id = child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().await.unwrap().success());
        let ended = timeout(PATIENCE, child.wait()).await.unwrap().unwrap();
        assert_eq!(ended.code(), Some(0), "{signal}");
        // It has not waited for the window, which hears of the end only now.
        loop {
            match client.frame().await {
                Frame::Text(_) | Frame::Ping => {}
                end => break assert!(matches!(end, Frame::Close(1001) | Frame::End), "{signal}: {end:?}"),
            }
        }
        let mut rest = String::new();
        child.stdout.take().unwrap().read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "", "the address is the only line");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_cannot_do_is_one_sentence() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (arguments, code, words) in [
        (&["--port", &port][..], 1, "is taken"),
        (&["--db", "/nowhere/at/all/studio.db", "--port", "0"], 1, "cannot be opened"),
        (&["--script", "/nowhere.json", "--port", "0"], 1, "nowhere.json"),
        (&["--live", "nobody", "--port", "0"], 1, "nobody"),
        (&["--fly"], 2, "--fly"),
        (&["--port", "x"], 2, "--port"),
        (&["--port", "70000"], 2, "70000"),
        (&["--db"], 2, "--db"),
    ] {
        let output = timeout(PATIENCE, program(arguments).output()).await.unwrap().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(
            output.stdout.is_empty() && said.lines().count() == 1 && said.contains(words),
            "{arguments:?}: {said}"
        );
    }
}
