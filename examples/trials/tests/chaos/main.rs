//! Two client processes compete for the lease of one canvas and are killed again and again.
//!
//! The processes are this program under other arguments. Each checks out, writes lines that name their lease, steps in
//! as the user, sleeps beyond its lease, and tells on its output what it was answered. The database records every head
//! by a trigger, in the transaction that wrote it. Afterwards both accounts are compared: [`checker`].
//!
//! ```text
//! CANVAS_KILLS=200 cargo test --release -p canvas-trials --features sqlite --test chaos
//! CANVAS_KILLS=200 .ci/postgres cargo test --release -p canvas-trials --features postgres --test chaos
//! ```
//!
//! It has no harness of named tests: a process that is killed must not take the others' with it.
#![expect(
    clippy::print_stdout,
    reason = "the processes tell each other on their output, and the cluster reports"
)]

#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod checker;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod client;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod cluster;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

#[cfg(any(feature = "postgres", feature = "sqlite"))]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == client::CLIENT) {
        let orders =
            client::Orders::parse(&arguments[1..]).expect("the cluster gives orders that can be read");
        return match orders.engine.as_str() {
            #[cfg(feature = "sqlite")]
            "sqlite" => sqlite::run_client(&orders),
            #[cfg(feature = "postgres")]
            "postgres" => postgres::run_client(&orders),
            other => panic!("no engine of that name: {other}"),
        };
    }
    checker::tests::all();
    let kills =
        std::env::var("CANVAS_KILLS").map_or(4, |kills| kills.parse().expect("CANVAS_KILLS is a number"));
    #[cfg(feature = "sqlite")]
    cluster::run("sqlite", &canvas_store_testing::Folder::new(), kills);
    #[cfg(feature = "postgres")]
    cluster::run("postgres", &postgres::Schema::new(), kills);
}

#[cfg(not(any(feature = "postgres", feature = "sqlite")))]
fn main() {
    println!("nothing to test: build with the feature sqlite or postgres");
}
