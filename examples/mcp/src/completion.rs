//! Completing the ids of canvases, the names of documents, and the revisions and versions of a canvas.

use canvas_core::history::Entry;
use canvas_core::store::Store as _;
use canvas_core::{CanvasId, CodedError as _, EngineError};
use rmcp::model::{CompleteRequestParams, CompletionInfo, ErrorData, Reference};

use crate::clock;
use crate::conformance;
use crate::host::Host;
use crate::identity::is_list;
use crate::prompts::prompts;
use crate::resources::{fault, templates};
use crate::uri::PastUri;

/// Canvases that are looked through.
const LOOKS: usize = 10_000;

impl Host {
    /// The ids that begin as the argument does.
    pub(crate) async fn complete(&self, params: &CompleteRequestParams) -> Result<CompletionInfo, ErrorData> {
        let mut is_name = false;
        let is_id = match &params.r#ref {
            Reference::Prompt(prompt) => {
                let is_fixture = self.conformance.is_some()
                    && conformance::prompts().any(|known| known.name == prompt.name);
                if !is_fixture && !prompts(false).iter().any(|known| known.name == prompt.name) {
                    let message =
                        format!("there is no prompt {:?}: take one that prompts/list names", prompt.name);
                    return Err(ErrorData::invalid_params(message, None));
                }
                is_name = params.argument.name == "document";
                params.argument.name == "canvas"
            }
            Reference::Resource(template) => {
                if !templates().iter().any(|known| known.uri_template == template.uri) {
                    let message = "there is no such template: take one that resources/templates/list names";
                    return Err(ErrorData::invalid_params(message, None));
                }
                params.argument.name == "id"
            }
            _ => false,
        };
        let mut values = match self.points(params).await {
            Ok(values) => values,
            Err(EngineError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(fault(&error)),
        };
        if is_name {
            let labels = self.documents().await;
            values = labels.map_err(|error| ErrorData::internal_error(error.message(), None))?;
            values.retain(|label| label.starts_with(&params.argument.value));
        }
        if is_id {
            let ids = self.engine.store().list(None, LOOKS).await;
            let ids = ids.map_err(|error| ErrorData::internal_error(error.message(), None))?;
            let begun = ids.into_iter().filter(|id| id.as_str().starts_with(&params.argument.value));
            values = begun.map(String::from).collect();
        }
        let total = u32::try_from(values.len()).ok();
        let has_more = values.len() > CompletionInfo::MAX_VALUES;
        values.truncate(CompletionInfo::MAX_VALUES);
        CompletionInfo::with_pagination(values, total, has_more)
            .map_err(|message| ErrorData::internal_error(message, None))
    }

    /// The newest revisions of the document, or the labels of its versions, that begin as the argument does. The canvas is
    /// the one that the client has chosen before.
    async fn points(&self, params: &CompleteRequestParams) -> Result<Vec<String>, EngineError> {
        let Reference::Resource(template) = &params.r#ref else { return Ok(Vec::new()) };
        let chosen = params.context.as_ref().and_then(|context| context.arguments.as_ref()?.get("id"));
        let Some(canvas) = chosen.and_then(|id| CanvasId::new(id).ok()).filter(|id| !is_list(id)) else {
            return Ok(Vec::new());
        };
        // A file is in the store once somebody looked at it.
        if self.look(&canvas).await.is_err() {
            return Ok(Vec::new());
        }
        let (begun, now) = (&params.argument.value, clock::now());
        let values: Vec<String> = match (template.uri.as_str(), params.argument.name.as_str()) {
            (PastUri::REVISION, "revision") => {
                let changes =
                    self.engine.document_changes(&canvas, None, CompletionInfo::MAX_VALUES, now).await?;
                let ids = changes.entries.iter().filter_map(Entry::document_ids);
                ids.map(|(_, after)| after.to_string()).collect()
            }
            (PastUri::VERSION, "label") => {
                let versions = self.engine.versions(&canvas, now).await?.into_iter().rev();
                versions
                    .filter(|version| !version.is_erased())
                    .map(|version| version.label.to_string())
                    .collect()
            }
            _ => Vec::new(),
        };
        Ok(values.into_iter().filter(|value| value.starts_with(begun.as_str())).collect())
    }
}
