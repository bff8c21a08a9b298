//! Starts the client processes, kills them and keeps what they print.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use canvas_core::{Blob, BlobId, CanvasId};
use canvas_store_testing::canvas;

use super::checker::{Counts, Entry, Transcript, check};
use super::client::Orders;

/// A database that the clients share.
pub(crate) trait Cluster {
    /// Makes a canvas, and records every head that it will have. Gives the place for the clients' orders.
    fn prepare(&self, canvas: &CanvasId) -> String;

    /// Every head of the canvas, in the order in which they were written.
    fn history(&self, canvas: &CanvasId) -> Vec<Entry>;

    /// A text that the canvas has had.
    fn document(&self, canvas: &CanvasId, id: BlobId) -> Option<Blob>;
}

/// Kills in one canvas: the next has a fresh one, so that texts stay small.
const ROUND: u32 = 10;

struct Process {
    child: Child,
    words: JoinHandle<Vec<String>>,
}

impl Process {
    fn start(orders: &Orders) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
            .args(orders.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts once more");
        let output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let words = thread::spawn(move || output.lines().map_while(Result::ok).collect());
        Self { child, words }
    }

    /// Ends it by SIGKILL, wherever it is.
    fn kill(mut self, transcript: &mut Transcript) {
        self.child.kill().expect("it has not ended by itself");
        self.child.wait().expect("it was killed");
        transcript.hear(&self.words.join().expect("its words were kept"));
    }

    /// Lets it end what it is at.
    fn dismiss(mut self, transcript: &mut Transcript) {
        drop(self.child.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "a client has failed by itself: {status}");
        transcript.hear(&self.words.join().expect("its words were kept"));
    }
}

/// Runs two processes, kills them in turn and checks what they and the database have recorded.
pub(crate) fn run(engine: &str, cluster: &impl Cluster, kills: u32) {
    let mut counts = Counts::default();
    let mut life = 0;
    for round in 0..kills.div_ceil(ROUND) {
        let canvas = canvas(&format!("chaos-{round}"));
        let place = cluster.prepare(&canvas);
        let mut transcript = Transcript::default();
        let mut start = |who: &str| {
            life += 1;
            let [engine, place, canvas, who] = [engine, &place, canvas.as_str(), who].map(String::from);
            Process::start(&Orders { engine, place, canvas, who, life })
        };
        let mut clients = [start("red"), start("blue")];
        for kill in round * ROUND..kills.min((round + 1) * ROUND) {
            // Times that hit every step: right after the start, in a write, in a wait.
            thread::sleep(Duration::from_millis(40 + u64::from(kill * 37 % 160)));
            let victim = (kill % 2) as usize;
            let who = ["red", "blue"][victim];
            std::mem::replace(&mut clients[victim], start(who)).kill(&mut transcript);
            counts.kills += 1;
        }
        // The last ones get to write too.
        thread::sleep(Duration::from_millis(300));
        clients.into_iter().for_each(|client| client.dismiss(&mut transcript));
        let text = |id| cluster.document(&canvas, id).and_then(|blob| blob.as_text().map(String::from));
        check(&cluster.history(&canvas), text, &transcript, &mut counts);
    }
    println!("{engine}: {counts}");
    counts.check();
}
