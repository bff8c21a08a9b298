//! Files that may not be written, as a process sees it that has no right to.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use canvas_core::CodedError as _;
use canvas_core::store::BlockingStore as _;
use canvas_store_sqlite::SqliteStore;
use canvas_store_testing::{Folder, NOW, canvas, commit, done};

use super::process::{Fuse, given, succeed, with_program};
use super::{counter, definite, state};

/// The user that every Unix has and that owns nothing.
const NOBODY: u32 = 65_534;

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Runs a test again as a user to whom permissions mean something: root may write everything.
fn as_user(test: &str) {
    let folder = Folder::new();
    allow(folder.path(), 0o777);
    // Where the build lies, that user may have no way.
    let program = folder.path().join("program");
    let this = std::env::current_exe().unwrap();
    fs::hard_link(&this, &program).or_else(|_| fs::copy(&this, &program).map(drop)).unwrap();
    let home = folder.path().join("home");
    let mut command = with_program(Command::new(program), test, &home);
    command.current_dir(folder.path());
    if fs::metadata(folder.path()).unwrap().uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    succeed(command);
}

#[test]
fn a_file_that_may_not_be_written_is_refused() {
    let Some(home) = given() else {
        return as_user("rights::a_file_that_may_not_be_written_is_refused");
    };
    fs::create_dir(&home).unwrap();
    let file = home.join("canvases.db");
    let open = || SqliteStore::open(&file, || NOW);
    let refused = |mode_of_file: Option<u32>, mode_of_folder, code| {
        if let Some(mode) = mode_of_file {
            allow(&file, mode);
        }
        allow(&home, mode_of_folder);
        let error = open().unwrap_err();
        assert_eq!(error.code(), code, "{mode_of_file:?} {mode_of_folder:o}: {error}");
    };
    refused(None, 0o555, "STORE_UNAVAILABLE");
    allow(&home, 0o755);
    done(open().unwrap().commit(commit("c", None, "one\n")));
    let before = fs::read(&file).unwrap();
    refused(Some(0o444), 0o755, "STORE_DENIED");
    refused(Some(0o444), 0o555, "STORE_DENIED");
    refused(Some(0o644), 0o555, "STORE_DENIED");
    refused(Some(0o000), 0o755, "STORE_UNAVAILABLE");
    allow(&file, 0o644);
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(state(&open().unwrap(), "c").is_some());
}

/// The right is lost while the store is open, and so are its connections. (As long as one is open, SQLite hands its
/// file on to the next.)
#[test]
fn a_lost_right_is_a_fault_until_it_is_back() {
    let Some(home) = given() else {
        return as_user("rights::a_lost_right_is_a_fault_until_it_is_back");
    };
    fs::create_dir(&home).unwrap();
    let (file, fuse) = (home.join("canvases.db"), Fuse::default());
    let clock = fuse.clone();
    let store = SqliteStore::open(&file, move || clock.now()).unwrap();
    let version = done(store.commit(commit("c", None, "one\n")));
    let before = state(&store, "c");
    let next = || commit("c", Some(&version), "two\n");

    fuse.cut(&store, "c", &version);
    allow(&file, 0o444);
    for _ in 0..2 {
        let faults = [definite(store.commit(next())), definite(store.load(&canvas("c")))];
        for (error, call) in faults.iter().zip(["commit", "load"]) {
            assert_eq!(error.code(), "STORE_DENIED", "{error}");
            let place = format!("{call} of canvas \"c\": \"/");
            assert!(error.to_string().starts_with(&place), "{error}");
        }
    }
    allow(&file, 0o644);
    assert_eq!(state(&store, "c"), before);
    assert_eq!(counter(&done(store.commit(next()))), 2);
}
