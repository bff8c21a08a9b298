//! The program: reads its arguments, opens the store, listens, ends when it is told to.

use std::env;
use std::fmt;
use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::CodedError as _;
use canvas_core::store::{Blocking, BoxStore, MemoryStore};
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::assistant::Voice;
use crate::clock;
use crate::follow;
pub use crate::guard::Origins;
use crate::host::Host;
use crate::http;
use crate::options::{HELP, Options};

/// How long connections are given to end.
const LAST: Duration = Duration::from_millis(500);

/// Runs the program.
pub fn main() -> ExitCode {
    let options = match Options::parse(env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            return writeln!(io::stdout(), "{HELP}").map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
        }
        Err(problem) => {
            log(&problem);
            return ExitCode::from(2);
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            log(&format_args!("no threads to work with: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = match runtime.block_on(serve(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            log(&problem);
            ExitCode::FAILURE
        }
    };
    runtime.shutdown_timeout(Duration::from_millis(100));
    code
}

/// A line on standard error. Nobody is left to be told where that fails.
pub(crate) fn log(line: &dyn fmt::Display) {
    drop(writeln!(io::stderr(), "canvas-studio: {line}"));
}

/// The two listeners.
#[derive(Debug)]
pub struct Listening {
    page: TcpListener,
    frame: TcpListener,
    /// The addresses that pages and frames are reached at.
    pub origins: Origins,
}

/// Listens on loopback: at a port for the page, and at the next one that is free for frames.
///
/// # Errors
///
/// One sentence, where the port is taken.
pub async fn listen(port_of_page: u16) -> Result<Listening, String> {
    let bind = async |port| {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!("port {port} is taken: name another one with --port, or 0 for any that is free")
            }
            _ => format!(
                "port {port} of 127.0.0.1 cannot be listened at ({error}): name another one with --port"
            ),
        })
    };
    let port = |listener: &TcpListener| match listener.local_addr() {
        Ok(address) => Ok(address.port()),
        Err(error) => Err(format!("the system does not say where it listens ({error}): start again")),
    };
    let page = bind(port_of_page).await?;
    // The next port where it is free: after a new start pages that are open find their frames again.
    let next = port(&page)?.checked_add(1);
    let frame = match next {
        Some(next) => match bind(next).await {
            Ok(listener) => listener,
            Err(_) => bind(0).await?,
        },
        None => bind(0).await?,
    };
    let origins = Origins::new(port(&page)?, port(&frame)?);
    Ok(Listening { page, frame, origins })
}

/// Opens the store and what stands on it.
///
/// # Errors
///
/// One sentence.
pub async fn open(options: &Options, origins: &Origins) -> Result<Arc<Host>, String> {
    let voice = Voice::open(&options.assistant)?;
    let (store, listener) = match &options.db {
        None => (BoxStore::new(MemoryStore::new(clock::now)), None),
        Some(path) => {
            let name = path.display();
            let patience = SqliteOptions { busy_timeout: options.busy, ..SqliteOptions::default() };
            let opened = SqliteStore::open_with(path, clock::now, patience);
            let store = opened.map_err(|e| {
                format!("{name} cannot be opened as a database ({}): name another file", e.message())
            })?;
            let listener = store.listener();
            // A file that another program has locked keeps a thread waiting, and no page.
            let store = Blocking::new(store).with_spawn(|job| drop(tokio::task::spawn_blocking(job)));
            (BoxStore::new(store), Some(listener))
        }
    };
    let host = Host::start(options, store, voice, origins.clone()).await?;
    if let Some(listener) = listener {
        tokio::spawn(follow::others(Arc::downgrade(&host), listener));
    }
    Ok(host)
}

/// Serves until `stop` changes.
///
/// # Errors
///
/// Where a listener fails.
pub async fn serve_until(
    listening: Listening,
    host: &Arc<Host>,
    stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let stopped = async |mut stop: watch::Receiver<bool>| drop(stop.wait_for(|stop| *stop).await);
    let page = axum::serve(listening.page, http::page(host, stop.clone()))
        .with_graceful_shutdown(stopped(stop.clone()));
    let frame = axum::serve(listening.frame, http::frame(host)).with_graceful_shutdown(stopped(stop.clone()));
    tokio::select! {
        served = async { tokio::try_join!(page.into_future(), frame.into_future()) } => served.map(drop),
        () = async { stopped(stop.clone()).await; tokio::time::sleep(LAST).await } => Ok(()),
    }
}

async fn serve(options: Options) -> Result<(), String> {
    let listening = listen(options.port).await?;
    let host = open(&options, &listening.origins).await?;
    let mut out = io::stdout();
    writeln!(out, "{}/", listening.origins.page()).and_then(|()| out.flush()).map_err(|e| e.to_string())?;
    let (told, stop) = watch::channel(false);
    let end = ended().map_err(|e| e.to_string())?;
    tokio::spawn(async move {
        end.await;
        // All have ended already where nobody listens.
        let _ = told.send(true);
    });
    serve_until(listening, &host, stop).await.map_err(|e| e.to_string())
}

/// Comes when the process is told to end.
#[cfg(unix)]
fn ended() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Comes when the process is told to end.
#[cfg(not(unix))]
fn ended() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}
