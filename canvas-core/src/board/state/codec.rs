//! Stored form of a board. It consists of a small root, pages of components, and views, each a JSON value in a blob.

use std::sync::Arc;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::board::{Board, BoardMeta, StoredView};
use super::patch::PlacedComponent;
use crate::face::read_error::ReadError;
use crate::model::blob::{Blob, BlobId};

const FORMAT: u32 = 1;

/// Maximum number of components in the root itself.
const MAX_INLINE: usize = 32;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Root {
    format: u32,
    workspace: Arc<BoardMeta>,
    updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    views: Vec<BlobId>,
    components: Components,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Components {
    #[serde(rename = "here")]
    Inline(Vec<PlacedComponent>),
    Pages(Vec<BlobId>),
}

pub(crate) struct StoredBoard {
    /// Root blob, which the tree names. Equal boards have equal roots.
    pub(crate) root: Blob,
    /// Blobs that the root names and that the board before did not have.
    pub(crate) parts: Vec<Blob>,
    /// The board itself, which remembers its parts.
    pub(crate) board: Arc<Board>,
}

impl Board {
    /// Encodes the board. The cost depends on the changed pages, plus 70 bytes for each other page.
    pub(crate) fn encode(mut self) -> StoredBoard {
        let mut parts = Vec::new();
        let mut put = |json: serde_json::Result<String>| {
            let blob = Blob::text(json.expect("its maps have text for keys"));
            let id = blob.id();
            let bytes = blob.as_bytes().len();
            parts.push(blob);
            (id, bytes)
        };
        let views = self.views.iter_mut();
        let views = views
            .map(|StoredView { view, blob }| *blob.get_or_insert_with(|| put(serde_json::to_string(view)).0));
        let views = views.collect();
        let components = if self.len() <= MAX_INLINE {
            self.pages.clear_blobs();
            Components::Inline(self.records().cloned().collect())
        } else {
            let slots = &self.slots;
            Components::Pages(self.pages.encode(|page| {
                let records = page.slots().map(|slot| slots.get(slot as usize).and_then(Option::as_ref));
                put(serde_json::to_string(&records.collect::<Vec<_>>()))
            }))
        };
        let (workspace, updated_at) = (Arc::clone(&self.meta), self.updated_at);
        let root = Root { format: FORMAT, workspace, updated_at, views, components };
        let root = serde_json::to_string(&root).expect("its maps have text for keys");
        StoredBoard { root: Blob::text(root), parts, board: Arc::new(self) }
    }

    /// Returns roughly the memory that the board takes, if it was read from this root or is stored as it.
    pub(crate) fn approximate_bytes(&self, root: &Blob) -> usize {
        /// A value takes a few times more memory than its JSON.
        const VALUES: usize = 4;
        /// Bytes of a component's place in a view, and in the index of ids and the grid.
        const PLACE: usize = 128;
        let shown: usize = self.views().map(|view| view.components.len()).sum();
        VALUES * (root.as_bytes().len() + self.pages.bytes()) + PLACE * (self.len() + shown)
    }

    /// Returns the blobs that a root names, or `None` if the blob is not a root.
    pub(crate) fn named_blobs(root: &Blob) -> Option<Vec<BlobId>> {
        let Root { views, components, .. } = decoded(root)?;
        let pages = match components {
            Components::Inline(_) => Vec::new(),
            Components::Pages(pages) => pages,
        };
        Some(views.into_iter().chain(pages).collect())
    }

    /// Reads the board of a root. `part` supplies the blobs that the root names.
    pub(crate) fn load<'b>(
        root: &Blob,
        part: impl Fn(BlobId) -> Option<&'b Blob>,
    ) -> Result<Self, ReadError> {
        let id = root.id();
        let root = decoded(root).filter(|root: &Root| root.format == FORMAT);
        let Root { workspace, updated_at, views, components, .. } = root.ok_or(ReadError::Damaged(id))?;
        let pages: &[BlobId] = match &components {
            Components::Inline(_) => &[],
            Components::Pages(pages) => pages,
        };
        let missing: Vec<BlobId> =
            views.iter().chain(pages).copied().filter(|id| part(*id).is_none()).collect();
        if !missing.is_empty() {
            return Err(ReadError::Missing(missing));
        }
        let view = |id: &BlobId| Some(StoredView { view: Arc::new(decoded(part(*id)?)?), blob: Some(*id) });
        let views =
            views.iter().map(|id| view(id).ok_or(ReadError::Damaged(*id))).collect::<Result<_, _>>()?;
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        match components {
            Components::Inline(records) => all = records,
            Components::Pages(pages) => {
                for id in pages {
                    let blob = part(id).ok_or(ReadError::Damaged(id))?;
                    let page: Vec<PlacedComponent> = decoded(blob).ok_or(ReadError::Damaged(id))?;
                    kept.push((id, blob.as_bytes().len(), page.len()));
                    all.extend(page);
                }
            }
        }
        let in_order = all.is_sorted_by_key(|record| (record.order, &record.body.id));
        let board = Self::assemble(Arc::unwrap_or_clone(workspace), updated_at, views, all);
        let mut board = board.map_err(|_| ReadError::Damaged(id))?;
        if in_order {
            board.pages.set_blobs(&kept);
        }
        Ok(board)
    }
}

