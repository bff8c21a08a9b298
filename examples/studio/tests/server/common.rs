//! A studio within the test.

use std::path::PathBuf;
use std::sync::Arc;

use canvas_studio::host::Host;
use canvas_studio::options::Options;
use canvas_studio::run;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;

#[path = "../../src/bin/studio-bench/client.rs"]
mod client;

pub(crate) use self::client::{Client, Frame, PATIENCE, handshake};

/// A studio that ends with the test.
pub(crate) struct Studio {
    pub(crate) host: Arc<Host>,
    pub(crate) page: u16,
    pub(crate) frame: u16,
    stop: watch::Sender<bool>,
    served: tokio::task::JoinHandle<()>,
}

impl Studio {
    pub(crate) async fn start() -> Self {
        Self::with(Options { port: 0, ..Options::default() }).await
    }

    pub(crate) async fn on(db: PathBuf) -> Self {
        Self::with(Options { port: 0, db: Some(db), ..Options::default() }).await
    }

    pub(crate) async fn with(options: Options) -> Self {
        let listening = run::listen(options.port).await.unwrap();
        let origins = listening.origins.clone();
        let host = run::open(&options, &origins).await.unwrap();
        let (stop, told) = watch::channel(false);
        let serving = Arc::clone(&host);
        let served = tokio::spawn(async move { run::serve_until(listening, &serving, told).await.unwrap() });
        let port = |origin: String| origin.rsplit(':').next().unwrap().parse().unwrap();
        Self { host, page: port(origins.page()), frame: port(origins.frame()), stop, served }
    }

    pub(crate) async fn end(self) {
        self.stop.send(true).unwrap();
        timeout(PATIENCE, self.served).await.unwrap().unwrap();
    }

    /// A window of a named person, which shows the first canvas.
    pub(crate) async fn window(&self, name: &str, person: &str) -> Client {
        let mut client = Client::connect(self.page).await;
        let hello = client.ok("hello", json!({"clientId": name, "person": person})).await;
        assert_eq!(hello["person"], person);
        client.ok("canvas.open", json!({})).await;
        client
    }

    /// A client that has said hello and shows the first canvas.
    pub(crate) async fn client(&self, name: &str) -> Client {
        let mut client = Client::connect(self.page).await;
        client.ok("hello", json!({"clientId": name})).await;
        client.ok("canvas.open", json!({})).await;
        client
    }
}

/// Closes a connection, and waits until the studio has let it go.
pub(crate) async fn close(mut client: Client) {
    client.send(0x88, &[]).await.unwrap();
    while client.frame().await != Frame::End {}
}

/// Sends bytes, and gives all that comes back until the other side ends.
pub(crate) async fn raw(port: u16, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    // A connection that is reset is no error here: what was sent until then counts.
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("the other side ends");
    String::from_utf8_lossy(&answer).into_owned()
}

/// The status of an answer.
pub(crate) fn status(answer: &str) -> u16 {
    answer.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}
