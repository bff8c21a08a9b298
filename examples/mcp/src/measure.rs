//! What can only be measured from inside, for `mcp-bench`.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use canvas_core::document::Edit;
use futures_util::future::join_all;

use crate::host::{Host, StartError};
use crate::open::{Opened, Others};
use crate::options::{DocumentOption, Options};
use crate::uri::{CanvasUri, Part};
use crate::{clock, follow::Follower};

/// What a change cost that many followed and read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fanned {
    /// From the edit's answer to the last follower.
    pub told: Duration,
    /// From then until all have read the document.
    pub read: Duration,
    /// Values that were made of the change, one for each time that it was looked up.
    pub changes: usize,
    /// Texts that were made of the document.
    pub texts: usize,
}

/// How long the look at an unchanged file takes, as each call has one.
///
/// # Errors
///
/// Those of [`Host::start`].
pub async fn look(path: &Path) -> Result<Duration, StartError> {
    let store = canvas_core::store::BoxStore::new(canvas_core::store::MemoryStore::new(clock::now));
    let documents = vec![DocumentOption { path: path.to_owned(), was: None }];
    let options = Options { documents, ..Options::default() };
    let host = Host::start(options, Opened { store, others: Others::Nobody }).await?;
    let canvas = host.first.clone();
    // A file that has just changed is read whole.
    tokio::time::sleep(Duration::from_secs(3)).await;
    host.look(&canvas).await?;
    let began = Instant::now();
    for _ in 0..LOOKS {
        host.look(&canvas).await?;
    }
    Ok(began.elapsed() / LOOKS)
}

/// Looks that are measured.
const LOOKS: u32 = 10_000;

/// Has so many follow one canvas, changes it, and has all of them read it.
///
/// # Errors
///
/// Those of [`Host::start`].
pub async fn fan_out(followers: usize, bytes: usize) -> Result<Fanned, StartError> {
    let store = canvas_core::store::BoxStore::new(canvas_core::store::MemoryStore::new(clock::now));
    let host = Host::start(Options::default(), Opened { store, others: Others::Nobody }).await?;
    let canvas = host.first.clone();
    let mut ends: Vec<Follower> = Vec::new();
    for _ in 0..followers {
        ends.push(host.follow.canvas(&host.engine, &canvas).await);
    }
    let line = "- one more line of a long document, as they are\n";
    let edit = Edit::overwrite(line.repeat(bytes / line.len()));
    drop(host.act(&canvas, edit).await?);
    let began = Instant::now();
    let changes = join_all(ends.iter_mut().map(Follower::next)).await;
    let told = began.elapsed();
    let began = Instant::now();
    let uri = CanvasUri { canvas, part: Part::Document };
    let mut texts = BTreeSet::new();
    for _ in 0..followers {
        if let Some((text, ..)) = host.text_of(&uri).await? {
            texts.insert(Arc::as_ptr(&text).cast::<u8>() as usize);
        }
    }
    let read = began.elapsed();
    let changes: BTreeSet<_> =
        changes.iter().flatten().map(|one| Arc::as_ptr(one).cast::<u8>() as usize).collect();
    Ok(Fanned { told, read, changes: changes.len(), texts: texts.len() })
}
