//! The program: reads its arguments, opens what they name, serves until its client is gone.

use std::env;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::transport::stdio_pipes;
use tokio::runtime;
use tokio_util::sync::CancellationToken;

use crate::check;
use crate::draft;
use crate::failure::Failure;
use crate::host::Host;
use crate::http;
use crate::log;
use crate::open::open;
use crate::options::{Asked, HELP, Options};
use crate::review;
use crate::server::Server;
use crate::stdio::Lines;

/// How long the end of the process waits for what is still at work.
const LAST_CALLS: Duration = Duration::from_secs(5);

/// Runs the program.
pub fn main() -> ExitCode {
    let options = match Options::parse(env::args_os().skip(1)) {
        Ok(Asked::Serve(options)) => *options,
        Ok(Asked::Check { options, given }) => return once(check::check(&options, &given)),
        Ok(Asked::Draft(options)) => return once(draft::print(&options)),
        Ok(Asked::ThrowDraftAway(options)) => return once(draft::throw_away(&options)),
        Ok(Asked::Review { options, verdict }) => return once(review::review(*options, verdict)),
        Ok(Asked::Help) => return print(HELP),
        Ok(Asked::Version) => return print(concat!("canvas-mcp ", env!("CARGO_PKG_VERSION"))),
        Err(error) => {
            log::line(error);
            return ExitCode::from(2);
        }
    };
    let mut threads = runtime::Builder::new_multi_thread();
    if options.http.is_none() {
        // One client asks one thing after the other: a second thread would be woken for each message, and do nothing else.
        threads.worker_threads(1);
    }
    let runtime = match threads.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            log::line(format_args!("no threads to work with: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let code = match runtime.block_on(serve(options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::line(error);
            ExitCode::FAILURE
        }
    };
    // A read of standard input may be on its way for good.
    runtime.shutdown_timeout(Duration::from_millis(50));
    code
}

/// Does one thing, and prints what it came to.
fn once(task: impl Future<Output = Result<String, Failure>>) -> ExitCode {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map_err(Failure::from).and_then(|runtime| runtime.block_on(task)) {
        Ok(text) => print(text.trim_end_matches('\n')),
        Err(error) => {
            log::line(error);
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> ExitCode {
    match writeln!(std::io::stdout(), "{text}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

async fn serve(options: Options) -> Result<(), Failure> {
    let stop = stopped()?;
    let http = options.http;
    let opened = open(&options.store).await?;
    let host = Host::start(options, opened).await?;
    log::line(host.served());
    let served = match http {
        None => over_stdio(&host, stop).await,
        Some(address) => over_http(address, &host, stop).await,
    };
    drop(tokio::time::timeout(LAST_CALLS, host.leave_all()).await);
    served
}

async fn over_stdio(host: &Arc<Host>, stop: CancellationToken) -> Result<(), Failure> {
    let (input, output) = stdio_pipes();
    let service = Server::over_stdio(host).serve_with_ct(Lines::new(input, output), stop).await;
    match service {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // The input ended, or the process was told to end, before anybody asked for anything.
        Err(
            rmcp::service::ServerInitializeError::ConnectionClosed(_)
            | rmcp::service::ServerInitializeError::Cancelled,
        ) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn over_http(address: SocketAddr, host: &Arc<Host>, stop: CancellationToken) -> Result<(), Failure> {
    let listening = http::listen(address).await?;
    let mut output = std::io::stdout();
    writeln!(output, "{}", listening.url)?;
    output.flush()?;
    Ok(http::serve(listening, host, stop).await?)
}

/// Is cancelled when the process is told to end.
fn stopped() -> Result<CancellationToken, Failure> {
    let stop = CancellationToken::new();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        for kind in [SignalKind::terminate(), SignalKind::interrupt()] {
            let (mut told, stop) = (signal(kind)?, stop.clone());
            tokio::spawn(async move {
                told.recv().await;
                stop.cancel();
            });
        }
    }
    #[cfg(not(unix))]
    {
        let stop = stop.clone();
        tokio::spawn(async move {
            drop(tokio::signal::ctrl_c().await);
            stop.cancel();
        });
    }
    Ok(stop)
}
