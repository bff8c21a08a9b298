//! Compares walks in waves with walks that read one entry after the other, over journals of all versions.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::document::step::DocumentStep;
use crate::history::journal::{EntryKind, NewEntry};
use crate::history::kept::KeepLimits;
use crate::model::author::Role;
use crate::model::blob::Blob;
use crate::model::id::{CallId, ConversationId};
use crate::model::op_key::OpKey;
use crate::model::revision::Revision;

/// The version of the library that writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Version 0.1.0, without links.
    Plain,
    /// Links by powers of 16.
    Sixteens,
    Now,
}

const VERSIONS: [Version; 3] = [Version::Plain, Version::Sixteens, Version::Now];

/// A journal with all of its entries.
#[derive(Default)]
struct Journal {
    slot: JournalSlot,
    entries: BTreeMap<BlobId, Entry>,
    by_number: Vec<BlobId>,
}

impl Journal {
    fn of(count: u64, version: Version) -> Self {
        let mut journal = Self::default();
        (0..count).for_each(|_| journal.push(version, EntryKind::Edit));
        journal
    }

    /// Writes an entry and the head in the format of a version.
    fn push(&mut self, version: Version, kind: EntryKind) {
        let back = match kind {
            EntryKind::Undo => self.slot.undo,
            EntryKind::Redo => self.slot.redo,
            _ => None,
        };
        // The entry below the one that is undone or redone.
        let below = back.and_then(|id| self.entries[&id].below());
        if back.is_none() && kind != EntryKind::Edit {
            return;
        }
        let marks = self.sixteens();
        let number = self.slot.entries + 1;
        let (_, blob) = self.slot.push(new_entry(kind));
        let mut stored: Value = serde_json::from_str(blob.as_text().unwrap()).unwrap();
        let fields = stored.as_object_mut().unwrap();
        if version != Version::Now {
            fields.remove("links");
        }
        if version == Version::Sixteens {
            let level = (1..=5).take_while(|level| number.is_multiple_of(16_u64.pow(*level))).count();
            let skips: Vec<_> = marks.iter().take(level).map_while(|id| *id).collect();
            fields.insert("skips".into(), json!(skips));
        }
        let blob = Blob::text(stored.to_string());
        let mut slot: Value = serde_json::to_value(&self.slot).unwrap();
        let as_written = json!(self.slot.last.unwrap());
        for pointer in ["/last", "/undo", "/redo"] {
            if slot.pointer(pointer) == Some(&as_written) {
                *slot.pointer_mut(pointer).unwrap() = json!(blob.id());
            }
        }
        self.entries.insert(blob.id(), Entry::read(&blob).unwrap());
        self.by_number.push(blob.id());
        if version == Version::Now {
            let links = slot.get_mut("links").and_then(Value::as_array_mut).into_iter().flatten();
            links.filter(|id| **id == as_written).for_each(|id| *id = json!(blob.id()));
        } else {
            slot.as_object_mut().unwrap().remove("links");
        }
        if version == Version::Sixteens {
            let marks: Vec<_> = self.sixteens().iter().map_while(|id| *id).collect();
            slot["skips"] = json!(marks);
        }
        self.slot = serde_json::from_value(slot).unwrap();
        match kind {
            EntryKind::Undo => self.slot.undo = below,
            EntryKind::Redo => self.slot.redo = below,
            _ => {}
        }
    }

    /// The entries at the last multiples of powers of 16.
    fn sixteens(&self) -> [Option<BlobId>; 5] {
        std::array::from_fn(|i| {
            let power = 16_usize.pow(u32::try_from(i + 1).unwrap());
            let last = self.by_number.len() / power * power;
            last.checked_sub(1).map(|place| self.by_number[place])
        })
    }

    /// Returns the numbers down a chain, read one after the other.
    fn chain_by_one(&self, start: Option<BlobId>, count: usize) -> Vec<u64> {
        let entries = std::iter::successors(start, |id| self.entries[id].below());
        entries.take(count).map(|id| self.entries[&id].number.get()).collect()
    }
}

