//! Files that may not grow.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use canvas_core::store::{BlockingStore as _, Committed, Version};
use canvas_core::{Blob, CodedError as _};
use canvas_store_sqlite::{SqliteOptions, SqliteStore};
use canvas_store_testing::{Folder, NOW, canvas, commit, done};

use super::process::{given, succeed, with_program};
use super::{definite, state};

fn open(folder: &Folder, max_bytes: u64) -> SqliteStore {
    let options = SqliteOptions { max_bytes: Some(max_bytes), ..SqliteOptions::default() };
    SqliteStore::open_with(folder.file(), || NOW, options).unwrap()
}

fn ballast(number: u64) -> Blob {
    Blob::bytes(vec![number as u8 | 0x80; 40_000])
}

#[test]
fn a_full_file_takes_nothing_until_there_is_room() {
    let folder = Folder::new();
    // The limit is of the store, not of the file.
    drop(folder.store());
    let store = open(&folder, 400_000);
    let mut last: Option<Version> = None;
    let mut stored = 0;
    let full = loop {
        let mut next = commit("c", last.as_ref(), &format!("{stored}\n"));
        next.blobs.push(ballast(stored));
        match store.commit(next) {
            fault @ Err(_) => break definite(fault),
            committed => last = Some(done(committed)),
        }
        stored += 1;
        assert!(stored < 20, "the limit is not kept");
    };
    assert!(stored > 3, "the limit comes too early");
    assert_eq!(full.code(), "STORE_FULL");
    assert!(full.to_string().contains("make room"), "{full}");

    let before = state(&store, "c");
    assert_eq!(before.as_ref().map(|(version, _)| version), last.as_ref());
    assert!(store.blob(&canvas("c"), ballast(stored).id()).unwrap().is_none());
    assert!(store.blob(&canvas("c"), Blob::text(format!("{stored}\n")).id()).unwrap().is_none());

    // Room by a higher limit, then by dropping what is old.
    let mut next = commit("c", last.as_ref(), "more\n");
    next.blobs.push(ballast(stored));
    let wider = open(&folder, 500_000);
    let last = done(wider.commit(next));
    let keep: Vec<_> = (2..=stored).map(|number| ballast(number).id()).collect();
    super::collect(&store, "c", &keep).unwrap();
    let mut next = commit("c", Some(&last), "again\n");
    next.blobs.push(ballast(0));
    done(store.commit(next));
}

#[test]
fn a_limit_that_the_tables_do_not_fit_in_refuses_the_file() {
    let folder = Folder::new();
    let options = SqliteOptions { max_bytes: Some(0), ..SqliteOptions::default() };
    let open = || SqliteStore::open_with(folder.file(), || NOW, options.clone());
    let error = open().unwrap_err();
    assert_eq!(error.code(), "STORE_FULL", "{error}");
    drop(folder.store());
    // What is there already stays, and may be read.
    assert!(open().unwrap().list(None, 1).unwrap().is_empty());
}

/// Fills a disk but for some bytes.
fn fill(ballast: &Path, room: u64) {
    let mut file = OpenOptions::new().create(true).append(true).open(ballast).unwrap();
    for size in [1 << 20, 1 << 16, 1 << 12] {
        while file.write_all(&vec![1; size]).is_ok() {}
    }
    let length = file.metadata().unwrap().len();
    file.set_len(length - room).unwrap();
}

/// A disk of 40 MiB of our own, twice as much as the log takes. Where that may not be made, nothing is tried.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "the line is for those who run the tests with --nocapture")]
#[test]
fn a_full_disk_is_definite_wherever_it_is_met() {
    let Some(disk) = given() else {
        let folder = Folder::new();
        let mount = "mount -t tmpfs -o size=40m tmpfs \"$CANVAS_DISK\" && exec \"$0\" \"$@\"";
        let small_disk = || {
            let mut command = Command::new("unshare");
            command.args(["-rm", "sh", "-c", mount]).env("CANVAS_DISK", folder.path());
            command
        };
        if !small_disk().arg("true").output().is_ok_and(|tried| tried.status.success()) {
            return println!("SKIPPED: this process may not mount a small disk");
        }
        let test = "room::a_full_disk_is_definite_wherever_it_is_met";
        let mut command = small_disk();
        command.arg(std::env::current_exe().unwrap());
        return succeed(with_program(command, test, &folder.file()));
    };
    let (ballast, aside) = (disk.with_extension("ballast"), Folder::new());
    let store = SqliteStore::open(&disk, || NOW).unwrap();
    let mut last = done(store.commit(commit("c", None, "start\n")));
    let mut full = 0;
    let raw = rusqlite::Connection::open(&disk).unwrap();
    let commits_seen = || raw.query_row("PRAGMA data_version", [], |row| row.get::<_, i64>(0)).unwrap();
    let mut overwritten = 0;
    // What fits into the cache of pages is written by COMMIT; of the largest some must go out before.
    for (round, size) in [1_000, 20_000, 300_000, 1_500_000, 50_000_000].into_iter().enumerate() {
        for room in [0, 4, 8, 12, 16, 20, 64, 512].map(|kib| kib << 10) {
            fill(&ballast, room);
            let before = state(&store, "c");
            let mut next = commit("c", Some(&last), &format!("{round} {room}\n"));
            let blob = Blob::bytes(vec![round as u8; size + room as usize]);
            next.blobs.push(blob.clone());
            let seen = commits_seen();
            match store.commit(next.clone()) {
                Ok(Committed::Done { version, .. }) => last = version,
                fault => {
                    let error = definite(fault);
                    assert_eq!(error.code(), "STORE_FULL", "{size} bytes, {room} left: {error}");
                    assert_eq!(state(&store, "c"), before, "{size} bytes, {room} left");
                    assert!(store.blob(&canvas("c"), blob.id()).unwrap().is_none());
                    // What a crash at this moment leaves for the next to open.
                    for end in ["", "-wal"] {
                        let file = disk.to_str().unwrap().to_owned() + end;
                        fs::copy(file, aside.path().join(format!("canvases.db{end}"))).unwrap();
                    }
                    assert_eq!(
                        state(&aside.store(), "c"),
                        before,
                        "{size} bytes, {room} left, after a crash"
                    );
                    full += 1;
                    overwritten += usize::from(commits_seen() != seen);
                    File::create(&ballast).unwrap();
                    if size < 2_000_000 {
                        last = done(store.commit(next));
                        super::collect(&store, "c", &[]).unwrap();
                    }
                }
            }
            File::create(&ballast).unwrap();
        }
    }
    assert!(full > 12, "only {full} met a full disk");
    assert!(overwritten > 8, "only {overwritten} of {full} cannot come again");
}
