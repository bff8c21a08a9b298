//! The tools that a client gets: the toolsets, in one form of edits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use canvas_core::Engine;
use canvas_core::store::BoxStore;
use canvas_tools::native::{Dialect, FAMILIES, ModelFamily};
use canvas_tools::surface::SurfaceDoor;
use canvas_tools::{
    BoardTools, DirectiveTools, DocumentTools, NativeTools, SURFACE_TOOL, SurfaceTools, ToolReply, Tools,
    Toolset,
};
use rmcp::model::Tool;

use crate::catalog;
use crate::options::{DialectOption, Toolsets};

/// The tools in one form of edits.
#[derive(Debug)]
pub(crate) struct Toolbox {
    pub(crate) dialect: Option<Dialect>,
    pub(crate) naming: Naming,
    pub(crate) tools: Tools<BoxStore>,
    /// As clients list them.
    listed: OnceLock<Vec<Tool>>,
}

/// The tools in every form that was asked for.
#[derive(Debug)]
pub(crate) struct Toolboxes {
    sets: Toolsets,
    door: Arc<SurfaceDoor>,
    /// What the document is called in a native form.
    path: String,
    /// How a call names its canvas.
    naming: Naming,
    made: Mutex<BTreeMap<Key, Arc<Toolbox>>>,
}

/// The code of a form, and the file in whose words it is.
type Key = (Option<&'static str>, Option<String>);

/// How a call names the canvas that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// By its id, if it is not the usual one.
    Canvas,
    /// Not at all: there is one document.
    One,
    /// By the name of the document.
    Document,
}

/// Toolboxes of single files that are kept. Of more all go, and are made again.
const KEPT: usize = 64;

impl Toolboxes {
    pub(crate) fn new(sets: Toolsets, door: Arc<SurfaceDoor>, path: String, naming: Naming) -> Self {
        Self { sets, door, path, naming, made: Mutex::default() }
    }

    /// The tools for a client, which may not have told its name.
    pub(crate) fn of(&self, option: DialectOption, client: &str) -> Arc<Toolbox> {
        let dialect = match option {
            DialectOption::Addressed => None,
            DialectOption::Fixed(dialect) => Some(dialect),
            DialectOption::Auto => ModelFamily::of(FAMILIES, client).and_then(|family| family.dialect),
        };
        self.get(dialect, None)
    }

    /// The tools in the words of one of several files.
    pub(crate) fn of_file(&self, dialect: Option<Dialect>, label: String) -> Arc<Toolbox> {
        self.get(dialect, Some(label))
    }

    fn get(&self, dialect: Option<Dialect>, label: Option<String>) -> Arc<Toolbox> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.len() >= KEPT {
            made.clear();
        }
        let path = label.clone().unwrap_or_else(|| self.path.clone());
        let key = (dialect.map(Dialect::code), label);
        Arc::clone(made.entry(key).or_insert_with(|| Arc::new(self.make(dialect, path))))
    }

    fn make(&self, dialect: Option<Dialect>, path: String) -> Toolbox {
        let mut sets: Vec<Box<dyn Toolset<BoxStore>>> = Vec::new();
        if self.sets.document {
            sets.push(match dialect {
                Some(dialect) => Box::new(NativeTools { path, ..NativeTools::new(dialect) }),
                None => Box::new(DocumentTools::ALL),
            });
        }
        if self.sets.board {
            sets.push(Box::new(BoardTools { show_canvas: true, ..BoardTools::default() }));
        }
        if self.sets.directive {
            sets.push(Box::new(DirectiveTools::default()));
        }
        if self.sets.surface {
            sets.push(Box::new(SurfaceTools::new(Arc::clone(&self.door))));
        }
        let tools = Tools::try_from(sets).expect("no two toolsets have a name in common");
        Toolbox { dialect, naming: self.naming, tools, listed: OnceLock::new() }
    }
}

impl Toolbox {
    /// As clients list them.
    pub(crate) fn listed(&self, engine: &Engine) -> &[Tool] {
        self.listed.get_or_init(|| {
            let specs = self.tools.specs(engine);
            specs.into_iter().map(|spec| catalog::tool(spec, self)).collect()
        })
    }

    /// Whether there is a tool of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.tools.names().any(|known| known == name)
    }

    /// Whether a tool is the dialect's, whose arguments and answers are what its models know.
    pub(crate) fn is_native(&self, name: &str) -> bool {
        self.dialect.is_some_and(|dialect| dialect.tool_names().contains(&name))
    }

    /// Whether a tool takes the id of a canvas beside its own arguments.
    pub(crate) fn takes_canvas(&self, name: &str) -> bool {
        name != SURFACE_TOOL && !self.is_native(name)
    }

    /// Whether a tool is one of the board.
    pub(crate) fn is_board(&self, name: &str) -> bool {
        catalog::is_board(name)
    }

    /// What a model reads of a reply.
    pub(crate) fn text(&self, name: &str, reply: &ToolReply) -> String {
        if self.is_native(name) { NativeTools::text_of(reply) } else { reply.body().to_string() }
    }
}