fn new_entry(kind: EntryKind) -> NewEntry {
    let document = BlobId::of(b"");
    NewEntry {
        kind,
        change: None,
        actor: Role::User,
        author: Role::User,
        written_by: None,
        first_made_by: None,
        reverts: None,
        operation: OpKey::of(ConversationId::new("c").unwrap(), CallId::new("k").unwrap()),
        at: canvas_lease::Timestamp::from_millis(0),
        summary: String::new(),
        revisions: (Revision::ZERO, Revision::ZERO),
        step: DocumentStep { before: document, after: document, delta: None }.into(),
        also: Vec::new(),
        decisions: Vec::new(),
    }
}

/// The entries read so far, and the number of rounds.
#[derive(Default)]
struct Reader {
    read: BTreeMap<BlobId, Entry>,
    rounds: usize,
}

impl Reader {
    fn look(&self, id: BlobId) -> Known<'_> {
        self.read.get(&id).map_or(Known::Nothing, Known::Entry)
    }

    fn ask(&mut self, journal: &Journal, ids: impl IntoIterator<Item = BlobId>) {
        self.rounds += 1;
        for id in ids {
            assert!(self.read.insert(id, journal.entries[&id].clone()).is_none(), "it is read twice");
        }
    }

    fn chain(&mut self, journal: &Journal, start: Option<BlobId>, count: usize) -> Vec<u64> {
        let (mut chain, mut numbers) = (Chain::new(start), Vec::new());
        let all = journal.slot.kept(KeepLimits { changes: u64::MAX, effects: u64::MAX });
        while numbers.len() < count {
            match chain.step(&journal.slot, (all, 1), count - numbers.len(), |id| self.look(id)) {
                ChainStep::Entry(entry) => numbers.push(entry.number.get()),
                ChainStep::End | ChainStep::Forgotten(_) => break,
                ChainStep::Lost(id) => panic!("{id} is lost"),
                ChainStep::Missing(id, likely) => self.ask(journal, std::iter::once(id).chain(likely)),
            }
        }
        numbers
    }

    fn range(&mut self, journal: &Journal, wanted: RangeInclusive<u64>) -> Vec<u64> {
        loop {
            let reach = Reach::new(journal.slot.marks(), 1, [], |id| self.look(id));
            let wave = reach.wave(wanted.clone());
            if wave.is_empty() {
                return wanted.rev().map_while(|number| reach.named(number).map(|_| number)).collect();
            }
            self.ask(journal, wave);
        }
    }
}

#[test]
fn rounds_grow_with_the_logarithm() {
    let mut journal = Journal::default();
    for newest in 1..=700_u64 {
        journal.push(Version::Now, EntryKind::Edit);
        // 37 leaves every remainder by powers of 4.
        if newest > 8 && newest % 37 != 0 {
            continue;
        }
        for (steps, most) in [(1, 1), (4, 4), (16, 7), (64, 10), (100, 11), (256, 13), (700, 16)] {
            let mut reader = Reader::default();
            let found = reader.chain(&journal, journal.slot.undo, steps);
            let expected: Vec<u64> = (1..=newest).rev().take(steps).collect();
            assert_eq!(found, expected);
            assert!(reader.rounds <= most, "{} rounds for {steps} of {newest}", reader.rounds);
            assert_eq!(reader.read.len(), found.len(), "what is not wanted is not read");
        }
    }
}

#[test]
fn rounds_to_any_page_of_a_long_journal_are_few() {
    let journal = Journal::of(5_000, Version::Now);
    for end in (1..=5_000).step_by(113) {
        let (start, mut reader) = (u64::max(end, 20) - 19, Reader::default());
        let found = reader.range(&journal, start..=end);
        assert!(found.iter().copied().eq((start..=end).rev()), "{found:?}");
        assert!(reader.rounds <= 22, "{} rounds for {start} to {end}", reader.rounds);
        assert!(reader.read.len() <= 20 + 40, "{} reads for {start} to {end}", reader.read.len());
    }
}

