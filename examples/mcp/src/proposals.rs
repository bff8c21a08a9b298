//! Proposals as clients see them.

use canvas_core::proposal::{OpenProposals, Owner, Proposal, ProposedPart};
use serde_json::{Value, json};

/// The proposals for clients: without the names of people, and without notes, which are for their owners alone.
pub(crate) fn anonymous(open: &OpenProposals) -> Value {
    let part = |part: &ProposedPart| {
        let mut shown = json!(part.view);
        if part.rejected_before.is_some() {
            shown["rejected_before"] = true.into();
        }
        shown
    };
    let list = open.list();
    let proposal = |Proposal { owner, parts }: &Proposal| {
        let parts: Vec<_> = parts.iter().map(part).collect();
        json!({"owner": name_of(owner), "parts": parts})
    };
    list.iter().map(proposal).collect()
}

/// The owner's name: that of no person.
pub(crate) fn name_of(owner: &Owner) -> &str {
    match owner {
        Owner::Person(_) => "user",
        Owner::Conversation(conversation) => conversation.as_str(),
    }
}
