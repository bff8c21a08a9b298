//! One canvas in a browser: a document, a board and a surface that people and an assistant change together.
//!
//! One process is one [`host::Host`]: an engine on a store, the assistant, the data of the board, and who looks at what.
//! [`run`] listens twice, for the page and, as another origin, for what surfaces show in frames. A page talks by one WebSocket.
//!
//! * The host decides nothing about canvases: each request becomes a command of the engine, and what that refuses is shown.
//! * Pages are sent what has changed, as one value for all of them. Who has missed something asks for the whole canvas.
//! * What a surface shows cannot confirm, and reaches the page by one port alone.

pub mod assistant;
mod board;
mod board_news;
mod changed_paths;
mod client;
mod clock;
mod data;
mod demo;
mod document;
mod document_news;
mod error;
pub mod fan;
mod files;
mod follow;
mod frame;
mod guard;
mod history;
pub mod host;
mod http;
mod in_place;
mod jobs;
mod methods;
pub mod options;
mod past;
mod people;
mod person;
mod proposals;
mod recipe;
pub mod run;
mod shown;
mod socket;
mod splice;
mod surface;
mod tools;
mod trigger;
mod wire;
mod work_mode;
