//! Surfaces for clients: nine methods as one type, and who shows what.
//!
//! `request` reads them, `views` is who shows which surface, `door` is what a host keeps of both, and `answer` what each
//! method does.

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
