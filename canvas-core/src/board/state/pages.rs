//! The components of a board in their order, divided into pages. Each page is stored as a blob.

use std::sync::Arc;

use crate::board::model::id::ComponentId;
use crate::model::blob::BlobId;

/// Slots by order and id, in pages.
///
/// The ends of pages depend on the orders only. Equal boards therefore have equal pages, regardless of their history,
/// and a change touches one or two pages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pages {
    pages: Vec<Arc<Page>>,
}

/// A page, never empty. Each page except the last ends with a slot that ends pages, and contains no other such slot.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    items: Vec<PageItem>,
    /// The blob of the page, if the board that this one came from stored it.
    blob: Option<BlobId>,
    /// Size in bytes of the blob that stored the page last.
    bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct PageItem {
    order: u64,
    slot: u32,
}

/// Mean number of components in a page.
const MEAN: u64 = 64;

/// Whether a page ends after a component of this order.
const fn ends_page(order: u64) -> bool {
    // The finalizer of SplitMix64. For any remaining orders, a 64th of them end a page.
    let mixed = (order ^ (order >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).is_multiple_of(MEAN)
}

impl Page {
    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.items.iter().map(|item| item.slot)
    }

    fn new(items: Vec<PageItem>) -> Arc<Self> {
        Arc::new(Self { items, blob: None, bytes: 0 })
    }

    fn is_closed(&self) -> bool {
        self.items.last().is_some_and(|item| ends_page(item.order))
    }

    /// Opens a page for a change, so that its blob is no longer valid.
    fn open(page: &mut Arc<Self>) -> &mut Vec<PageItem> {
        let page = Arc::make_mut(page);
        page.blob = None;
        &mut page.items
    }
}

impl Pages {
    /// Returns the blobs of all pages. `put` stores pages without a blob.
    pub(crate) fn encode(&mut self, mut put: impl FnMut(&Page) -> (BlobId, usize)) -> Vec<BlobId> {
        let mut kept = Vec::with_capacity(self.pages.len());
        for page in &mut self.pages {
            kept.push(page.blob.unwrap_or_else(|| {
                let (id, bytes) = put(page);
                let page = Arc::make_mut(page);
                (page.blob, page.bytes) = (Some(id), bytes);
                id
            }));
        }
        kept
    }

    /// Drops the blobs of all pages.
    pub(crate) fn clear_blobs(&mut self) {
        for page in self.pages.iter_mut().filter(|page| page.blob.is_some()) {
            Arc::make_mut(page).blob = None;
        }
    }

    /// Sets the blobs of the pages, given the id, the size in bytes and the number of components of each. Has no effect
    /// unless they are divided like the pages.
    pub(crate) fn set_blobs(&mut self, kept: &[(BlobId, usize, usize)]) {
        if kept.iter().map(|(_, _, len)| *len).eq(self.pages.iter().map(|page| page.items.len())) {
            for (page, (id, bytes, _)) in self.pages.iter_mut().zip(kept) {
                let page = Arc::make_mut(page);
                (page.blob, page.bytes) = (Some(*id), *bytes);
            }
        }
    }

    /// Returns the size in bytes of the blobs that store the pages or stored them last.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.iter().map(|page| page.bytes).sum()
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = u32> {
        self.pages.iter().flat_map(|page| page.slots())
    }

    /// Returns the highest order, or 0 without components.
    pub(crate) fn last_order(&self) -> u64 {
        self.pages.last().and_then(|page| page.items.last()).map_or(0, |item| item.order)
    }

    /// Inserts a slot. `id_of` returns the id of any slot in the pages. It is needed only for slots of the same order.
    pub(crate) fn insert<'b>(
        &mut self,
        order: u64,
        id: &ComponentId,
        slot: u32,
        id_of: impl Fn(u32) -> &'b ComponentId,
    ) {
        let item = PageItem { order, slot };
        // A new component mostly comes last.
        let at = if self.last_order() < order { self.pages.len() } else { self.page_of(order, id, &id_of) };
        let Some(page) = self.pages.get_mut(at) else {
            match self.pages.last_mut().filter(|page| !page.is_closed()) {
                Some(page) => Page::open(page).push(item),
                None => self.pages.push(Page::new(vec![item])),
            }
            return;
        };
        let within = page.items.partition_point(|item| is_before(*item, order, id, &id_of));
        let items = Page::open(page);
        items.insert(within, item);
        if ends_page(order) {
            let rest = items.split_off(within + 1);
            self.pages.insert(at + 1, Page::new(rest));
        }
    }

    /// Removes an item, which must exist and be known to `id_of`.
    pub(crate) fn remove<'b>(
        &mut self,
        order: u64,
        id: &ComponentId,
        id_of: impl Fn(u32) -> &'b ComponentId,
    ) {
        let at = self.page_of(order, id, &id_of);
        let Some(page) = self.pages.get_mut(at) else { return };
        let within = page.items.partition_point(|item| is_before(*item, order, id, &id_of));
        let items = Page::open(page);
        items.remove(within);
        // A page that lost its end takes in the next one.
        let (is_open, is_empty) = (!page.is_closed(), page.items.is_empty());
        if is_empty {
            self.pages.remove(at);
        } else if is_open && at + 1 < self.pages.len() {
            let next = self.pages.remove(at + 1);
            Page::open(&mut self.pages[at]).extend_from_slice(&next.items);
        }
    }

    /// Drops the blob of an item's page, because the item's component changed.
    pub(crate) fn touch<'b>(&mut self, order: u64, id: &ComponentId, id_of: impl Fn(u32) -> &'b ComponentId) {
        let at = self.page_of(order, id, id_of);
        if let Some(page) = self.pages.get_mut(at).filter(|page| page.blob.is_some()) {
            Arc::make_mut(page).blob = None;
        }
    }

    /// Returns the first page that ends at this item or after it.
    fn page_of<'b>(&self, order: u64, id: &ComponentId, id_of: impl Fn(u32) -> &'b ComponentId) -> usize {
        self.pages
            .partition_point(|page| page.items.last().is_some_and(|last| is_before(*last, order, id, &id_of)))
    }
}

