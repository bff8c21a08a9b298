//! Testing, on an object of its own, whether the server honours the conditions of a put.

use std::hash::{BuildHasher as _, RandomState};

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, PutResult};

use super::error::{CallError, unconditional, untagged};
use super::key::Keys;
use super::row::Tag;

/// Tests conditional puts, and returns the kind of tag by which the server identifies object states. Takes six requests.
pub(super) async fn probe(objects: &dyn ObjectStore, keys: &Keys) -> Result<Tag, CallError> {
    // Many servers may test at once, and `RandomState` has different keys each time.
    let chance = RandomState::new();
    let name = format!("{:016x}{:016x}", chance.hash_one(1), chance.hash_one(2));
    let probe = Probe { objects, key: keys.probe(&name) };
    let found = probe.conditions().await;
    // Without the right to delete, the object stays, but nobody reads it.
    let _ = objects.delete(&probe.key).await;
    found
}

struct Probe<'a> {
    objects: &'a dyn ObjectStore,
    key: Path,
}

impl Probe<'_> {
    async fn conditions(&self) -> Result<Tag, CallError> {
        let first = self.put("1", PutMode::Create).await.map_err(refused)?;
        match self.put("2", PutMode::Create).await {
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. }) => {}
            Err(error) => return Err(refused(error)),
            Ok(_) => return Err(unconditional()),
        }
        let (tag, old, second) = self.update(first).await?;
        match self.put("4", PutMode::Update(tag.condition(old))).await {
            Err(
                Error::AlreadyExists { .. }
                | Error::Precondition { .. }
                | Error::NotModified { .. }
                | Error::NotFound { .. },
            ) => {}
            Err(error) => return Err(refused(error)),
            Ok(_) => return Err(unconditional()),
        }
        // The tags that readers get must work for writers. A gateway that compresses responses may change them.
        let found = self.objects.get(&self.key).await?;
        let read = tag.of_meta(found.meta.clone());
        let bytes = found.bytes().await?;
        if bytes != "3" {
            return Err(unconditional());
        }
        if read.is_none() || read != tag.of_put(second) {
            return Err(untagged());
        }
        Ok(tag)
    }

    /// Updates the object from its first state, with the first kind of tag that works. Returns that kind, the old tag, and
    /// the new state.
    async fn update(&self, first: PutResult) -> Result<(Tag, String, PutResult), CallError> {
        let mut last = untagged();
        for tag in [Tag::ETag, Tag::Generation] {
            let Some(old) = tag.of_put(first.clone()) else { continue };
            match self.put("3", PutMode::Update(tag.condition(old.clone()))).await {
                Ok(second) => return Ok((tag, old, second)),
                // The GCS client returns this error if it gets no generation, before it sends anything.
                Err(error @ Error::Generic { .. }) if tag == Tag::ETag => last = error.into(),
                Err(error) => return Err(refused(error)),
            }
        }
        Err(last)
    }

    async fn put(&self, text: &'static str, mode: PutMode) -> Result<PutResult, Error> {
        self.objects.put_opts(&self.key, PutPayload::from(text), mode.into()).await
    }
}

/// Reports missing support for conditions in the same way as a server that ignores them.
fn refused(error: Error) -> CallError {
    match error {
        Error::NotImplemented { .. } | Error::NotSupported { .. } => {
            unconditional().0.with_source(error).into()
        }
        error => error.into(),
    }
}
