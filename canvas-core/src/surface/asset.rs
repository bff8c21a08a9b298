//! Assets, the files with which a surface is displayed.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::blob::{Blob, BlobId};
use crate::model::error::CodedError;
use crate::model::json_pointer::join_pointer;
use crate::model::path::{PathError, TreePath};
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;

/// The path of an asset: `assets/index.html`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct AssetPath(TreePath);

/// Error returned if a text is not the path of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssetPathError {
    /// The text is not a path of a canvas.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The path does not begin with `assets/`.
    #[error("the path of the asset does not begin with assets/: put it before the name")]
    Folder,
}

impl CodedError for AssetPathError {
    fn code(&self) -> &'static str {
        match self {
            Self::Path(error) => error.code(),
            Self::Folder => "INVALID_PATH",
        }
    }
}

impl AssetPath {
    /// Decodes and checks a path as a browser sends it. Percent-encoding is decoded once.
    ///
    /// # Errors
    ///
    /// Returns [`AssetPathError`] for the rule that the path breaks. No spelling leads out of the assets.
    pub fn new(text: &str) -> Result<Self, AssetPathError> {
        Self::checked(TreePath::new(text)?)
    }

    fn checked(path: TreePath) -> Result<Self, AssetPathError> {
        if path.as_str().starts_with("assets/") { Ok(Self(path)) } else { Err(AssetPathError::Folder) }
    }

    /// Returns the decoded path.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the media type for the file extension, in lower or upper case.
    pub fn media_type(&self) -> &'static str {
        let name = self.as_str().rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        match ending.as_str() {
            "html" | "htm" => "text/html; charset=utf-8",
            "js" | "mjs" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "txt" => "text/plain; charset=utf-8",
            "md" => "text/markdown; charset=utf-8",
            "csv" => "text/csv; charset=utf-8",
            "json" | "map" => "application/json",
            "xml" => "application/xml",
            "pdf" => "application/pdf",
            "wasm" => "application/wasm",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "jpg" | "jpeg" => "image/jpeg",
            "gif" => "image/gif",
            "webp" => "image/webp",
            "avif" => "image/avif",
            "ico" => "image/x-icon",
            "mp3" => "audio/mpeg",
            "wav" => "audio/wav",
            "mp4" => "video/mp4",
            "webm" => "video/webm",
            "woff" => "font/woff",
            "woff2" => "font/woff2",
            "ttf" => "font/ttf",
            "otf" => "font/otf",
            _ => "application/octet-stream",
        }
    }
}

impl fmt::Display for AssetPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<String> for AssetPath {
    type Error = AssetPathError;

    /// Checks a stored path, which is already decoded.
    fn try_from(path: String) -> Result<Self, AssetPathError> {
        Self::checked(TreePath::try_from(path)?)
    }
}

impl From<AssetPath> for String {
    fn from(path: AssetPath) -> Self {
        path.0.into()
    }
}

/// An asset of a surface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asset {
    /// Blob with the content.
    pub blob: BlobId,
    /// Size of the content, in bytes.
    pub bytes: u64,
    /// Media type, for browsers.
    pub media_type: String,
}

/// The assets of a surface by their paths. Its JSON is the manifest in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Assets(BTreeMap<AssetPath, Asset>);

impl Assets {
    /// Returns the asset with this path.
    pub fn get(&self, path: &AssetPath) -> Option<&Asset> {
        self.0.get(path)
    }

