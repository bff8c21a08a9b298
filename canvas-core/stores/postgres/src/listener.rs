//! Receiving notifications of preemptions on other servers, so that a loop stops early.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_core::store::{StoreError, StoreOperation as Operation};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Socket};

use super::error::{CallError, LOST, TIMED_OUT};
use super::notification::{Notification, parse};
use super::options::Schema;

/// Maximum notifications that wait for the host. If it falls further behind, it gets [`Notification::Lost`] instead.
const WAITING: usize = 1_024;

/// Options of a [`Listener`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerOptions {
    /// The schema of the store, `canvas` by default.
    pub schema: String,
    /// Interval at which the listener checks a silent connection, 15 s by default. This is needed because a broken
    /// network is silent too.
    pub heartbeat: Duration,
    /// Maximum time for connecting, listening and a heartbeat, 10 s by default.
    pub deadline: Duration,
    /// The first pause before reconnecting, 100 ms by default. It doubles up to `longest_pause`.
    pub first_pause: Duration,
    /// The longest pause before reconnecting, 10 s by default.
    pub longest_pause: Duration,
}

impl Default for ListenerOptions {
    fn default() -> Self {
        Self {
            schema: "canvas".to_owned(),
            heartbeat: Duration::from_secs(15),
            deadline: Duration::from_secs(10),
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(10),
        }
    }
}

/// Receives notifications of preemptions over a connection of its own.
///
/// It needs a session. Connect it to the server itself, because no notification ever arrives through a proxy in transaction
/// mode. A notification follows its commit and may be lost, so use it only to stop early. To do so, the host calls
/// [`Engine::forget`](canvas_core::Engine::forget) for the canvas and interrupts the loop that works on it. If a loop
/// continues anyway, the store refuses its commits.
///
/// ```no_run
/// # use canvas_core::store::Store;
/// # use canvas_core::Engine;
/// use canvas_store_postgres::{Listener, ListenerOptions, Notification};
/// use tokio_postgres::{Config, NoTls};
///
/// # async fn host<S: Store>(engine: Engine<S>) -> Result<(), Box<dyn std::error::Error>> {
/// let config: Config = "host=/run/postgresql user=canvas dbname=canvas".parse()?;
/// let mut listener = Listener::connect(config, NoTls, ListenerOptions::default()).await?;
/// loop {
///     match listener.next().await {
///         Notification::Preempted { canvas, .. } => engine.forget(&canvas), // and interrupt the loop on it
///         Notification::Lost => {}      // nothing to do: each write is judged by the store
///         Notification::Listening => {} // look once at the canvases on which loops are running
///         _ => {}                       // a later version may tell more
///     }
/// }
/// # }
/// ```
pub struct Listener {
    inbox: Arc<Inbox>,
    task: JoinHandle<()>,
}

impl Listener {
    /// Connects and listens. Afterwards the listener maintains the connection by itself. If it loses the connection, it
    /// delivers [`Notification::Lost`] once, and [`Notification::Listening`] when notifications arrive again.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT` if the schema's name is invalid; `STORE_UNAVAILABLE` if there is no connection within the deadline, or
    /// if the server is a standby, which has no notifications; `STORE_DENIED`.
    pub async fn connect<T>(config: Config, tls: T, options: ListenerOptions) -> Result<Self, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync + 'static,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as tokio_postgres::tls::TlsConnect<Socket>>::Future: Send,
    {
        let channel = Schema::new(&options.schema)?.channel();
        let inbox = Arc::new(Inbox::default());
        let link = Link { config, tls, channel, options, inbox: Arc::clone(&inbox) };
        let open = link.open().await?;
        Ok(Self { inbox, task: tokio::spawn(link.keep(open)) })
    }

    /// Waits for the next notification. Dropping the future loses no notification.
    pub async fn next(&mut self) -> Notification {
        loop {
            let news = self.inbox.news.notified();
            if let Some(notification) = self.inbox.pop() {
                return notification;
            }
            news.await;
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Listener({} waiting)", self.inbox.waiting().len())
    }
}

/// Notifications waiting for the host.
#[derive(Default)]
struct Inbox {
    waiting: Mutex<VecDeque<Notification>>,
    news: Notify,
}

impl Inbox {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Notification>> {
        // Code that holds the lock cannot panic.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pop(&self) -> Option<Notification> {
        self.waiting().pop_front()
    }

