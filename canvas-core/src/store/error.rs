//! The error type and the error codes of all stores.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use crate::model::error::CodedError;
use crate::model::format::HeadError;
use crate::model::id::CanvasId;

/// The store operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreOperation {
    /// Opening the store, or creating its tables or files.
    Open,
    /// A call of [`Store::load`](crate::store::Store::load).
    Load,
    /// A call of [`Store::commit`](crate::store::Store::commit).
    Commit,
    /// A call of [`Store::blob`](crate::store::Store::blob).
    Blob,
    /// A call of [`Store::list`](crate::store::Store::list).
    List,
    /// A call of [`Store::collect`](crate::store::Store::collect).
    Collect,
    /// Listening for changes by others.
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

/// A kind of store failure. Failures have separate kinds if a caller would handle them differently. Only after
/// [`Self::Indeterminate`] may the store contain the write.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The write may or may not be stored, for example if the connection broke during the commit. Every other kind
    /// guarantees that the write is not stored and never will be.
    Indeterminate,
    /// Another transaction was in the way, for example with a lock, a deadlock or a serialization failure.
    Busy,
    /// The disk, the memory or a quota is exhausted.
    Full,
    /// The server, network, disk or file is currently unreachable.
    Unavailable,
    /// A head or its blobs exceed the back end's size limit.
    TooLarge,
    /// The process, the role or the credentials lack a permission.
    Denied,
    /// The back end cannot be used, for example because it is uninitialised, belongs to another application, or lacks
    /// conditional writes.
    Unfit,
    /// A later version of the store changed the storage format.
    TooNew {
        /// The format version of the stored data.
        found: u64,
    },
    /// The data were replaced since the store was opened.
    Moved,
    /// Stored data other than heads are inconsistent.
    Damaged,
    /// The stored head could not be parsed. The engine checks blobs itself, by their hash.
    Unreadable(HeadError),
    /// Any other failure.
    Failed,
}

impl StoreErrorKind {
    fn message(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Indeterminate => "it may have written: send the same call again",
            Self::Busy => "others are in the way: try again",
            Self::Full => "there is no room left: make some, then try again",
            Self::Unavailable => "the store cannot be reached: look at the cause, then try again",
            Self::TooLarge => "the value exceeds the size limit of the store: store less",
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

/// A failure of the store itself, with the operation and the canvas. A conflict or a late commit is a value of
/// [`Committed`](crate::store::Committed) instead. The source of the error is its cause, usually the driver's own
/// error. It is not part of the text; [`CodedError::message`] adds it.
///
/// ```
/// use canvas_core::store::{StoreError, StoreErrorKind, StoreOperation};
/// use canvas_core::{CanvasId, CodedError as _};
///
/// let error = StoreError::new(StoreErrorKind::Busy).with_source("database is locked");
/// let error = error.with_context(StoreOperation::Commit, Some(&CanvasId::new("plan")?));
/// assert_eq!(error.to_string(), r#"commit of canvas "plan": others are in the way: try again"#);
/// assert_eq!(error.message(), format!("{error} (database is locked)"));
/// assert_eq!(error.code(), "STORE_BUSY");
/// assert!(error.is_definite() && error.is_retryable());
/// # Ok::<(), canvas_core::NameError>(())
/// ```
///
/// # In a store
///
/// If a driver has errors of many types, call it in a function that returns a boxed error, because `?` boxes an error
/// of any type. Another `?` converts the boxed error to a `StoreError`. An error created as a `StoreError` stays
/// unchanged, an unparseable head becomes [`StoreErrorKind::Unreadable`], and everything else becomes
/// [`StoreErrorKind::Failed`], which means that **nothing was written**. Once a statement may write permanently, name
/// its errors explicitly:
///
/// ```
/// use std::error::Error;
/// use canvas_core::CodedError as _;
/// use canvas_core::store::StoreError;
///
/// # fn begin() -> Result<(), std::io::Error> { Ok(()) }
/// # fn put(row: &[u8]) -> Result<(), std::string::FromUtf8Error> { String::from_utf8(row.to_vec()).map(drop) }
/// # fn end(arrives: bool) -> Result<(), std::fmt::Error> { if arrives { Ok(()) } else { Err(std::fmt::Error) } }
/// fn write(row: &[u8], arrives: bool) -> Result<(), Box<dyn Error + Send + Sync>> {
///     begin()?;
///     put(row)?;
///     // The driver does not say whether the write happened.
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
    /// The kind of the failure, which determines the code.
    pub kind: StoreErrorKind,
    /// The failed operation; `None` until [`StoreError::with_context`] sets it.
    pub operation: Option<StoreOperation>,
    /// The canvas of the operation, if it had one.
    pub canvas: Option<CanvasId>,
    /// One sentence with the problem and the next step.
    pub message: Cow<'static, str>,
    /// The underlying cause, usually the driver's error.
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// Creates an error with the message of its kind, and without an operation or a canvas.
    pub fn new(kind: StoreErrorKind) -> Self {
        Self { message: kind.message(), kind, operation: None, canvas: None, source: None }
    }

    /// Creates a [`StoreErrorKind::Failed`] error, for a driver that failed before it wrote anything. You can pass this
    /// function to `map_err`, like the following ones.
    pub fn failed(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Failed).with_source(source)
    }

