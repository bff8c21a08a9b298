//! A server of the Model Context Protocol over the canvas engine.
//!
//! One process is one [`host::Host`]: an engine on a store, the tools that models get, the file that a document is kept
//! in, and whoever follows a canvas. [`server::Server`] answers a connection from it, over [`stdio`] or HTTP.
//!
//! * The user comes first: what people do ends the lease of a model, and the model is shown it with its next reply.
//! * A turn ends when its lease is checked in. That promotes the draft, and writes the file of the document.
//! * Standard output carries protocol and nothing else; logs go to standard error.

mod accept;
mod action;
mod app;
mod board_news;
mod call;
mod caller;
mod catalog;
mod check;
pub mod clock;
mod completion;
mod components;
mod conformance;
mod conversation;
mod draft;
mod exchange;
mod failure;
pub mod file;
mod files;
mod follow;
pub mod host;
pub mod http;
mod identity;
mod log;
pub mod measure;
mod message;
mod names;
mod notices;
pub mod open;
pub mod options;
mod page;
mod panel_tools;
mod params;
mod pause;
mod promote;
mod prompts;
mod proposals;
mod refusal;
mod resources;
mod review;
pub mod run;
mod save;
mod seal;
pub mod server;
mod sessions;
pub mod stdio;
mod toolbox;
mod trace;
mod uri;
