//! Every store under two servers at once, step by step beside a model, with a network that makes trouble.
//!
//! `model` and `row` say what a canvas should do, `story` what is done and `plan` in which sequences; `faults` is the
//! network, `server` an engine on it, `machine` runs the steps, `checker` holds what is said and stored against the model,
//! `history` judges the whole by fewer and simpler rules, and `flawed` shows that all this finds something. `moved` moves a
//! canvas from store to store. `sync` is without trouble: there one server, started anew at any time, tells models what they
//! have to know.
//!
//! ```text
//! PROPTEST_CASES=5000 cargo test -p canvas-trials --test stores
//! .ci/postgres cargo test -p canvas-trials --features sqlite,postgres --test stores
//! ```
//!
//! The clock of PostgreSQL is real. There nothing waits and no lease ends by itself; what time does is left to the
//! stores whose clock the test moves.

mod checker;
mod faults;
mod flawed;
mod history;
mod machine;
mod model;
mod moved;
mod plan;
mod row;
mod server;
mod story;
mod sync;
mod transcript;
mod world;

use proptest::test_runner::Config;
use proptest_state_machine::prop_state_machine;

use machine::Servers;
#[cfg(feature = "object-store")]
use world::Bucket;
#[cfg(feature = "postgres")]
use world::Postgres;
#[cfg(feature = "sqlite")]
use world::Sqlite;
use world::{Memory, WrongClocks};

/// Sequences for each store; `PROPTEST_CASES` sets another number.
fn config() -> Config {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { Config::default().cases } else { 64 };
    // What a failure needs is in its report.
    Config { cases, failure_persistence: None, ..Config::default() }
}

prop_state_machine! {
    #![proptest_config(config())]

    #[test]
    fn servers_on_memory_do_what_the_model_does(sequential 1..40 => Servers<Memory>);

    #[test]
    fn servers_with_wrong_clocks_do_what_the_model_does(sequential 1..40 => Servers<WrongClocks>);

    #[cfg(feature = "sqlite")]
    #[test]
    fn servers_on_sqlite_do_what_the_model_does(sequential 1..40 => Servers<Sqlite>);

    #[cfg(feature = "object-store")]
    #[test]
    fn servers_on_a_bucket_do_what_the_model_does(sequential 1..40 => Servers<Bucket>);

    #[cfg(feature = "postgres")]
    #[test]
    fn servers_on_postgres_do_what_the_model_does(sequential 1..40 => Servers<Postgres>);
}
