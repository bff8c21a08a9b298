//! Why a store failed: one error and one family of codes for all stores.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use crate::model::error_report::reported;
use crate::model::format::HeadError;
use crate::model::id::CanvasId;

/// What was asked for when a store failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreOperation {
    /// Opening the store, or making what it keeps canvases in.
    Open,
    /// [`Store::load`](crate::store::Store::load).
    Load,
    /// [`Store::commit`](crate::store::Store::commit).
    Commit,
    /// [`Store::blob`](crate::store::Store::blob).
    Blob,
    /// [`Store::list`](crate::store::Store::list).
    List,
    /// [`Store::collect`](crate::store::Store::collect).
    Collect,
    /// Hearing of changes by others.
    Listen,
}

impl fmt::Display for StoreOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "open",
            Self::Load => "load",
            Self::Commit => "commit",
            Self::Blob => "blob",
            Self::List => "list",
            Self::Collect => "collect",
            Self::Listen => "listen",
        })
    }
}

/// What went wrong, distinguished as far as a caller would act differently. Only one of them may have written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// Nobody knows whether it was written, for example where the connection broke during the commit. Each other kind
    /// says that nothing was written and nothing will be.
    Indeterminate,
    /// Others were in the way: a lock, a deadlock, a serialization failure.
    Busy,
    /// No disk, memory or quota is left.
    Full,
    /// Server, network, disk or file cannot be reached now.
    Unavailable,
    /// A head or its blobs are larger than the back end takes.
    TooLarge,
    /// The process, the role or the credentials lack a right.
    Denied,
    /// What the store was given cannot serve as one: not set up, of another application, without conditional writes.
    Unfit,
    /// A later version of the store has changed what it keeps canvases in.
    TooNew {
        /// The format that it has now.
        found: u64,
    },
    /// The data are no longer those that were opened.
    Moved,
    /// What is stored beside heads contradicts itself.
    Damaged,
    /// The bytes of a head are none. Blobs are judged by the engine, by their hash.
    Unreadable(HeadError),
    /// Anything else.
    Failed,
}

impl StoreErrorKind {
    fn message(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Indeterminate => "it may have written: send the same call again",
            Self::Busy => "others are in the way: try again",
            Self::Full => "there is no room left: make some, then try again",
            Self::Unavailable => "the store cannot be reached: look at the cause, then try again",
            Self::TooLarge => "it is more than the store takes at once: store less",
            Self::Denied => "a right is missing: grant it",
            Self::Unfit => "this cannot serve as a store: choose another one, or set it up",
            Self::TooNew { found } => {
                return format!("the store has format {found}, later than this program: update it").into();
            }
            Self::Moved => {
                "the data are no longer those that were opened: put them back, or open the store anew"
            }
            Self::Damaged => "the data contradict themselves: restore them from a backup",
            Self::Unreadable(reason) => return reason.to_string().into(),
            Self::Failed => "the store failed and wrote nothing: look at the cause",
        })
    }
}

