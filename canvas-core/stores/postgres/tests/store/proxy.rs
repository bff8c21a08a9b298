//! Through PgBouncer in transaction mode: its clients share few sessions, so nothing may need one.

use canvas_store_postgres::Statements;
use canvas_store_testing::conformance::run;
use canvas_store_testing::{World, address};

use super::contract::{Server, sum_up};
use super::pool::take_turns;

/// The proxy; `None` where the script has reported that there is none.
fn proxy() -> Option<tokio_postgres::Config> {
    let address = address("CANVAS_PGBOUNCER");
    (address != "none").then(|| address.parse().expect("the script gives a connection string"))
}

#[tokio::test(flavor = "multi_thread")]
async fn unnamed_statements_keep_every_promise() {
    let Some(proxy) = proxy() else { return };
    let report = run(&Server::new(Statements::Unnamed, Some(proxy)).await).await;
    sum_up("postgres, through PgBouncer", &report);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_clients_share_few_sessions() {
    let Some(proxy) = proxy() else { return };
    let world = World::new().await;
    let stores: Vec<_> = (0..4)
        .map(|_| {
            world.store_with(|config, options| {
                config.clone_from(&proxy);
                options.statements = Statements::Unnamed;
            })
        })
        .collect();
    take_turns(&stores, 10).await;
    assert_eq!(world.number("SELECT sum(version)::bigint FROM {schema}.heads").await, 40);
}
