//! One of the two processes. Its writes share commits: some are made at once.

use std::future::poll_fn;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use canvas_core::document::{ApplyPatch, Read};
use canvas_core::lease::{CheckIn, CheckOut, CheckedOut, LeaseId, Turn};
use canvas_core::store::Store;
use canvas_core::turn::SendMessage;
use canvas_core::{CanvasId, Command, Engine, OpKey, PersonId, Policy, Resolution};
use canvas_store_testing::{canvas, key_of, system_now};

/// The argument that makes a client of this program.
pub(crate) const CLIENT: &str = "--client";

/// How long a lease lives: short, so that a killed process is soon succeeded.
pub(crate) const TTL: Duration = Duration::from_millis(250);

/// The first text: so long that it is kept as chunks. Lines are written below its first one.
pub(crate) fn first_text() -> String {
    let lines = (0..2_500).map(|i| format!("line {i} of what was there before\n"));
    "top\n".to_owned() + &lines.collect::<String>()
}

pub(crate) fn policy() -> Policy {
    let lease = canvas_core::lease::LeasePolicy { ttl: TTL, ..canvas_core::lease::LeasePolicy::default() };
    Policy { lease, ..Policy::default() }
}

/// What the cluster tells a client.
#[derive(Debug, Clone)]
pub(crate) struct Orders {
    pub(crate) engine: String,
    /// The file, or the schema.
    pub(crate) place: String,
    pub(crate) canvas: String,
    /// The conversation: the same again after a kill.
    pub(crate) who: String,
    /// Counts the processes, so that no call id is used twice.
    pub(crate) life: u64,
}

impl Orders {
    pub(crate) fn parse(arguments: &[String]) -> Option<Self> {
        let [engine, place, canvas, who, life] = arguments else { return None };
        let [engine, place, canvas, who] = [engine, place, canvas, who].map(String::clone);
        Some(Self { engine, place, canvas, who, life: life.parse().ok()? })
    }

    pub(crate) fn arguments(&self) -> [String; 6] {
        let Self { engine, place, canvas, who, life } = self.clone();
        [CLIENT.into(), engine, place, canvas, who, life.to_string()]
    }
}

/// Small numbers that differ from life to life.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

struct Client<'a, S> {
    engine: &'a Engine<S>,
    canvas: CanvasId,
    orders: &'a Orders,
    operations: u64,
    dice: Dice,
}

/// Fights until its input ends, or it is killed.
pub(crate) async fn run<S: Store>(engine: &Engine<S>, orders: &Orders) {
    let stop = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&stop);
    thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        ended.store(true, Ordering::Relaxed);
    });
    let canvas = canvas(&orders.canvas);
    let seed = orders.who.bytes().map(u64::from).sum::<u64>() * 1_000_003 + orders.life * 7_919 + 1;
    let mut client = Client { engine, canvas, orders, operations: 0, dice: Dice(seed) };
    while !stop.load(Ordering::Relaxed) {
        client.session().await;
    }
}

impl<S: Store> Client<'_, S> {
    fn pause(&mut self, millis: u64) {
        thread::sleep(Duration::from_millis(self.dice.roll(millis) + 1));
    }

    /// The key of a new operation.
    fn key(&mut self, turn: Turn) -> OpKey {
        let Orders { who, life, .. } = self.orders;
        self.operations += 1;
        key_of(who, turn, &format!("{who}-{life}-{}", self.operations))
    }

    async fn session(&mut self) {
        let Ok(snapshot) = self.engine.snapshot(&self.canvas, system_now()).await else {
            return self.pause(5);
        };
        let turn = snapshot.head.lock().turn();
        if self.dice.roll(12) == 0 {
            // A person sends a message, which ends the lease of any holder. The first one raises the canvas to format 3.
            let person = PersonId::new(&format!("person of {}", self.orders.who)).expect("the name is short");
            let operation = OpKey { person: Some(person), ..self.key(turn) };
            let _ = self.engine.call(&self.canvas, &operation, SendMessage, system_now()).await;
            return;
        }
        let Some(CheckedOut { lease, .. }) = self.call(turn, CheckOut).await else {
            return self.pause(8);
        };
        self.call(turn, Read::new(Some(lease))).await;
        for _ in 0..=self.dice.roll(6) {
            if self.dice.roll(25) == 0 {
                thread::sleep(TTL + Duration::from_millis(20));
            }
            let operations: Vec<_> = (0..=self.dice.roll(4)).map(|_| self.key(turn)).collect();
            together(operations.iter().map(|operation| self.write(operation, lease))).await;
            self.pause(3);
        }
        if self.dice.roll(5) > 0 {
            self.call(turn, CheckIn { lease: Some(lease) }).await;
        }
    }

    async fn call<C: Command>(&mut self, turn: Turn, command: C) -> Option<C::Done> {
        let operation = self.key(turn);
        self.engine.call(&self.canvas, &operation, command, system_now()).await.ok()?.result.ok()
    }

    /// Writes a line that names itself and its lease, and prints what became of it. Each word is out before the next
    /// step is taken.
    async fn write(&self, operation: &OpKey, lease: LeaseId) {
        let name = operation.call.as_str().to_owned();
        println!("try {name}");
        let patch = format!("@@\n top\n+{name} {lease}\n");
        let command = ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None };
        let result = match self.engine.call(&self.canvas, operation, command, system_now()).await {
            Ok(answered) => answered.result,
            Err(_) => match self.engine.resolve(&self.canvas, operation, system_now()).await {
                Ok(Resolution::Done(stored)) => stored.answer::<ApplyPatch>().expect("it answers the write"),
                Ok(Resolution::NeverDone) => return println!("no {name}"),
                Err(_) => return,
            },
        };
        match result {
            Ok(applied) => println!("ack {name} {}", applied.revision.revision().get()),
            Err(_) => println!("no {name}"),
        }
    }
}

/// Waits for all of them at once.
async fn together<F: Future<Output = ()>>(futures: impl Iterator<Item = F>) {
    let mut under_way: Vec<_> = futures.map(Box::pin).collect();
    poll_fn(|context| {
        under_way.retain_mut(|one| one.as_mut().poll(context).is_pending());
        if under_way.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}
