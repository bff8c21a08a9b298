//! Decisions of people on what models propose: from the page of the document, and by `canvas-mcp review`.
//!
//! * A page decides with a permit, which it gets beside the state of the canvas, out of a model's sight. A permit counts for
//!   one decision, which may be sent again if its answer is lost.
//! * What the command prints names each part with a mark of its text, so that nobody accepts another one than was shown.
//! * An accepted part is written to the document's file at once, as everything that people do.

use std::fmt::Write as _;

use canvas_core::proposal::{
    DecideParts, OpenProposals, PartChoice, PartState, PartsDecided, Proposal, ProposedPart,
};
use canvas_core::{BlobId, CallId, CanvasId, Engine, EngineError, OpKey, Policy};
use serde_json::Value;

use crate::clock;
use crate::failure::Failure;
use crate::host::Host;
use crate::identity::{Identity, canonical, canvas_among};
use crate::names::Names;
use crate::open::open;
use crate::options::{MarkedPart, Options, StoreOption, Verdict};
use crate::promote::Ending;
use crate::proposals::name_of;
use crate::refusal::{engine_json, refusal_json};

impl Host {
    /// Decides as the person at this server, and writes the document's file.
    pub(crate) async fn decide(
        &self,
        canvas: &CanvasId,
        call: CallId,
        decision: DecideParts,
    ) -> Result<PartsDecided, Value> {
        let operation = OpKey::person(self.options.person.clone().unwrap_or_default(), call);
        let decided = self.engine.call(canvas, &operation, decision, clock::now()).await;
        let decided = decided.map_err(|error| engine_json(&error))?.result;
        let decided = decided.map_err(|refusal| refusal_json(&refusal))?;
        if !decided.accepted.is_empty() {
            self.promote(canvas, Ending::Person).await.map_err(|error| error.to_json())?;
        }
        Ok(decided)
    }
}

/// Runs `canvas-mcp review`.
pub(crate) async fn review(options: Options, verdict: Verdict) -> Result<String, Failure> {
    if options.store == StoreOption::Memory {
        let message = "without --db or --postgres, proposals are in the memory of their server alone: decide in its page";
        return Err(message.into());
    }
    let opened = open(&options.store).await?;
    if verdict == Verdict::default() {
        let engine = Engine::new(opened.store, Policy::default());
        let canvas = canvas_of(&engine, &options).await?;
        let open = match engine.proposals(&canvas, clock::now()).await {
            Ok((open, _)) => open.list(),
            Err(EngineError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        return Ok(printed(&open));
    }
    let host = Host::start(options, opened).await?;
    let canvas = host.first_canvas().clone();
    let (open, _) = host.engine().proposals(&canvas, clock::now()).await?;
    let decided = host.decide(&canvas, host.names.call(), decision(&open, verdict)?).await;
    let PartsDecided { accepted, rejected, stale, revision } = decided.map_err(|error| {
        let message = error["message"].as_str().unwrap_or("the server cannot decide");
        format!("{}: {message}", error["code"].as_str().unwrap_or("REFUSED"))
    })?;
    let mut said = String::new();
    for (what, parts) in
        [("accepted", accepted), ("rejected", rejected), ("no longer fit, and wait as stale", stale)]
    {
        if !parts.is_empty() {
            let parts: Vec<_> = parts.iter().map(ToString::to_string).collect();
            let _ = writeln!(said, "{what}: {}", parts.join(", "));
        }
    }
    if said.is_empty() {
        said.push_str("nothing waits for a decision\n");
    }
    let _ = writeln!(said, "the document is at revision {revision}");
    Ok(said)
}

async fn canvas_of(engine: &Engine, options: &Options) -> Result<CanvasId, Failure> {
    let canvas = match (&options.canvas, options.documents.first()) {
        (Some(canvas), _) => canvas.clone(),
        (None, None) => Host::usual_canvas(),
        (None, Some(document)) => {
            let known = Identity { engine, names: &Names::new()? }.known().await?;
            canvas_among(&known, &canonical(&document.path))
        }
    };
    Ok(canvas)
}

/// The decision of a command line on the parts that wait now.
fn decision(open: &OpenProposals, verdict: Verdict) -> Result<DecideParts, Failure> {
    let list = open.list();
    let parts = || list.iter().flat_map(|proposal| &proposal.parts);
    for MarkedPart { part, mark } in verdict.accept.parts().iter().chain(verdict.reject.parts()) {
        let known = parts().find(|known| known.view.id == *part);
        if let (Some(known), Some(mark)) = (known, mark)
            && mark_of(known) != *mark
        {
            let message = format!(
                "PART_CHANGED: {part} is no longer as it was printed: look at it again, and decide then"
            );
            return Err(message.into());
        }
    }
    let (accept, reject) = (PartChoice::from(verdict.accept), PartChoice::from(verdict.reject));
    // Nobody changes a part between this and the decision.
    let seen = parts().map(|part| (part.view.id, part.view.after.clone())).collect();
    Ok(DecideParts { note: verdict.note, seen, ..DecideParts::of(accept, reject) })
}

/// Six digits of the hash of a part's lines.
fn mark_of(part: &ProposedPart) -> String {
    let lines = [part.view.before.as_bytes(), b"\xff", part.view.after.as_bytes()].concat();
    let mut mark = BlobId::of(&lines).to_string();
    mark.truncate(6);
    mark
}

/// What a person reads: each part with its lines before and after.
fn printed(list: &[Proposal]) -> String {
    if list.is_empty() {
        return "nothing waits for a decision".to_owned();
    }
    let mut text = String::new();
    for Proposal { owner, parts } in list {
        for part in parts {
            let view = &part.view;
            let state = match view.state {
                PartState::Stale => ", stale: its place has changed, so it can only be rejected",
                _ => "",
            };
            let _ = writeln!(
                text,
                "{}@{} of {}, lines {}-{}{state}",
                view.id,
                mark_of(part),
                visible(name_of(owner)),
                view.start_line,
                view.end_line
            );
            if let Some(reason) = &view.reason {
                let _ = writeln!(text, "  because: {}", visible(reason));
            }
            if part.rejected_before.is_some() {
                text.push_str("  it was rejected before\n");
            }
            for (sign, lines) in [('-', &view.before), ('+', &view.after)] {
                for line in lines.lines() {
                    let _ = writeln!(text, "{sign} {}", visible(line));
                }
            }
            text.push('\n');
        }
    }
    text + "Decide with --accept and --reject, which take ids as printed here, separated by commas, or all; --note says why."
}

/// A line with what a terminal would obey, or show in another order, in escaped form.
fn visible(line: &str) -> String {
    let is_plain = |c: char| {
        let is_order = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}');
        c == '\t' || !(c.is_control() || is_order)
    };
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        if is_plain(c) { shown.push(c) } else { shown.extend(c.escape_unicode()) }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn a_terminal_obeys_no_text() {
        for (line, shown) in [
            ("plain\tü", "plain\tü"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\u{202e}b\u{2069}", "a\\u{202e}b\\u{2069}"),
            ("a\rb\u{7}", "a\\u{d}b\\u{7}"),
        ] {
            assert_eq!(visible(line), shown, "{line:?}");
        }
    }
}