/// Head and entries always have a way down, whichever version wrote them.
#[test]
fn links_of_older_versions_are_used() {
    let rounds = |journal: &Journal, end: u64| {
        let mut reader = Reader::default();
        assert_eq!(reader.range(journal, end..=end), [end]);
        reader.rounds
    };
    let plain = Journal::of(600, Version::Plain);
    assert_eq!(rounds(&plain, 1), 600);
    let mut journal = Journal::of(600, Version::Sixteens);
    let before = rounds(&journal, 1);
    assert!(before <= 48, "{before} rounds");
    for _ in 0..600 {
        journal.push(Version::Now, EntryKind::Edit);
    }
    let now = rounds(&journal, 1);
    assert!(now <= before + 12, "{now} rounds");
    assert!(rounds(&journal, 900) <= 15);
}

/// The head holds one link per power of 4, and a gap if an older version left one.
#[test]
fn a_head_holds_at_most_ten_links() {
    let journal = Journal::of(300, Version::Now);
    let json = serde_json::to_value(&journal.slot).unwrap();
    assert_eq!(json["links"].as_array().unwrap().len(), 4);
    let read: JournalSlot = serde_json::from_value(json).unwrap();
    assert_eq!(read, journal.slot);
    let many = json!({"entries": 9, "links": vec![journal.slot.last; 99]});
    let read: JournalSlot = serde_json::from_value(many).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap()["links"].as_array().unwrap().len(), 10);
    let old = Journal::of(300, Version::Sixteens);
    let json = serde_json::to_value(old.slot).unwrap();
    assert_eq!(json["links"], json!([null, old.by_number[287], null, old.by_number[255]]));
    assert!(json.get("skips").is_none());
}

proptest! {
    /// For any mix of versions and undos, waves find the same entries as single reads, and read few more.
    #[test]
    fn waves_find_what_single_reads_find(
        acts in prop::collection::vec((0..3_usize, 0..5_u8, 1..40_usize), 1..12),
        count in 1..120_usize,
        (low, len) in (1..300_u64, 0..80_u64),
    ) {
        let mut journal = Journal::default();
        for (version, kind, times) in acts {
            let kind = match kind { 0..3 => EntryKind::Edit, 3 => EntryKind::Undo, _ => EntryKind::Redo };
            (0..times).for_each(|_| journal.push(VERSIONS[version], kind));
        }
        for start in [journal.slot.undo, journal.slot.redo] {
            let mut reader = Reader::default();
            let expected = journal.chain_by_one(start, count);
            prop_assert_eq!(reader.chain(&journal, start, count), expected);
            prop_assert!(reader.read.len() <= 4 * count + 40 + reader.rounds * 10, "{} reads", reader.read.len());
        }
        let end = (low + len).min(journal.slot.entries);
        let mut reader = Reader::default();
        prop_assert!(reader.range(&journal, low..=end).into_iter().eq((low..=end).rev()));
    }
}

/// An entry older than the oldest one that is kept cannot be reached, and no entry on the way to it is read in vain.
#[test]
fn the_way_to_an_older_entry_ends_at_the_oldest_that_is_kept() {
    for version in VERSIONS {
        let journal = Journal::of(70, version);
        for oldest in 2..=70 {
            for wanted in [1, 2, oldest / 2, oldest - 1].into_iter().filter(|wanted| *wanted > 0) {
                let mut read = BTreeSet::new();
                loop {
                    let look = |id: BlobId| match read.contains(&id) {
                        true => Known::Entry(&journal.entries[&id]),
                        false => Known::Nothing,
                    };
                    let wave = Reach::new(journal.slot.marks(), oldest, [], look).wave(wanted..=wanted);
                    if wave.is_empty() {
                        break;
                    }
                    for id in wave {
                        let number = journal.entries[&id].number.get();
                        assert!(
                            number >= oldest,
                            "{number} on the way to {wanted}, though {oldest} is the oldest"
                        );
                        read.insert(id);
                    }
                }
            }
        }
    }
}