    /// Returns all assets, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&AssetPath, &Asset)> {
        self.0.iter()
    }

    /// Reads a manifest written by [`Assets::to_json`].
    pub(crate) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("paths are text")
    }

    /// Returns whether there are no assets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the assets after these additions and removals, and the new contents. A removal of a missing asset has no
    /// effect.
    ///
    /// # Errors
    ///
    /// Returns `SPEC_INVALID` with its place in the request if there would be too many assets or too many bytes.
    pub(crate) fn with(
        &self,
        changes: &BTreeMap<AssetPath, Option<Blob>>,
        limits: &SurfaceLimits,
    ) -> Result<Self, SurfaceFault> {
        let fault = |place: String, message| Err(SurfaceFault::new(place, SurfaceCode::SpecInvalid, message));
        let mut assets = self.0.clone();
        for (path, content) in changes {
            let Some(blob) = content else {
                assets.remove(path);
                continue;
            };
            let (bytes, limit) = (blob.as_bytes().len(), limits.asset_bytes);
            if bytes > limit {
                let message = format!("the asset has {bytes} bytes, the limit is {limit}: make it smaller");
                return fault(join_pointer("/assets", path.as_str()), message);
            }
            let media_type = path.media_type().to_owned();
            assets.insert(path.clone(), Asset { blob: blob.id(), bytes: bytes as u64, media_type });
        }
        let (count, limit) = (assets.len(), limits.assets);
        if count > limit {
            let message = format!("there would be {count} assets, the limit is {limit}: remove some");
            return fault("/assets".into(), message);
        }
        let (bytes, limit) = (assets.values().map(|asset| asset.bytes).sum::<u64>(), limits.all_asset_bytes);
        if bytes > limit as u64 {
            let message = format!("all assets would have {bytes} bytes, the limit is {limit}: remove some");
            return fault("/assets".into(), message);
        }
        Ok(Self(assets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> AssetPath {
        AssetPath::new(text).unwrap()
    }

    #[test]
    fn paths_lead_to_assets_and_nowhere_else() {
        for (text, expected) in [
            ("assets/index.html", Some("assets/index.html")),
            ("assets/a%20b.png", Some("assets/a b.png")),
            ("assets/a/b.css", Some("assets/a/b.css")),
            ("index.html", None),
            ("assets", None),
            ("assets/", None),
            ("assetsx/a", None),
            ("/assets/a", None),
            ("state/latest.json", None),
            ("assets/../spec.json", None),
            ("assets/%2e%2e/spec.json", None),
            ("assets/%2E%2e%2fspec.json", None),
            ("assets/%252e%252e/spec.json", None),
            ("assets/..%5cspec.json", None),
            ("assets/a%00", None),
            ("assets\\a", None),
            ("assets//a", None),
            ("assets/%ff", None),
        ] {
            assert_eq!(AssetPath::new(text).ok().as_ref().map(AssetPath::as_str), expected, "{text}");
        }
    }

    #[test]
    fn endings_name_media_types() {
        for (text, expected) in [
            ("assets/index.html", "text/html; charset=utf-8"),
            ("assets/A.JS", "text/javascript; charset=utf-8"),
            ("assets/a.tar.gz", "application/octet-stream"),
            ("assets/html", "application/octet-stream"),
            ("assets/a.html/b", "application/octet-stream"),
        ] {
            assert_eq!(path(text).media_type(), expected, "{text}");
        }
    }

    #[test]
    fn assets_are_put_and_taken_away_within_limits() {
        let limits = SurfaceLimits { assets: 2, asset_bytes: 4, all_asset_bytes: 6, ..Default::default() };
        let put = |name: &str, text: &str| (path(&format!("assets/{name}")), Some(Blob::text(text.into())));
        let gone = |name: &str| (path(&format!("assets/{name}")), None);
        let with = |assets: &Assets, changes: Vec<(AssetPath, Option<Blob>)>| {
            assets.with(&changes.into_iter().collect(), &limits).map_err(|fault| (fault.place, fault.code))
        };
        let two = with(&Assets::default(), vec![put("a", "1234"), put("b.css", "12")]).unwrap();
        assert_eq!(Assets::read(&two.to_json()), Some(two.clone()));
        assert_eq!(two.get(&path("assets/b.css")).unwrap().media_type, "text/css; charset=utf-8");
        let place = |place: &str| (place.to_owned(), SurfaceCode::SpecInvalid);
        assert_eq!(with(&two, vec![put("c", "")]), Err(place("/assets")));
        assert_eq!(with(&two, vec![put("b.css", "123")]), Err(place("/assets")));
        assert_eq!(with(&two, vec![put("a", "12345")]), Err(place("/assets/assets~1a")));
        let one = with(&two, vec![gone("a"), gone("x")]).unwrap();
        assert_eq!(
            one.iter().map(|(path, asset)| (path.as_str(), asset.bytes)).collect::<Vec<_>>(),
            [("assets/b.css", 2)]
        );
        assert!(with(&one, vec![gone("b.css")]).unwrap().is_empty());
        assert_eq!(with(&two, vec![gone("a"), put("c", "1234")]).unwrap().iter().count(), 2);
    }
}
