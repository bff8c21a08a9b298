//! What the bridge has beside documents: the faces that are built in, with their tools.

#[cfg(feature = "surface")]
use std::sync::Arc;

use canvas_core::history::HistoryMove;
use canvas_core::store::BoxStore;
use canvas_core::{CanvasId, Engine, Policy};
#[cfg(feature = "board")]
use canvas_tools::BoardTools;
#[cfg(feature = "recipe")]
use canvas_tools::RecipeTools;
use canvas_tools::{DirectiveTools, DocumentTools, Session, ToolReply, Tools, Toolset};
#[cfg(feature = "surface")]
use canvas_tools::{SURFACE_TOOL, SurfaceTools};

#[cfg(feature = "board")]
use super::data::Data;
#[cfg(feature = "recipe")]
use super::recipe::replays::Recipes;
#[cfg(feature = "surface")]
use super::surface::Surfaces;

/// The state of each face that is built in.
#[derive(Debug, Default)]
pub(super) struct Faces {
    #[cfg(feature = "board")]
    pub(super) data: Data,
    #[cfg(feature = "surface")]
    pub(super) surfaces: Surfaces,
    #[cfg(feature = "recipe")]
    pub(super) recipes: Recipes,
}

/// The features of the bridge, each with whether it is built in, and how the names of its operations begin.
pub(super) const FEATURES: [(&str, bool, &[&str]); 4] = [
    ("board", cfg!(feature = "board"), &["board."]),
    ("surface", cfg!(feature = "surface"), &["surface.", "json."]),
    ("recipe", cfg!(feature = "recipe"), &["recipe.", "date.", "ops."]),
    ("providers", cfg!(feature = "providers"), &["provider.", "loop."]),
];

/// The tool that makes canvases.
#[cfg(feature = "surface")]
const CREATOR: Option<&str> = Some(SURFACE_TOOL);
#[cfg(not(feature = "surface"))]
const CREATOR: Option<&str> = None;

/// Toolsets that do not share a name.
pub(super) fn join(toolsets: Vec<Box<dyn Toolset<BoxStore>>>) -> Tools<BoxStore> {
    Tools::try_from(toolsets).expect("each toolset is there once")
}

impl Faces {
    /// The usual tools.
    pub(super) fn tools(&self) -> Tools<BoxStore> {
        let faces = ["board", "surface", "recipe"].into_iter().filter_map(|face| self.toolset(face));
        join([Box::new(DocumentTools::default()) as _].into_iter().chain(faces).collect())
    }

    /// The usual ones with those that a host switches on.
    pub(super) fn extended_tools(&self) -> Tools<BoxStore> {
        let names = ["extended board", "directive", "surface", "recipe"];
        let others = names.into_iter().filter_map(|name| self.toolset(name));
        join([Box::new(DocumentTools::ALL) as _].into_iter().chain(others).collect())
    }

    /// The tools of a document, with all that boards add to them.
    pub(super) fn extended_documents(&self) -> Tools<BoxStore> {
        join([Box::new(DocumentTools::ALL) as _].into_iter().chain(self.toolset("extended board")).collect())
    }

    /// The tools of a face, unless it is left out.
    pub(super) fn toolset(&self, name: &str) -> Option<Box<dyn Toolset<BoxStore>>> {
        Some(match name {
            "directive" => Box::new(DirectiveTools { use_patch_edits: true }),
            #[cfg(feature = "board")]
            "board" => Box::new(BoardTools::default()),
            #[cfg(feature = "board")]
            "extended board" => Box::new(BoardTools::ALL),
            #[cfg(feature = "surface")]
            "surface" => Box::new(SurfaceTools::new(Arc::clone(self.surfaces.door()))),
            #[cfg(feature = "recipe")]
            "recipe" => {
                Box::new(RecipeTools::new(self.surfaces.host(), Arc::clone(self.recipes.refresher())))
            }
            _ => return None,
        })
    }

    /// Whether a call of this tool may come before its canvas is there.
    pub(super) fn may_create(tool: &str) -> bool {
        CREATOR == Some(tool)
    }

    /// An engine that knows the store, and what the host lets surfaces do.
    pub(super) fn engine(&self, store: BoxStore, policy: Policy) -> Engine {
        let engine = Engine::new(store, policy);
        #[cfg(feature = "surface")]
        let engine = engine.with_ceiling(Arc::clone(self.surfaces.ceiling()));
        engine
    }

    /// What was in memory is gone.
    pub(super) fn restart(&mut self) {
        #[cfg(feature = "board")]
        (self.data = Data::default());
        #[cfg(feature = "surface")]
        self.surfaces.restart();
        #[cfg(feature = "recipe")]
        self.recipes.restart();
    }

    /// Gives a session what its conversation knew after the last call, and the calls that a recipe can be made of.
    pub(super) fn remind(&self, session: &mut Session, last: Option<Session>) {
        if let Some(last) = last {
            session.document = last.document;
            #[cfg(feature = "board")]
            (session.board = last.board);
        }
        #[cfg(feature = "recipe")]
        (session.recorder = self.recipes.recorder(&session.canvas, &session.conversation));
    }

    /// Another turn begins.
    pub(super) fn begin_turn(&mut self, _session: &Session) {
        #[cfg(feature = "recipe")]
        self.recipes.forget(&_session.canvas, &_session.conversation);
    }

    /// The data of components that a call has changed.
    pub(super) fn follow_reply(&mut self, _canvas: &CanvasId, _reply: &ToolReply) {
        #[cfg(feature = "board")]
        self.data.follow(_canvas, &_reply.board().events);
    }

    /// The data of components that undo or redo has changed.
    pub(super) fn follow_move(&mut self, _canvas: &CanvasId, _moved: &HistoryMove) {
        #[cfg(feature = "board")]
        self.data.follow(_canvas, &_moved.events);
    }
}
