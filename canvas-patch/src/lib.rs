//! Strict and anchored unified diffs for Markdown, with conflicts that say what to do next, and addresses for sections and lines.
