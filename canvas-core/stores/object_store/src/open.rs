//! Does the server keep to the conditions of a put? Tried on an object of its own.

use std::hash::{BuildHasher as _, RandomState};

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, PutResult};

use super::error::{CallError, unconditional, untagged};
use super::key::Keys;
use super::row::Tag;

/// Tries the conditions, and tells by which name the server knows the states of an object. Six requests.
pub(super) async fn probe(objects: &dyn ObjectStore, keys: &Keys) -> Result<Tag, CallError> {
    // Many servers may try at once. Each state has keys of its own.
    let chance = RandomState::new();
    let name = format!("{:016x}{:016x}", chance.hash_one(1), chance.hash_one(2));
    let probe = Probe { objects, key: keys.probe(&name) };
    let found = probe.conditions().await;
    // Where it may not be deleted, some bytes stay, which nobody reads.
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
        // The names that readers get must be good for writers. A gateway that packs answers may change them.
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

    /// Moves the object on from its first state, by the name that will do; its old name, and the new state.
    async fn update(&self, first: PutResult) -> Result<(Tag, String, PutResult), CallError> {
        let mut last = untagged();
        for tag in [Tag::ETag, Tag::Generation] {
            let Some(old) = tag.of_put(first.clone()) else { continue };
            match self.put("3", PutMode::Update(tag.condition(old.clone()))).await {
                Ok(second) => return Ok((tag, old, second)),
                // The client of GCS answers so where it is given no generation, before it sends anything.
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

/// A put that cannot be done under a condition at all says as much as one that ignores it.
fn refused(error: Error) -> CallError {
    match error {
        Error::NotImplemented { .. } | Error::NotSupported { .. } => unconditional().0.caused(error).into(),
        error => error.into(),
    }
}
