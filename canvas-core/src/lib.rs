//! The canvas: a content-addressed tree under one compare-and-swap head, its documents, stores and rules.
