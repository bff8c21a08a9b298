//! Does the server keep to the conditions of a put? Tried on an object of its own.

use std::hash::{BuildHasher as _, RandomState};

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutPayload, PutResult};

use super::error::{Cause, ErrorKind};
use super::key::Keys;
use super::row::Tag;

/// Tries the conditions, and tells by which name the server knows the states of an object. Six requests.
pub(super) async fn probe(objects: &dyn ObjectStore, keys: &Keys) -> Result<Tag, Cause> {
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
    async fn conditions(&self) -> Result<Tag, Cause> {
        let first = self.put("1", PutMode::Create).await?;
        match self.put("2", PutMode::Create).await {
            Err(cause) if cause.kind == ErrorKind::Contended => {}
            Err(cause) => return Err(cause),
            Ok(_) => return Err(ErrorKind::Unconditional.into()),
        }
        let (tag, old, second) = self.update(first).await?;
        match self.put("4", PutMode::Update(tag.condition(old))).await {
            Err(cause) if matches!(cause.kind, ErrorKind::Contended | ErrorKind::Missing) => {}
            Err(cause) => return Err(cause),
            Ok(_) => return Err(ErrorKind::Unconditional.into()),
        }
        // The names that readers get must be good for writers. A gateway that packs answers may change them.
        let found = self.objects.get(&self.key).await?;
        let read = tag.of_meta(found.meta.clone());
        let bytes = found.bytes().await?;
        if bytes != "3" {
            return Err(ErrorKind::Unconditional.into());
        }
        if read.is_none() || read != tag.of_put(second) {
            return Err(ErrorKind::Untagged.into());
        }
        Ok(tag)
    }

    /// Moves the object on from its first state, by the name that will do; its old name, and the new state.
    async fn update(&self, first: PutResult) -> Result<(Tag, String, PutResult), Cause> {
        let mut refused = Cause::from(ErrorKind::Untagged);
        for tag in [Tag::ETag, Tag::Generation] {
            let Some(old) = tag.of_put(first.clone()) else { continue };
            match self.put("3", PutMode::Update(tag.condition(old.clone()))).await {
                Ok(second) => return Ok((tag, old, second)),
                // The client of GCS answers so where it is given no generation, before it sends anything.
                Err(cause) if cause.kind == ErrorKind::Failed && tag == Tag::ETag => refused = cause,
                Err(cause) => return Err(cause),
            }
        }
        Err(refused)
    }

    /// A put that cannot be done under a condition at all says as much as one that ignores it.
    async fn put(&self, text: &'static str, mode: PutMode) -> Result<PutResult, Cause> {
        let put = self.objects.put_opts(&self.key, PutPayload::from(text), mode.into()).await;
        put.map_err(|error| match error {
            Error::NotImplemented { .. } | Error::NotSupported { .. } => {
                Cause { kind: ErrorKind::Unconditional, source: Some(error) }
            }
            error => error.into(),
        })
    }
}
