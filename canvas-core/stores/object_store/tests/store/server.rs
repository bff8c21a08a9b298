//! A server in memory that has the manners of others, and makes trouble as its script says.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use async_trait::async_trait;
use canvas_core::BlobId;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult,
    Result, UpdateVersion,
};

/// How a server names the states of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// A count in the ETag.
    Counted,
    /// The hash of the bytes in the ETag, as S3 has it: the same bytes have the same name.
    Hashed,
    /// A count in the version, as GCS has it. Its ETag says nothing.
    Generations,
    /// Readers get another ETag than writers.
    Repacked,
    /// No names.
    Missing,
}

/// What a server makes of conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conditions {
    Kept,
    CreateIgnored,
    UpdateIgnored,
    Ignored,
    CreateUnknown,
    UpdateUnknown,
    /// It refuses an update under an old name, and does it all the same.
    RefusedAndDone,
}

/// What a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Put,
    Get,
    List,
    Delete,
}

/// What befalls a request.
#[derive(Debug)]
pub(crate) enum Mishap {
    /// It is done, and its answer is lost.
    AnswerLost,
    /// It is answered with an error, and not done.
    Refused(Error),
    /// It is done, and the answer does not name the new state.
    Unnamed,
    /// The client does it twice and gives the second answer, as it does where the first is lost.
    Twice,
}