    /// Creates a [`StoreErrorKind::Indeterminate`] error, for a driver that failed when the write may already be
    /// stored.
    pub fn indeterminate(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Indeterminate).with_source(source)
    }

    /// Creates a [`StoreErrorKind::Unavailable`] error, for a back end that could not be reached and therefore did not
    /// write.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Unavailable).with_source(source)
    }

    /// Creates a [`StoreErrorKind::Damaged`] error, for stored data that are not in the form that the store writes.
    pub fn damaged(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Damaged).with_source(source)
    }

    /// Replaces the message of the kind by a more specific sentence with the problem and the next step.
    #[must_use]
    pub fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Sets the underlying cause.
    #[must_use]
    pub fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Sets the failed operation and its canvas.
    #[must_use]
    pub fn with_context(self, operation: StoreOperation, canvas: Option<&CanvasId>) -> Self {
        Self { operation: Some(operation), canvas: canvas.cloned(), ..self }
    }

    /// Converts the error to an indeterminate one, because the write may be stored nevertheless.
    #[must_use]
    pub fn into_indeterminate(self) -> Self {
        if !self.is_definite() {
            return self;
        }
        let source = self.source.or_else(|| Some(self.message.into()));
        let (operation, canvas) = (self.operation, self.canvas);
        Self { operation, canvas, source, ..Self::new(StoreErrorKind::Indeterminate) }
    }

    /// Whether the error guarantees that the write is not stored and never will be.
    pub const fn is_definite(&self) -> bool {
        !matches!(self.kind, StoreErrorKind::Indeterminate)
    }
}

impl CodedError for StoreError {
    fn code(&self) -> &'static str {
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

    /// Whether the same call can succeed later without a repair of the store.
    fn is_retryable(&self) -> bool {
        use StoreErrorKind::{Busy, Failed, Full, Indeterminate, Unavailable};
        matches!(self.kind, Indeterminate | Busy | Full | Unavailable | Failed)
    }
}

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

/// Converts a boxed error as the section "In a store" of [`StoreError`] describes.
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
                // An id may contain any character, so it is quoted and unprintable characters are escaped.
                write!(f, " of canvas {:?}", canvas.as_str())?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
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
        let error = StoreError::new(StoreErrorKind::Busy).with_context(StoreOperation::Commit, Some(&canvas));
        assert!(error.to_string().starts_with(r#"commit of canvas "a\0\n\u{1b}[31m'b": "#), "{error}");
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
            ("the disk hums".into(), "STORE_FAILED"),
        ];
        for (error, expected) in boxed {
            let said = error.to_string();
            let error = StoreError::from(error);
            assert_eq!(error.code(), expected);
            let message = error.message();
            // An error of the contract stays as it is, and another one becomes the source.
            assert!(message.starts_with(&said) || message.contains(&format!("({said})")), "{message}");
        }
    }

    #[test]
    fn doubt_keeps_place_and_cause() {
        let error = StoreError::new(StoreErrorKind::Full)
            .with_context(StoreOperation::List, None)
            .into_indeterminate();
        assert!(!error.is_definite());
        let (doubt, full) = (StoreErrorKind::Indeterminate.message(), StoreErrorKind::Full.message());
        assert_eq!(error.message(), format!("list: {doubt} ({full})"));
        let again = StoreError::new(StoreErrorKind::Full)
            .with_source("disk")
            .into_indeterminate()
            .into_indeterminate();
        assert_eq!(again.message(), format!("{doubt} (disk)"));
    }
}
