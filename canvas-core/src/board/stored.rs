//! How a board is kept: a small root, pages of components, and views, each a JSON value in a blob.

use std::sync::Arc;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::live::{Board, KeptView, Parts};
use super::patch::Record;
use crate::ground::blob::{Blob, BlobId};

const FORMAT: u32 = 1;

/// Up to so many components stand in the root itself.
const FEW: usize = 32;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Root {
    format: u32,
    workspace: Arc<Parts>,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    views: Vec<BlobId>,
    components: Components,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Components {
    Here(Vec<Record>),
    Pages(Vec<BlobId>),
}

/// A board, kept.
pub(crate) struct Kept {
    /// The blob that the tree names. It is equal for equal boards.
    pub(crate) root: Blob,
    /// What the root names and the board that this one came from did not.
    pub(crate) parts: Vec<Blob>,
}

/// Why no board was read.
#[derive(Debug)]
pub(crate) enum Unread {
    /// These are needed first.
    Missing(Vec<BlobId>),
    /// This one keeps nothing of a board, or something of a later format.
    Damaged(BlobId),
}

impl Board {
    /// The blobs that this board is kept as. Cost: the pages that were changed, and 70 bytes for each other one.
    pub(crate) fn keep(mut self) -> Kept {
        let mut parts = Vec::new();
        let mut put = |json: serde_json::Result<String>| {
            let blob = Blob::text(json.expect("its maps have text for keys"));
            let id = blob.id();
            parts.push(blob);
            id
        };
        let views = self.views.iter_mut();
        let views = views
            .map(|KeptView { view, kept }| *kept.get_or_insert_with(|| put(serde_json::to_string(view))));
        let views = views.collect();
        let components = if self.len() <= FEW {
            self.pages.forget();
            Components::Here(self.records().cloned().collect())
        } else {
            let slots = &self.slots;
            Components::Pages(self.pages.keep(|page| {
                let records = page.slots().map(|slot| slots.get(slot as usize).and_then(Option::as_ref));
                put(serde_json::to_string(&records.collect::<Vec<_>>()))
            }))
        };
        let (workspace, updated_at) = (Arc::clone(&self.parts), self.updated_at);
        let root = Root { format: FORMAT, workspace, updated_at, views, components };
        let root = serde_json::to_string(&root).expect("its maps have text for keys");
        let root = Blob::text(root);
        root.decode(self);
        Kept { root, parts }
    }

    /// The board that a root keeps. Read once for each root; what else it needs, `part` gives.
    pub(crate) fn kept<'b>(
        root: &Blob,
        part: impl Fn(BlobId) -> Option<&'b Blob>,
    ) -> Result<Arc<Self>, Unread> {
        match root.decoded() {
            Some(known) => Ok(known),
            None => Self::read(root, part).map(|board| root.decode(board)),
        }
    }

    /// The blobs that a root names; `None` where it is none.
    pub(crate) fn parts_of(root: &Blob) -> Option<Vec<BlobId>> {
        let Root { views, components, .. } = decoded(root)?;
        let pages = match components {
            Components::Here(_) => Vec::new(),
            Components::Pages(pages) => pages,
        };
        Some(views.into_iter().chain(pages).collect())
    }

    fn read<'b>(root: &Blob, part: impl Fn(BlobId) -> Option<&'b Blob>) -> Result<Self, Unread> {
        let id = root.id();
        let root = decoded(root).filter(|root: &Root| root.format == FORMAT);
        let Root { workspace, updated_at, views, components, .. } = root.ok_or(Unread::Damaged(id))?;
        let pages: &[BlobId] = match &components {
            Components::Here(_) => &[],
            Components::Pages(pages) => pages,
        };
        let missing: Vec<BlobId> =
            views.iter().chain(pages).copied().filter(|id| part(*id).is_none()).collect();
        if !missing.is_empty() {
            return Err(Unread::Missing(missing));
        }
        let view = |id: &BlobId| Some(KeptView { view: Arc::new(decoded(part(*id)?)?), kept: Some(*id) });
        let views = views.iter().map(|id| view(id).ok_or(Unread::Damaged(*id))).collect::<Result<_, _>>()?;
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        match components {
            Components::Here(records) => all = records,
            Components::Pages(pages) => {
                for id in pages {
                    let page: Vec<Record> = part(id).and_then(decoded).ok_or(Unread::Damaged(id))?;
                    kept.push((id, page.len()));
                    all.extend(page);
                }
            }
        }
        let in_order = all.is_sorted_by(|one, two| (one.order, &one.body.id) < (two.order, &two.body.id));
        let board = Self::assemble(Arc::unwrap_or_clone(workspace), updated_at, views, all);
        let mut board = board.map_err(|_| Unread::Damaged(id))?;
        if in_order {
            board.pages.know(&kept);
        }
        Ok(board)
    }
}

fn decoded<T: for<'de> Deserialize<'de>>(blob: &Blob) -> Option<T> {
    serde_json::from_str(blob.as_text()?).ok()
}
