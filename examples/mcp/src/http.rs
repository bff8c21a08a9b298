//! Streamable HTTP, for clients on this machine unless an address says more.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::routing::any;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::exchange::{self, Exchange, MAX_BODY};
use crate::host::Host;
use crate::options::Options;
use crate::server::Server;
use crate::sessions::{MOST, Sessions};

/// Where requests go.
pub const PATH: &str = "/mcp";

/// A server that listens.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    /// What clients are given.
    pub url: String,
}

/// Listens at an address.
///
/// # Errors
///
/// Where the system refuses it.
pub async fn listen(address: SocketAddr) -> std::io::Result<Listening> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let words = format!("{address} cannot be listened at ({error}): name another address with --http");
        std::io::Error::new(error.kind(), words)
    })?;
    let url = format!("http://{}{PATH}", listener.local_addr()?);
    Ok(Listening { listener, url })
}

/// Serves until it is told to stop.
///
/// # Errors
///
/// Where the listener fails.
pub async fn serve(listening: Listening, host: &Arc<Host>, stop: CancellationToken) -> std::io::Result<()> {
    let Listening { listener, .. } = listening;
    let config = config(&host.options, listener.local_addr()?, stop.clone());
    let for_sessions = Arc::clone(host);
    let sessions = Sessions::new(MOST);
    let service = StreamableHttpService::new(
        move || Ok(Server::over_http(&for_sessions)),
        Arc::clone(&sessions),
        config,
    );
    let router = Router::new()
        .route(PATH, any(exchange::answer))
        .route("/", any(exchange::answer))
        .with_state(Exchange { service, sessions });
    let served = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    tokio::select! {
        served = served => served,
        // Streams of clients that listen have no end of their own.
        () = async { stop.cancelled().await; tokio::time::sleep(std::time::Duration::from_secs(1)).await } => Ok(()),
    }
}

/// Who may ask: this machine's names and what the options add, and no page of another origin.
fn config(options: &Options, address: SocketAddr, stop: CancellationToken) -> StreamableHttpServerConfig {
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    if !address.ip().is_unspecified() {
        hosts.push(address.ip().to_string());
    }
    hosts.extend(options.allow_hosts.iter().cloned());
    let mut origins: Vec<String> =
        ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"].map(str::to_owned).into();
    origins.extend(options.allow_origins.iter().cloned());
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_BODY)
        .with_cancellation_token(stop)
}