/// The server.
#[derive(Debug)]
pub(crate) struct Server {
    objects: InMemory,
    names: Names,
    conditions: Conditions,
    /// Lists keys from the last to the first.
    lists_backwards: bool,
    script: Mutex<VecDeque<(Request, &'static str, Mishap)>>,
    asked: Mutex<Vec<(Request, Path)>>,
    /// One put at a time.
    turn: Mutex<()>,
}

impl Server {
    pub(crate) fn new(names: Names, conditions: Conditions) -> Self {
        Self {
            objects: InMemory::new(),
            names,
            conditions,
            lists_backwards: false,
            script: Mutex::default(),
            asked: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    pub(crate) fn backwards() -> Self {
        Self { lists_backwards: true, ..Self::new(Names::Counted, Conditions::Kept) }
    }

    /// Befalls the next such request whose key has this in it.
    pub(crate) fn expect(&self, request: Request, key: &'static str, mishap: Mishap) {
        lock(&self.script).push_back((request, key, mishap));
    }

    /// What was asked for since this was called last. Everything that was expected has come up by now.
    #[track_caller]
    pub(crate) fn asked(&self) -> Vec<(Request, Path)> {
        assert_eq!(lock(&self.script).len(), 0, "something has not come up");
        std::mem::take(&mut *lock(&self.asked))
    }

    /// The objects themselves, for those who look behind the server's back.
    pub(crate) fn objects(&self) -> &InMemory {
        &self.objects
    }

    fn meets(&self, request: Request, key: &Path) -> Option<Mishap> {
        lock(&self.asked).push((request, key.clone()));
        let mut script = lock(&self.script);
        let next = script.iter().position(|(what, part, _)| *what == request && key.as_ref().contains(part));
        next.and_then(|next| script.remove(next)).map(|(_, _, mishap)| mishap)
    }

    fn put_now(&self, key: &Path, payload: PutPayload, mode: PutMode) -> Result<PutResult> {
        let _turn = lock(&self.turn);
        let unknown = |operation: &str| Error::NotImplemented {
            operation: operation.to_owned(),
            implementer: self.to_string(),
        };
        let mode = match (mode, self.conditions) {
            (PutMode::Create, Conditions::CreateUnknown) => return Err(unknown("create")),
            (PutMode::Update(_), Conditions::UpdateUnknown) => return Err(unknown("update")),
            (PutMode::Create, Conditions::CreateIgnored | Conditions::Ignored) => PutMode::Overwrite,
            (PutMode::Update(_), Conditions::UpdateIgnored | Conditions::Ignored) => PutMode::Overwrite,
            (PutMode::Update(expected), conditions) => {
                let compared = self.compare(key, &expected);
                if compared.is_err() && conditions == Conditions::RefusedAndDone {
                    let put = self.objects.put(key, payload.clone()).now_or_never();
                    put.expect("memory does not wait")?;
                }
                compared?;
                PutMode::Overwrite
            }
            (mode, _) => mode,
        };
        let put = self.objects.put_opts(key, payload.clone(), mode.into());
        let put = put.now_or_never().expect("memory does not wait")?;
        let count = put.e_tag.unwrap_or_default();
        let content = payload.iter().flat_map(|part| part.to_vec()).collect::<Vec<_>>();
        let UpdateVersion { e_tag, version } = self.name(count, &content, Request::Put);
        Ok(PutResult { e_tag, version, extensions: Default::default() })
    }

    fn compare(&self, key: &Path, expected: &UpdateVersion) -> Result<()> {
        let needed = match self.names {
            Names::Generations => &expected.version,
            _ => &expected.e_tag,
        };
        let needed = needed.clone().ok_or_else(|| generic("the name of the state is missing"))?;
        let found = self.objects.get(key).now_or_never().expect("memory does not wait");
        let found = found.map_err(|e| Error::Precondition { path: key.to_string(), source: e.into() })?;
        let count = found.meta.e_tag.clone().unwrap_or_default();
        let content = found.bytes().now_or_never().expect("memory does not wait")?;
        let name = self.name(count, &content, Request::Put);
        match name.version.or(name.e_tag) {
            Some(name) if name == needed => Ok(()),
            _ => Err(precondition()),
        }
    }

    fn name(&self, count: String, content: &[u8], request: Request) -> UpdateVersion {
        let e_tag = |e_tag| UpdateVersion { e_tag: Some(e_tag), version: None };
        match self.names {
            Names::Counted => e_tag(count),
            Names::Hashed => e_tag(format!("\"{}\"", BlobId::of(content))),
            Names::Generations => UpdateVersion { e_tag: Some("\"all\"".to_owned()), version: Some(count) },
            Names::Repacked if request == Request::Get => e_tag(format!("W/{count}")),
            Names::Repacked => e_tag(count),
            Names::Missing => UpdateVersion { e_tag: None, version: None },
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets others go first, as a request over a network does.
async fn travel() {
    let mut arrived = false;
    poll_fn(|context| {
        if std::mem::replace(&mut arrived, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Errors cannot be copied, so tables make them.
pub(crate) type MakeError = fn() -> Error;

pub(crate) fn generic(text: &'static str) -> Error {
    Error::Generic { store: "Server", source: text.into() }
}

pub(crate) fn precondition() -> Error {
    Error::Precondition { path: "key".to_owned(), source: "the object has another state".into() }
}

pub(crate) fn not_found() -> Error {
    Error::NotFound { path: "key".to_owned(), source: "404".into() }
}

pub(crate) fn denied() -> Error {
    Error::PermissionDenied { path: "key".to_owned(), source: "403".into() }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Server")
    }
}

#[async_trait]
impl ObjectStore for Server {
    async fn put_opts(&self, key: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        travel().await;
        match self.meets(Request::Put, key) {
            None => self.put_now(key, payload, options.mode),
            Some(Mishap::AnswerLost) => {
                self.put_now(key, payload, options.mode)?;
                Err(generic("the connection broke"))
            }
            Some(Mishap::Refused(error)) => Err(error),
            Some(Mishap::Unnamed) => {
                let put = self.put_now(key, payload, options.mode)?;
                Ok(PutResult { e_tag: None, version: None, ..put })
            }
            Some(Mishap::Twice) => {
                self.put_now(key, payload.clone(), options.mode.clone())?;
                self.put_now(key, payload, options.mode)
            }
        }
    }

    async fn put_multipart_opts(&self, _: &Path, _: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        unreachable!("the store puts each object whole")
    }

    async fn get_opts(&self, key: &Path, options: GetOptions) -> Result<GetResult> {
        travel().await;
        if let Some(Mishap::Refused(error)) = self.meets(Request::Get, key) {
            return Err(error);
        }
        let found = self.objects.get_opts(key, options).await?;
        let (mut meta, range, attributes) =
            (found.meta.clone(), found.range.clone(), found.attributes.clone());
        let content = found.bytes().await?;
        let count = meta.e_tag.unwrap_or_default();
        UpdateVersion { e_tag: meta.e_tag, version: meta.version } = self.name(count, &content, Request::Get);
        let payload = GetResultPayload::Stream(stream::once(async { Ok(content) }).boxed());
        Ok(GetResult { payload, meta, range, attributes, extensions: Default::default() })
    }

    fn delete_stream(&self, keys: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        match self.meets(Request::Delete, &Path::ROOT) {
            None => self.objects.delete_stream(keys),
            Some(Mishap::Refused(error)) => stream::once(async { Err(error) }).boxed(),
            Some(mishap) => unreachable!("{mishap:?} befalls puts only"),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if let Some(Mishap::Refused(error)) = self.meets(Request::List, prefix.unwrap_or(&Path::ROOT)) {
            return stream::once(async { Err(error) }).boxed();
        }
        let listed = self.objects.list(prefix);
        if !self.lists_backwards {
            return listed;
        }
        let mut listed = listed.collect::<Vec<_>>().now_or_never().expect("memory does not wait");
        listed.reverse();
        stream::iter(listed).boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        unreachable!("the store lists heads only")
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        unreachable!("the store copies nothing")
    }
}
