//! Completing the ids of canvases, and the names of documents.

use canvas_core::CodedError as _;
use canvas_core::store::Store as _;
use rmcp::model::{CompleteRequestParams, CompletionInfo, ErrorData, Reference};

use crate::conformance;
use crate::host::Host;
use crate::prompts::prompts;
use crate::resources::templates;

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
        let mut values: Vec<String> = Vec::new();
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
}