/// A store failed. Refusals are values of [`Committed`](crate::store::Committed); this is the store's own trouble, with its
/// place. The cause, mostly the driver's own error, is its source.
///
/// ```
/// use canvas_core::store::{StoreError, StoreErrorKind, StoreOperation};
/// use canvas_core::CanvasId;
///
/// let error = StoreError::new(StoreErrorKind::Busy).caused("database is locked");
/// let error = error.at(StoreOperation::Commit, Some(&CanvasId::new("plan")?));
/// let said = r#"commit of canvas "plan": others are in the way: try again (database is locked)"#;
/// assert_eq!((error.code(), error.to_string().as_str()), ("STORE_BUSY", said));
/// assert!(error.is_definite() && error.retryable());
/// # Ok::<(), canvas_core::NameError>(())
/// ```
///
/// # In a store
///
/// A call over a driver with errors of many types is a function that gives any of them, boxed, as `?` boxes them. One more `?`
/// makes a `StoreError` of what comes out: one that was made on purpose stays as it is, the bytes of a head that are none are
/// [`StoreErrorKind::Unreadable`], and everything else is [`StoreErrorKind::Failed`], which says that **nothing was written**.
/// From the statement on that may write for good, errors are named:
///
/// ```
/// use std::error::Error;
/// use canvas_core::store::StoreError;
///
/// # fn begin() -> Result<(), std::io::Error> { Ok(()) }
/// # fn put(row: &[u8]) -> Result<(), std::string::FromUtf8Error> { String::from_utf8(row.to_vec()).map(drop) }
/// # fn end(arrives: bool) -> Result<(), std::fmt::Error> { if arrives { Ok(()) } else { Err(std::fmt::Error) } }
/// fn write(row: &[u8], arrives: bool) -> Result<(), Box<dyn Error + Send + Sync>> {
///     begin()?;
///     put(row)?;
///     // The driver does not say whether it has written.
///     end(arrives).map_err(StoreError::indeterminate)?;
///     Ok(())
/// }
///
/// fn commit(row: &[u8], arrives: bool) -> Result<(), StoreError> {
///     Ok(write(row, arrives)?)
/// }
///
/// assert_eq!(commit(&[0xff], true).unwrap_err().code(), "STORE_FAILED");
/// assert_eq!(commit(b"row", false).unwrap_err().code(), "STORE_INDETERMINATE");
/// ```
#[derive(Debug)]
pub struct StoreError {
    /// What went wrong.
    pub kind: StoreErrorKind,
    /// What was asked for.
    pub operation: Option<StoreOperation>,
    /// The canvas that was asked for, where it was one.
    pub canvas: Option<CanvasId>,
    /// One sentence: what is wrong and what to do next.
    pub message: Cow<'static, str>,
    /// What the store itself was asked.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// An error whose place is not known yet, with the message of its kind.
    pub fn new(kind: StoreErrorKind) -> Self {
        Self { message: kind.message(), kind, operation: None, canvas: None, source: None }
    }

    /// The driver failed before anything was written: see [`StoreErrorKind::Failed`]. For `map_err`, as the next ones are.
    pub fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Failed).caused(source)
    }

    /// The driver failed where it may have written: see [`StoreErrorKind::Indeterminate`].
    pub fn indeterminate(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Indeterminate).caused(source)
    }

    /// The back end was not reached, and nothing was written: see [`StoreErrorKind::Unavailable`].
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Unavailable).caused(source)
    }

    /// What is stored is not what the store writes: see [`StoreErrorKind::Damaged`].
    pub fn damaged(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Damaged).caused(source)
    }

    /// Says more than the kind does: one sentence, what is wrong and what to do next.
    #[must_use]
    pub fn saying(self, message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Keeps what the store itself was asked.
    #[must_use]
    pub fn caused(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Gives the error its place.
    #[must_use]
    pub fn at(self, operation: StoreOperation, canvas: Option<&CanvasId>) -> Self {
        Self { operation: Some(operation), canvas: canvas.cloned(), ..self }
    }

    /// The same trouble with something that may have been written all the same.
    #[must_use]
    pub fn in_doubt(self) -> Self {
        if !self.is_definite() {
            return self;
        }
        let source = self.source.or_else(|| Some(self.message.into()));
        let (operation, canvas) = (self.operation, self.canvas);
        Self { operation, canvas, source, ..Self::new(StoreErrorKind::Indeterminate) }
    }

    /// Whether nothing was written and nothing will be.
    pub const fn is_definite(&self) -> bool {
        !matches!(self.kind, StoreErrorKind::Indeterminate)
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            StoreErrorKind::Indeterminate => "STORE_INDETERMINATE",
            StoreErrorKind::Busy => "STORE_BUSY",
            StoreErrorKind::Full => "STORE_FULL",
            StoreErrorKind::Unavailable => "STORE_UNAVAILABLE",
            StoreErrorKind::TooLarge => "STORE_TOO_LARGE",
            StoreErrorKind::Denied => "STORE_DENIED",
            StoreErrorKind::Unfit => "STORE_UNFIT",
            StoreErrorKind::TooNew { .. } => "STORE_TOO_NEW",
            StoreErrorKind::Moved => "STORE_MOVED",
            StoreErrorKind::Damaged => "STORE_DAMAGED",
            StoreErrorKind::Unreadable(reason) => reason.code(),
            StoreErrorKind::Failed => "STORE_FAILED",
        }
    }

    /// Whether the same call can succeed later, without anybody mending the store.
    pub const fn retryable(&self) -> bool {
        use StoreErrorKind::{Busy, Failed, Full, Indeterminate, Unavailable};
        matches!(self.kind, Indeterminate | Busy | Full | Unavailable | Failed)
    }
}