fn decoded<T: for<'de> Deserialize<'de>>(blob: &Blob) -> Option<T> {
    serde_json::from_str(blob.as_text()?).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::board::strategies::{command_seeds, large_workspaces};
    use crate::board::{BoardEnv, BoardRules, IdSource, Registry, Workspace};
    use crate::model::author::Role;

    fn blobs(kept: &StoredBoard) -> BTreeMap<BlobId, Blob> {
        kept.parts.iter().map(|blob| (blob.id(), blob.clone())).collect()
    }

    /// Returns the board without its knowledge of stored blobs.
    fn bare(board: &Board) -> Board {
        let mut bare = board.clone();
        bare.pages.clear_blobs();
        bare.views.iter_mut().for_each(|view| view.blob = None);
        bare
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        /// Along any commands, the stored form of each board and of its undo equals that of a fresh board with the same
        /// content. It can be read back, and each part that it names existed before or is stored now.
        #[test]
        fn what_is_kept_follows_from_what_the_board_is(
            workspace in large_workspaces(), seeds in command_seeds(12),
        ) {
            let registry = Registry::built_in();
            let first = Board::new(workspace).unwrap().encode();
            let mut there = blobs(&first);
            let (mut root, mut board) = (first.root, first.board);
            for (number, seed) in (0_u8..).zip(&seeds) {
                let command = seed.command(&board);
                let (rules, now) = (BoardRules::default(), Timestamp::from_millis(u64::from(number) + 2));
                let mut env = BoardEnv { registry: &registry, rules, now, ids: IdSource::seeded(&[number]) };
                let mut next = Board::clone(&board);
                let Some(change) = next.execute(&command, Role::User, &mut env).change else { continue };
                let plain = bare(&next);
                let kept = next.encode();
                let was = Board::named_blobs(&root).unwrap();
                let named = Board::named_blobs(&kept.root).unwrap();
                for id in &named {
                    prop_assert!(was.contains(id) || kept.parts.iter().any(|blob| blob.id() == *id));
                }
                there.extend(blobs(&kept));

                let again = plain.clone().encode();
                let read = Board::load(&kept.root, |id| there.get(&id)).unwrap();
                prop_assert_eq!(&read, &plain);
                prop_assert_eq!((again.root.id(), again.parts.len()), (kept.root.id(), named.len()));
                let unchanged = read.clone().encode();
                prop_assert_eq!((unchanged.root.id(), unchanged.parts.len()), (kept.root.id(), 0));

                let mut back = read;
                back.apply(&change.patch.inverse()).unwrap();
                let back = back.encode();
                prop_assert_eq!(back.root.id(), root.id());
                (root, board) = if number.is_multiple_of(3) { (back.root, back.board) } else { (kept.root, kept.board) };
            }
        }
    }

    fn workspace(components: usize) -> Workspace {
        let grid = json!({"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 60});
        let component = |number: usize| {
            json!({
                "id": format!("cmp_{number}"), "typeId": "test", "config": {"note": "a".repeat(100)},
                "position": {"col": number % 12, "row": number / 12}, "size": {"cols": 1, "rows": 1},
                "dataBinding": null, "dataState": {"status": "idle"},
                "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
            })
        };
        let components: Vec<_> = (0..components).map(component).collect();
        serde_json::from_value(json!({
            "id": "ws_1", "name": "Board", "canvas": {"grid": grid, "components": components}, "threadId": "thread",
            "views": [], "triggers": [], "createdAt": 1, "updatedAt": 1,
            "settings": {
                "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid,
                "proactiveMode": "off",
            },
        }))
        .unwrap()
    }

    #[test]
    fn a_change_writes_its_page_and_the_root() {
        for (components, parts) in [(0, 0), (32, 0), (33, 1), (10_000, 1)] {
            let kept = Board::new(workspace(components)).unwrap().encode();
            let mut board = Board::clone(&kept.board);
            let id = crate::board::model::id::ComponentId::new("cmp_7").unwrap();
            let Some(number) = board.number_of(&id) else {
                assert_eq!(kept.parts.len(), 0);
                continue;
            };
            assert_eq!(kept.parts.is_empty(), components <= MAX_INLINE, "{components}");
            let placed = board.take(number).unwrap();
            board.put(number, placed);
            let again = board.encode();
            assert_eq!((again.root.id(), again.parts.len()), (kept.root.id(), parts), "{components}");
            let bytes: usize =
                again.parts.iter().chain([&again.root]).map(|blob| blob.as_bytes().len()).sum();
            assert!(bytes < 70 * components / 64 + 60_000, "{components}: {bytes} bytes");
        }
    }

    #[test]
    fn what_keeps_no_board_is_damaged() {
        let StoredBoard { root, parts, .. } = Board::new(workspace(100)).unwrap().encode();
        let there: BTreeMap<BlobId, Blob> = parts.iter().map(|blob| (blob.id(), blob.clone())).collect();
        let first = parts[0].id();
        let read = |root: Blob, damage: &dyn Fn(&mut BTreeMap<BlobId, Blob>)| {
            let mut there = there.clone();
            damage(&mut there);
            Board::load(&root, |id| there.get(&id)).map(|board| board.len())
        };
        let altered = |from: &str, to: &str| {
            let json = root.as_text().unwrap();
            assert!(json.contains(from), "{json}");
            Blob::text(json.replace(from, to))
        };
        assert_eq!(read(root.clone(), &|_| ()).unwrap(), 100);
        let missing = read(root.clone(), &|there| drop(there.remove(&first)));
        assert!(matches!(missing, Err(ReadError::Missing(ids)) if ids == [first]));
        for text in ["[]x", "{}", "[{}]"] {
            let damaged = read(root.clone(), &|there| drop(there.insert(first, Blob::text(text.into()))));
            assert!(matches!(damaged, Err(ReadError::Damaged(id)) if id == first), "{text}");
        }
        for (from, to) in [
            ("\"format\":1", "\"format\":2"),
            ("\"columns\":12", "\"columns\":0"),
            ("\"columns\":12", "\"columns\":65"),
            ("\"updatedAt\":1", "\"updated\":1"),
        ] {
            let root = altered(from, to);
            let id = root.id();
            assert!(matches!(read(root, &|_| ()), Err(ReadError::Damaged(found)) if found == id), "{to}");
        }
        // A repeated page repeats its components.
        let twice = altered(&format!("[\"{first}\""), &format!("[\"{first}\",\"{first}\""));
        assert!(matches!(read(twice, &|_| ()), Err(ReadError::Damaged(_))));
        // Pages in another order can be read, and are stored again in the right order.
        let ids: Vec<String> = parts.iter().map(|blob| format!("\"{}\"", blob.id())).collect();
        if let [one, .., last] = ids.as_slice() {
            let json = root.as_text().unwrap().replace(one, "@").replace(last, one).replace('@', last);

            let board = Board::load(&Blob::text(json), |id| there.get(&id)).unwrap();
            let kept = board.encode();
            assert_eq!((kept.root.id(), kept.parts.len()), (root.id(), parts.len()));
        }
    }
}
