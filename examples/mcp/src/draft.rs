//! The draft that was kept when a save of the user overlapped it: for whoever wants it back, or wants it gone.

use std::path::{Path, PathBuf};

use canvas_core::document::Edit;
use canvas_core::{CanvasId, Engine, EngineError, OpKey, Policy, Refused as _};

use crate::clock;
use crate::failure::Failure;
use crate::file::beside;
use crate::identity::{Identity, canonical, canvas_among};
use crate::names::Names;
use crate::open::open;
use crate::options::{Options, StoreOption};
use crate::save::draft_of;

/// The draft's text.
pub(crate) async fn print(options: &Options) -> Result<String, Failure> {
    let path = file(options)?;
    let none = || format!("no draft of {} is kept there", path.display());
    if options.store == StoreOption::Memory {
        return std::fs::read_to_string(beside(&path)).map_err(|_| none().into());
    }
    let (engine, kept) = kept(options, &path).await?;
    match engine.snapshot(&kept, clock::now()).await {
        Ok(snapshot) if !snapshot.text().is_empty() => Ok(snapshot.text().to_owned()),
        Ok(_) | Err(EngineError::NotFound { .. }) => Err(none().into()),
        Err(error) => Err(error.into()),
    }
}

/// Lets the draft go. In a database its history keeps it.
pub(crate) async fn throw_away(options: &Options) -> Result<String, Failure> {
    let text = print(options).await?;
    let path = file(options)?;
    if options.store == StoreOption::Memory {
        std::fs::remove_file(beside(&path))?;
    } else {
        let (engine, kept) = kept(options, &path).await?;
        let operation = OpKey::host(Names::new()?.call());
        let edited = engine.call(&kept, &operation, Edit::overwrite(""), clock::now()).await?;
        edited.result.map_err(|refusal| refusal.view().to_string())?;
    }
    Ok(format!("the draft of {} is thrown away: {} lines", path.display(), text.lines().count()))
}

fn file(options: &Options) -> Result<PathBuf, Failure> {
    let document = options.documents.first().ok_or("draft takes one file")?;
    Ok(canonical(&document.path))
}

async fn kept(options: &Options, path: &Path) -> Result<(Engine, CanvasId), Failure> {
    let engine = Engine::new(open(&options.store).await?.store, Policy::default());
    let canvas = match &options.canvas {
        Some(canvas) => canvas.clone(),
        None => {
            let known = Identity { engine: &engine, names: &Names::new()? }.known().await?;
            canvas_among(&known, path)
        }
    };
    Ok((engine, draft_of(&canvas)))
}
