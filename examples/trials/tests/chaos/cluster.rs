//! Starts the client processes, kills them and keeps what they print.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use canvas_core::{Blob, BlobId, CanvasId};
use canvas_store_testing::canvas;

use super::checker::{Counts, Entry, Transcript, check, has_fought};
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

/// Bounds a hang. No result depends on it.
const PATIENCE: Duration = Duration::from_secs(300);

/// Lines after which the cluster looks again whether the clients have met.
const LOOK: usize = 20;

struct Process {
    child: Child,
    life: u64,
    reader: JoinHandle<()>,
}

impl Process {
    fn start(orders: &Orders, said: Sender<(u64, String)>) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
            .args(orders.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts once more");
        let output = BufReader::new(child.stdout.take().expect("its output is piped"));
        let life = orders.life;
        let reader = thread::spawn(move || {
            output.lines().map_while(Result::ok).for_each(|line| drop(said.send((life, line))));
        });
        Self { child, life, reader }
    }

    /// Ends it by SIGKILL, wherever it is.
    fn kill(mut self) {
        self.child.kill().expect("it has not ended by itself");
        self.child.wait().expect("it was killed");
        self.reader.join().expect("its words were kept");
    }

    /// Lets it end what it is at.
    fn dismiss(mut self) {
        drop(self.child.stdin.take());
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "a client has failed by itself: {status}");
        self.reader.join().expect("its words were kept");
    }
}

/// What the processes say, as they say it.
struct Ear {
    said: Receiver<(u64, String)>,
    /// Lines by process.
    lines: BTreeMap<u64, usize>,
    transcript: Transcript,
}

impl Ear {
    fn new() -> (Sender<(u64, String)>, Self) {
        let (sender, said) = channel();
        (sender, Self { said, lines: BTreeMap::new(), transcript: Transcript::default() })
    }

    fn hear(&mut self, (life, line): (u64, String)) {
        *self.lines.entry(life).or_default() += 1;
        self.transcript.hear(&[line]);
    }

    fn next(&mut self) {
        let line = self.said.recv_timeout(PATIENCE).expect("a client says something");
        self.hear(line);
    }

    /// Waits until a process has said so many further lines.
    fn wait(&mut self, life: u64, lines: usize) {
        self.catch_up();
        let said = |ear: &Self| ear.lines.get(&life).copied().unwrap_or(0);
        let end = said(self) + lines;
        while said(self) < end {
            self.next();
        }
    }

    /// Takes what has come.
    fn catch_up(&mut self) {
        while let Ok(line) = self.said.try_recv() {
            self.hear(line);
        }
    }
}

/// Runs two processes, kills them in turn and checks what they and the database have recorded.
pub(crate) fn run(engine: &str, cluster: &impl Cluster, kills: u32) {
    let mut counts = Counts::default();
    let mut life = 0;
    for round in 0..kills.div_ceil(ROUND) {
        let canvas = canvas(&format!("chaos-{round}"));
        let place = cluster.prepare(&canvas);
        let (said, mut ear) = Ear::new();
        let mut start = |who: &str| {
            life += 1;
            let [engine, place, canvas, who] = [engine, &place, canvas.as_str(), who].map(String::from);
            Process::start(&Orders { engine, place, canvas, who, life }, said.clone())
        };
        let mut clients = [start("red"), start("blue")];
        for kill in round * ROUND..kills.min((round + 1) * ROUND) {
            // Counts that hit every step: right after the start, in a write, and by what the other one says, in a wait.
            let victim = (kill % 2) as usize;
            let speaker = if kill % 4 < 2 { victim } else { 1 - victim };
            ear.wait(clients[speaker].life, (kill * 37 % 41) as usize);
            let who = ["red", "blue"][victim];
            std::mem::replace(&mut clients[victim], start(who)).kill();
            counts.kills += 1;
        }
        // The last ones get to write too, until all that is counted below has happened in this round.
        for client in &clients {
            ear.wait(client.life, 1);
        }
        while !(ear.transcript.has_both_answers() && has_fought(&cluster.history(&canvas))) {
            (0..LOOK).for_each(|_| ear.next());
        }
        clients.into_iter().for_each(Process::dismiss);
        ear.catch_up();
        let text = |id| cluster.document(&canvas, id).and_then(|blob| blob.as_text().map(String::from));
        check(&cluster.history(&canvas), text, &ear.transcript, &mut counts);
    }
    println!("{engine}: {counts}");
    counts.check();
}
