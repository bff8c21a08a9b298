//! Conversations in files, so that a restart of the server loses none.

use std::io;
use std::path::{Path, PathBuf};

use canvas_core::{BlobId, CanvasId, PersonId};
use canvas_providers::Event;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::chat::KeptChat;
use crate::run;

/// The file of one conversation; none if canvases are kept in memory.
#[derive(Debug, Default)]
pub(super) struct Archive(Option<PathBuf>);

/// What the model has been sent and has answered, hidden messages included.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptHistory {
    pub(super) events: Vec<Event>,
    /// A turn ran when this was written. If it ran when the server ended, the model knows things that are not here.
    pub(super) is_running: bool,
}

impl Archive {
    /// The files are in a folder beside the database.
    pub(super) fn of(database: Option<&Path>, canvas: &CanvasId, person: Option<&PersonId>) -> Self {
        let digest = |name: &str| BlobId::of(name.as_bytes()).to_string();
        let file = match person {
            Some(person) => format!("{}-{}", digest(canvas.as_str()), digest(person.as_str())),
            None => digest(canvas.as_str()),
        };
        Self(database.map(|database| {
            let mut folder = database.as_os_str().to_owned();
            folder.push(".chats");
            PathBuf::from(folder).join(file)
        }))
    }

    pub(super) fn chat(&self) -> KeptChat {
        self.read("chat").unwrap_or_default()
    }

    /// `None` if there is none, or none that can be read.
    pub(super) fn history(&self) -> Option<KeptHistory> {
        self.read("history")
    }

    pub(super) fn keep_chat(&self, chat: &KeptChat) {
        self.write("chat", chat);
    }

    pub(super) fn keep_history(&self, history: &KeptHistory) {
        self.write("history", history);
    }

    fn read<T: DeserializeOwned>(&self, part: &str) -> Option<T> {
        let path = self.0.as_ref()?.with_extension(part);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                run::log(&format_args!("{} cannot be read ({error}): the chat begins anew", path.display()));
                return None;
            }
        };
        match serde_json::from_slice(&text) {
            Ok(kept) => Some(kept),
            Err(error) => {
                // What a person may still want to read is not overwritten.
                let aside = path.with_extension(format!("{part}.unread"));
                drop(std::fs::rename(&path, &aside));
                run::log(&format_args!("{} is no chat ({error}): it was put aside", path.display()));
                None
            }
        }
    }

    /// All of it or nothing, also if the server ends meanwhile.
    fn write<T: Serialize>(&self, part: &str, kept: &T) {
        let Some(path) = &self.0 else { return };
        let (path, new) = (path.with_extension(part), path.with_extension(format!("{part}.new")));
        let write = || {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&new, serde_json::to_vec(kept)?)?;
            std::fs::rename(&new, &path)
        };
        if let Err(error) = write() {
            run::log(&format_args!("the chat cannot be kept in {}: {error}", path.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Archive, CanvasId, Event, KeptHistory, PersonId};

    #[test]
    fn a_conversation_is_read_as_it_was_written() {
        let database = std::env::temp_dir().join(format!("canvas-archive-{}.db", std::process::id()));
        let folder = database.with_extension("db.chats");
        let canvas = CanvasId::new("../a/b c").unwrap();
        let archive = Archive::of(Some(&database), &canvas, None);
        assert!(archive.history().is_none());
        let events = vec![Event::user("hidden"), Event::user("said")];
        archive.keep_history(&KeptHistory { events: events.clone(), is_running: true });
        let kept = Archive::of(Some(&database), &canvas, None).history().unwrap();
        assert_eq!((kept.events, kept.is_running), (events, true));
        // Another canvas and another person have other files, and a damaged one is put aside.
        let person = PersonId::new("Anna").unwrap();
        assert!(Archive::of(Some(&database), &CanvasId::new("other").unwrap(), None).history().is_none());
        assert!(Archive::of(Some(&database), &canvas, Some(&person)).history().is_none());
        let path = archive.0.as_ref().unwrap().with_extension("history");
        std::fs::write(&path, "{").unwrap();
        assert!(archive.history().is_none());
        assert!(path.with_extension("history.unread").exists() && !path.exists());
        std::fs::remove_dir_all(folder).unwrap();
        // In memory there is nothing to read.
        let none = Archive::of(None, &canvas, None);
        none.keep_history(&KeptHistory::default());
        assert!(none.history().is_none());
    }
}
