//! A wire between store and server that counts round trips and breaks on request.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use canvas_store_testing::Folder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// What the wire does to what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It carries it.
    Carry,
    /// The next request does not arrive, and the connection is lost.
    CutRequest,
    /// The next request arrives, and the connection is lost before its reply.
    CutReply,
    /// Replies vanish without an error.
    SwallowReplies,
}

const FATES: [Fate; 4] = [Fate::Carry, Fate::CutRequest, Fate::CutReply, Fate::SwallowReplies];

#[derive(Default)]
struct Shared {
    fate: AtomicU8,
    round_trips: AtomicUsize,
}

impl Shared {
    fn fate(&self) -> Fate {
        FATES[usize::from(self.fate.load(Ordering::SeqCst))]
    }

    fn set(&self, fate: Fate) {
        let number = FATES.iter().position(|other| *other == fate).expect("every fate is listed");
        self.fate.store(u8::try_from(number).expect("there are few"), Ordering::SeqCst);
    }
}

/// A wire to the server at an address.
pub(crate) struct Wire {
    shared: Arc<Shared>,
    _folder: Folder,
    listening: JoinHandle<()>,
    config: Config,
}

impl Wire {
    pub(crate) fn to(server: &Config) -> Self {
        let [Host::Unix(path)] = server.get_hosts() else { panic!("the script's server has a Unix socket") };
        let port = server.get_ports().first().copied().unwrap_or(5432);
        let socket = path.join(format!(".s.PGSQL.{port}"));
        let folder = Folder::new();
        let listener = UnixListener::bind(folder.path().join(".s.PGSQL.5432")).expect("the folder is new");
        let shared = Arc::new(Shared::default());
        let listening = tokio::spawn(accept(listener, socket, Arc::clone(&shared)));
        let mut config = Config::new();
        config.host_path(folder.path()).port(5432).user(server.get_user().expect("the address has a user"));
        config.dbname(server.get_dbname().expect("the address has a database"));
        config.application_name(server.get_application_name().expect("a world names its sessions"));
        Self { shared, _folder: folder, listening, config }
    }

    /// The near end.
    pub(crate) fn config(&self) -> Config {
        self.config.clone()
    }

    pub(crate) fn set(&self, fate: Fate) {
        self.shared.set(fate);
    }

    pub(crate) fn fate(&self) -> Fate {
        self.shared.fate()
    }

    /// Round trips since it was asked last.
    pub(crate) fn round_trips(&self) -> usize {
        self.shared.round_trips.swap(0, Ordering::SeqCst)
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn accept(listener: UnixListener, socket: PathBuf, shared: Arc<Shared>) {
    // Dropped with the wire, and the connections with them.
    let carried = Mutex::new(tokio::task::JoinSet::new());
    while let Ok((near, _)) = listener.accept().await {
        let Ok(far) = UnixStream::connect(&socket).await else { continue };
        let carrying = carry(near, far, Arc::clone(&shared));
        carried.lock().expect("no test panics while it holds the set").spawn(carrying);
    }
}

/// Carries bytes both ways until an end is closed or the wire is cut.
async fn carry(mut near: UnixStream, mut far: UnixStream, shared: Arc<Shared>) {
    let (mut up, mut down) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut asked = false;
    loop {
        tokio::select! {
            read = near.read(&mut up) => {
                let Ok(bytes @ 1..) = read else { return };
                if shared.fate() == Fate::CutRequest {
                    shared.set(Fate::Carry);
                    return;
                }
                if !std::mem::replace(&mut asked, true) {
                    shared.round_trips.fetch_add(1, Ordering::SeqCst);
                }
                if far.write_all(&up[..bytes]).await.is_err() {
                    return;
                }
            }
            read = far.read(&mut down) => {
                let Ok(bytes @ 1..) = read else { return };
                asked = false;
                match shared.fate() {
                    Fate::SwallowReplies => {}
                    Fate::CutReply => {
                        shared.set(Fate::Carry);
                        return;
                    }
                    _ if near.write_all(&down[..bytes]).await.is_err() => return,
                    _ => {}
                }
            }
        }
    }
}