fn is_before<'b>(
    item: PageItem,
    order: u64,
    id: &ComponentId,
    id_of: impl Fn(u32) -> &'b ComponentId,
) -> bool {
    item.order < order || (item.order == order && id_of(item.slot) < id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn name(number: u32) -> ComponentId {
        ComponentId::new(&format!("c{number:05}")).unwrap()
    }

    fn shape(pages: &Pages) -> Vec<Vec<(u64, u32)>> {
        let page = |page: &Page| page.items.iter().map(|item| (item.order, item.slot)).collect();
        pages.pages.iter().map(|one| page(one)).collect()
    }

    proptest! {
        /// After any insertions and removals, the pages equal those built from the remaining items in their order.
        #[test]
        fn pages_follow_from_what_is_in_them(steps in prop::collection::vec((0..300_u64, 0..600_u32), 0..900)) {
            let names: Vec<ComponentId> = (0..600).map(name).collect();
            let id_of = |slot: u32| &names[slot as usize];
            let mut pages = Pages::default();
            let mut model: BTreeMap<(u64, u32), ()> = BTreeMap::new();
            let mut orders: BTreeMap<u32, u64> = BTreeMap::new();
            for (order, slot) in steps {
                match orders.remove(&slot) {
                    Some(order) => {
                        pages.remove(order, id_of(slot), id_of);
                        model.remove(&(order, slot));
                    }
                    None => {
                        pages.insert(order, id_of(slot), slot, id_of);
                        model.insert((order, slot), ());
                        orders.insert(slot, order);
                    }
                }
            }
            let mut expected: Vec<Vec<(u64, u32)>> = Vec::new();
            for item in model.into_keys() {
                match expected.last_mut().filter(|page| page.last().is_some_and(|last| !ends_page(last.0))) {
                    Some(page) => page.push(item),
                    None => expected.push(vec![item]),
                }
            }
            prop_assert_eq!(shape(&pages), expected);
        }
    }

    #[test]
    fn a_64th_of_the_orders_ends_a_page() {
        let ends = (1..=64_000).filter(|order| ends_page(*order)).count();
        assert!((900..1_100).contains(&ends), "{ends}");
        // These exact orders must not change, because stored boards of others are divided at them.
        const HIGH: u64 = (1 << 40) + (1 << 10);
        for (from, expected) in [(0, [0, 69, 143, 165, 205, 286]), (HIGH, [5, 61, 98, 171, 221, 289])] {
            let ends: Vec<u64> = (0..).filter(|order| ends_page(from + order)).take(6).collect();
            assert_eq!(ends, expected, "from {from}");
        }
    }

    #[test]
    fn a_change_opens_its_page_alone() {
        let names: Vec<ComponentId> = (0..1_000).map(name).collect();
        let id_of = |slot: u32| &names[slot as usize];
        let mut pages = Pages::default();
        for slot in 0..1_000 {
            pages.insert(u64::from(slot) + 1, id_of(slot), slot, id_of);
        }
        let kept = BlobId::of(b"a page");
        let kept_as = pages.encode(|_| (kept, 0));
        assert_eq!(kept_as.len(), pages.pages.len());
        let copy = pages.clone();
        // An item within a page, whose end stays.
        let slot = (1..999).find(|slot| !ends_page(slot + 1)).unwrap();
        pages.remove(slot + 1, id_of(slot as u32), id_of);
        let mut put = 0;
        let mut count = |pages: &mut Pages| {
            pages.encode(|_| {
                put += 1;
                (kept, 0)
            });
            std::mem::take(&mut put)
        };
        assert_eq!((count(&mut pages.clone()), count(&mut copy.clone())), (1, 0));
        pages.insert(slot + 1, id_of(slot as u32), slot as u32, id_of);
        assert_eq!(shape(&pages), shape(&copy));
    }
}
