//! Surfaces for clients: nine methods as one request type, and the actors that show each surface.
//!
//! `request` parses requests, `views` tracks the actors that show each surface, `door` holds both for a host, and
//! `answer` implements the methods.

mod answer;
pub(crate) mod asset;
mod door;
pub(crate) mod error;
pub(crate) mod request;
mod result;
pub(crate) mod views;

pub use answer::AssetFile;
pub use asset::{AssetContent, EncodedBytes};
pub use door::{SurfaceCaller, SurfaceDoor, SurfaceReply};
pub(crate) use error::SurfaceDetail;
pub use error::SurfaceError;
pub use request::{
    ActionParams, CanvasParams, CreateParams, DeleteParams, ListParams, PatchParams, SurfaceRequest,
    UpsertParams,
};
pub(crate) use result::{Listed, Patched, Shown, Upserted, Viewed};
pub use views::{ViewPolicy, Views};
