//! Surfaces for clients: nine methods as one type, five events, and who shows what.

pub(crate) mod asset;
pub(crate) mod error;
pub(crate) mod request;
pub(crate) mod views;

pub use asset::{AssetContent, EncodedBytes};
pub use error::SurfaceError;
pub use request::{
    ActionParams, CanvasParams, CreateParams, DeleteParams, ListParams, PatchParams, SurfaceRequest,
    UpsertParams,
};
pub use views::{ViewPolicy, Views};