reported!(StoreError);

impl From<StoreErrorKind> for StoreError {
    fn from(kind: StoreErrorKind) -> Self {
        Self::new(kind)
    }
}

impl From<HeadError> for StoreError {
    fn from(reason: HeadError) -> Self {
        Self::new(StoreErrorKind::Unreadable(reason))
    }
}

/// See [`StoreError`], "In a store".
impl From<Box<dyn Error + Send + Sync>> for StoreError {
    fn from(error: Box<dyn Error + Send + Sync>) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(own) => return *own,
            Err(other) => other,
        };
        match error.downcast::<HeadError>() {
            Ok(unreadable) => (*unreadable).into(),
            Err(other) => Self::failed(other),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(operation) = self.operation {
            write!(f, "{operation}")?;
            if let Some(canvas) = &self.canvas {
                // An id may hold anything: in quotes, with what cannot be printed escaped.
                write!(f, " of canvas {:?}", canvas.as_str())?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_its_place() {
        let canvas = CanvasId::new("a\u{0}\n\u{1b}[31m'b").unwrap();
        let error = StoreError::new(StoreErrorKind::Busy).at(StoreOperation::Commit, Some(&canvas));
        let said = r#"commit of canvas "a\0\n\u{1b}[31m'b": others are in the way: try again"#;
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn a_boxed_error_keeps_its_kind_where_it_has_one() {
        let unreadable = crate::store::Head::from_json(&CanvasId::new("a").unwrap(), b"no head").unwrap_err();
        let code = unreadable.code();
        let boxed: [(Box<dyn Error + Send + Sync>, &str); 7] = [
            (StoreError::failed("a").into(), "STORE_FAILED"),
            (StoreError::indeterminate("a").into(), "STORE_INDETERMINATE"),
            (StoreError::unavailable("a").into(), "STORE_UNAVAILABLE"),
            (StoreError::damaged("a").into(), "STORE_DAMAGED"),
            (StoreError::from(StoreErrorKind::Busy).into(), "STORE_BUSY"),
            (unreadable.into(), code),
            ("a".into(), "STORE_FAILED"),
        ];
        for (error, expected) in boxed {
            let said = error.to_string();
            let error = StoreError::from(error);
            assert_eq!(error.code(), expected);
            assert!(error.to_string().ends_with(&said) || error.to_string().ends_with(&format!("({said})")));
        }
    }

    #[test]
    fn doubt_keeps_place_and_cause() {
        let error = StoreError::new(StoreErrorKind::Full).at(StoreOperation::List, None).in_doubt();
        assert!(!error.is_definite());
        let said = "list: it may have written: send the same call again (there is no room left: make some, then try again)";
        assert_eq!(error.to_string(), said);
        let again = StoreError::new(StoreErrorKind::Full).caused("disk").in_doubt().in_doubt();
        assert_eq!(again.to_string(), "it may have written: send the same call again (disk)");
    }
}
