//! Proposals: their list, their texts, and decisions.

use std::collections::BTreeMap;

use canvas_core::proposal::{
    DecideParts, OpenProposals, Owner, PartChoice, PartId, PartsDecided, Propose, ProposedChange, Reworded,
    Withdraw,
};
use canvas_core::{Command, OpKey, Refused as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::documents::{Documents, canvas};
use super::request::{BridgeError, Request};

/// A part with the wording of the person who accepts it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edited {
    id: String,
    after: String,
}

/// Some parts, or all pending ones.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a list of part ids, or \"all\"")]
enum Chosen {
    Ids(Vec<String>),
    Word(String),
}

pub(super) async fn make(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let change =
        match (request.field::<Option<String>>("patch")?, request.field::<Option<String>>("markdown")?) {
            (Some(patch), None) => ProposedChange::Patch(patch),
            (None, Some(markdown)) => ProposedChange::Text(markdown),
            _ => {
                let message = "send either patch or markdown".to_owned();
                return Err(BridgeError::new("BAD_REQUEST", message));
            }
        };
    let owner = Owner::Person(documents.person.clone().unwrap_or_default());
    ask(documents, request, Propose { change, reason: request.field("reason")? }).await?;
    let proposal = open(documents, request).await?.of(&owner);
    Ok(json!({"proposal": proposal.map_or_else(|| json!({"owner": owner, "parts": []}), |own| json!(own))}))
}

pub(super) async fn list(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    Ok(json!({"proposals": open(documents, request).await?.list()}))
}

pub(super) async fn text(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let owner: Option<Owner> = request.field("owner")?;
    let text = open(documents, request).await?.text(owner.as_ref());
    Ok(json!(text.ok_or_else(|| not_found(owner.as_ref()))?))
}

pub(super) async fn decide(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let edit = request.field::<Option<Edited>>("edit")?;
    let (accept, reject) = (chosen(request, "accept")?, chosen(request, "reject")?);
    let edit = edit.map(|Edited { id, after }| Ok::<_, BridgeError>(Reworded { part: part(&id)?, after }));
    let seen = request.field::<Option<BTreeMap<String, String>>>("seen")?.unwrap_or_default();
    let seen = seen.into_iter().map(|(id, after)| Ok::<_, BridgeError>((part(&id)?, after)));
    let decision = DecideParts {
        accept,
        reject,
        edit: edit.transpose()?,
        note: request.field("note")?,
        seen: seen.collect::<Result<_, _>>()?,
    };
    let is_empty = |choice: &PartChoice| matches!(choice, PartChoice::Only(parts) if parts.is_empty());
    if is_empty(&decision.accept) && is_empty(&decision.reject) && decision.edit.is_none() {
        let message = "nothing is decided: send accept, reject or edit".to_owned();
        return Err(BridgeError::new("BAD_REQUEST", message));
    }
    let (accepted, rejected) = (decision.accept.ids(), decision.reject.ids());
    let edited = decision.edit.as_ref().map(|edit| edit.part);
    if let Some(part) = accepted.iter().chain(&edited).find(|part| rejected.contains(part)) {
        let message = format!("{part} is both accepted and rejected: decide it once");
        return Err(BridgeError::new("BAD_REQUEST", message));
    }
    let PartsDecided { accepted, rejected, stale, revision } = ask(documents, request, decision).await?;
    let snapshot = documents.engine().snapshot(&canvas(request)?, documents.clock()).await?;
    Ok(json!({
        "accepted": accepted,
        "rejected": rejected,
        "stale": stale,
        "revision_id": revision,
        "markdown": snapshot.text(),
    }))
}

pub(super) async fn withdraw(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (owner, parts) = (request.field("owner")?, request.field::<Option<Vec<String>>>("parts")?);
    let parts = parts.map(|parts| parts.iter().map(|id| part(id)).collect()).transpose()?;
    ask(documents, request, Withdraw { owner, parts }).await?;
    list(documents, request).await
}

pub(super) async fn redline(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let owner: Option<Owner> = request.field("owner")?;
    let (open, none) = (open(documents, request).await?, || not_found(owner.as_ref()));
    match request.field::<Option<&str>>("format")?.unwrap_or("spans") {
        "spans" => Ok(json!({"spans": open.redline(owner.as_ref()).ok_or_else(none)?})),
        "criticmarkup" => Ok(json!({"text": open.critic_markup(owner.as_ref()).ok_or_else(none)?})),
        other => {
            let message = format!("there is no format {other:?}: send spans or criticmarkup");
            Err(BridgeError::new("BAD_REQUEST", message))
        }
    }
}

async fn open(documents: &Documents, request: &Request<'_>) -> Result<OpenProposals, BridgeError> {
    Ok(documents.engine().proposals(&canvas(request)?, documents.clock()).await?.0)
}

/// Runs a command as the person of the request, because a person decides even if the request names nobody.
/// Runs a command of the person in the request.
pub(super) async fn ask<C: Command>(
    documents: &mut Documents,
    request: &Request<'_>,
    command: C,
) -> Result<C::Done, BridgeError> {
    let (now, canvas, call) = (documents.now(request)?, canvas(request)?, documents.call_id()?);
    let operation = OpKey::person(documents.person.clone().unwrap_or_default(), call);
    let answered = documents.engine().call(&canvas, &operation, command, now).await?;
    answered.result.map_err(|refusal| refusal.view().into())
}

fn chosen(request: &Request<'_>, name: &str) -> Result<PartChoice, BridgeError> {
    match request.field::<Option<Chosen>>(name)? {
        None => Ok(PartChoice::Only(Vec::new())),
        Some(Chosen::Ids(ids)) => {
            ids.iter().map(|id| part(id)).collect::<Result<_, _>>().map(PartChoice::Only)
        }
        Some(Chosen::Word(word)) if word == "all" => Ok(PartChoice::All),
        Some(Chosen::Word(word)) => {
            let message = format!(
                "field {name}: {word:?} is neither a list of part ids nor \"all\": send one of these"
            );
            Err(BridgeError::new("BAD_REQUEST", message))
        }
    }
}

/// No part has an id of another form.
fn part(id: &str) -> Result<PartId, BridgeError> {
    id.parse().map_err(|_| {
        let message = format!("no open proposal has the part {id:?}: look at the list of proposals");
        BridgeError::new("PART_NOT_FOUND", message)
    })
}

fn not_found(owner: Option<&Owner>) -> BridgeError {
    let who = owner.map_or_else(|| "the canvas".to_owned(), Owner::to_string);
    BridgeError::new(
        "PROPOSAL_NOT_FOUND",
        format!("{who} has no open proposal: look at the list of proposals"),
    )
}
