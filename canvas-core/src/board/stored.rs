//! How a board is kept: one JSON value in a blob of the canvas's tree.

use serde::{Deserialize, Serialize};

use super::live::{Board, Parts};
use super::patch::Record;
use crate::ground::blob::Blob;

const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Written<'a> {
    format: u32,
    workspace: &'a Parts,
    components: Vec<Record>,
}

#[derive(Deserialize)]
struct Wire {
    format: u32,
    workspace: Parts,
    components: Vec<Record>,
}

impl Board {
    /// The blob that this board is kept as: equal for equal boards. Cost: linear in the board.
    pub(crate) fn to_blob(&self) -> Blob {
        let written =
            Written { format: FORMAT, workspace: &self.parts(), components: self.records().collect() };
        let json = serde_json::to_string(&written).expect("its maps have text for keys");
        Blob::decoded_from(json, self.clone())
    }

    /// The board that a blob keeps; `None` where it keeps none, or one of a later format. Read once for each blob.
    pub(crate) fn from_blob(blob: &Blob) -> Option<std::sync::Arc<Self>> {
        blob.decoded(|json| {
            let Wire { format, workspace, components } = serde_json::from_str(json).ok()?;
            (format == FORMAT).then(|| Self::assemble(workspace, components).ok())?
        })
    }
}