    /// Adds a notification. Drops the waiting ones if there are too many, so that a slow host does not make the server keep
    /// them.
    fn push(&self, notification: Notification) {
        let mut waiting = self.waiting();
        if waiting.len() >= WAITING {
            waiting.clear();
            waiting.extend([Notification::Lost, Notification::Listening]);
        }
        waiting.push_back(notification);
        drop(waiting);
        self.news.notify_one();
    }
}

/// The parameters for connecting to the server.
struct Link<T> {
    config: Config,
    tls: T,
    channel: String,
    options: ListenerOptions,
    inbox: Arc<Inbox>,
}

/// A listening connection.
struct Open<S> {
    client: Client,
    connection: Connection<Socket, S>,
}

impl<T> Link<T>
where
    T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
    T::Stream: Send + 'static,
    T::TlsConnect: Send,
    <T::TlsConnect as tokio_postgres::tls::TlsConnect<Socket>>::Future: Send,
{
    async fn open(&self) -> Result<Open<T::Stream>, StoreError> {
        let operation = Operation::Listen;
        let opening = async {
            let connecting = self.config.connect(self.tls.clone()).await;
            let (client, mut connection) =
                connecting.map_err(|e| CallError::pool(operation, e.into()).error)?;
            let listen = format!("LISTEN {}", self.channel);
            let listened = {
                let mut listening = pin!(client.batch_execute(&listen));
                loop {
                    tokio::select! {
                        biased;
                        listened = &mut listening => break listened,
                        message = poll_fn(|context| connection.poll_message(context)) => {
                            self.hear(operation, message)?;
                        }
                    }
                }
            };
            listened.map_err(|e| CallError::answered(operation, e).error)?;
            Ok(Open { client, connection })
        };
        let late = |e| CallError::unsent(operation, TIMED_OUT).with_source(e).error;
        timeout(self.options.deadline, opening).await.map_err(late)?
    }

    /// Forwards one message. Returns an error if no more can follow.
    fn hear(
        &self,
        operation: Operation,
        message: Option<Result<AsyncMessage, tokio_postgres::Error>>,
    ) -> Result<(), StoreError> {
        match message {
            Some(Ok(AsyncMessage::Notification(notification))) => {
                if let Some(notification) = parse(notification.payload()) {
                    self.inbox.push(notification);
                }
                Ok(())
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(e)) => Err(CallError::answered(operation, e).error),
            None => Err(CallError::unsent(operation, LOST).error),
        }
    }

    /// Keeps listening and reconnecting until the task is aborted.
    async fn keep(self, mut open: Open<T::Stream>) {
        loop {
            self.listen(open).await;
            self.inbox.push(Notification::Lost);
            let mut pause = self.options.first_pause;
            open = loop {
                sleep(pause).await;
                match self.open().await {
                    Ok(open) => break open,
                    Err(_) => pause = pause.saturating_mul(2).min(self.options.longest_pause),
                }
            };
            self.inbox.push(Notification::Listening);
        }
    }

    /// Forwards notifications until the connection is lost.
    async fn listen(&self, open: Open<T::Stream>) {
        let Open { client, mut connection } = open;
        let mut beating = pin!(async {
            loop {
                sleep(self.options.heartbeat).await;
                let beat = timeout(self.options.deadline, client.check_connection()).await;
                if !matches!(beat, Ok(Ok(()))) {
                    break;
                }
            }
        });
        loop {
            tokio::select! {
                message = poll_fn(|context| connection.poll_message(context)) => {
                    if self.hear(Operation::Listen, message).is_err() {
                        break;
                    }
                }
                () = &mut beating => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_falls_behind_gets_lost() {
        let inbox = Inbox::default();
        for _ in 0..WAITING {
            inbox.push(Notification::Listening);
        }
        assert_eq!(inbox.waiting().len(), WAITING);
        let last = parse("1 2 61").expect("it is a payload");
        inbox.push(last.clone());
        let left: Vec<Notification> = std::iter::from_fn(|| inbox.pop()).collect();
        assert_eq!(left, [Notification::Lost, Notification::Listening, last]);
    }
}
