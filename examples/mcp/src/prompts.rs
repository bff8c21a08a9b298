//! Prompts: what people choose in their client. Each begins the model's turn, but the one that takes control.

use canvas_core::CanvasId;
use rmcp::model::{
    ContentBlock, ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role,
};
use serde_json::Value;

use crate::conversation::Shared;
use crate::host::Host;
use crate::promote::Ending;
use crate::toolbox::Toolbox;

/// Name, title, description, and the name and description of the argument beside the canvas.
type Row = (&'static str, &'static str, &'static str, Option<(&'static str, &'static str)>);

const PROMPTS: [Row; 3] = [
    (
        "edit-document",
        "Edit the document",
        "Have the model edit the document.",
        Some(("task", "What to do with it.")),
    ),
    (
        "tidy-board",
        "Tidy the board",
        "Have the model arrange the components of the board.",
        Some(("goal", "What the board is for, or how it should look.")),
    ),
    (
        "take-control",
        "Take control",
        "Stop the model's work on the canvas. It may not begin again until you ask for something.",
        None,
    ),
];

/// The prompts as clients list them.
pub(crate) fn prompts(are_several: bool) -> Vec<Prompt> {
    let prompt = |(name, title, description, own): Row| {
        let canvas = match are_several {
            true => PromptArgument::new("document").with_description("The document, by its name."),
            false => PromptArgument::new("canvas").with_description("The canvas; the usual one if left out."),
        };
        let own =
            own.map(|(name, text)| PromptArgument::new(name).with_description(text).with_required(false));
        let arguments = own.into_iter().chain([canvas.with_required(are_several)]).collect();
        Prompt::new(name, Some(description), Some(arguments)).with_title(title)
    };
    PROMPTS.map(prompt).into()
}

impl Host {
    /// A prompt's messages, with what its choice means for the turn.
    pub(crate) async fn prompt(
        &self,
        shared: &Shared,
        toolbox: &Toolbox,
        name: &str,
        arguments: &JsonObject,
    ) -> Result<GetPromptResult, ErrorData> {
        let Some((_, _, description, own)) = PROMPTS.iter().find(|(known, ..)| *known == name) else {
            let message = format!("there is no prompt {name:?}: take one that prompts/list names");
            return Err(ErrorData::invalid_params(message, None));
        };
        let text =
            |name: &str| arguments.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let invalid = |error: Value| {
            let message = error["message"].as_str().unwrap_or("the canvas is not there").to_owned();
            ErrorData::invalid_params(message, Some(error))
        };
        let mut named: JsonObject = ["document", "canvas"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), text(name)?.into())))
            .collect();
        let canvas = self.take_canvas(&mut named).await.map_err(invalid)?;
        self.look(&canvas).await.map_err(|error| invalid(error.to_json()))?;
        let what = match self.files.of(&canvas) {
            Some(file) => file.label.clone(),
            None => format!("the document of canvas {canvas}"),
        };
        let wish = own.and_then(|(name, _)| text(name));
        let messages = if name == "take-control" {
            self.end_models_turn(&canvas).await.map_err(invalid)?;
            let said = "I have taken control of the canvas. Do not change it until I ask you to.";
            vec![PromptMessage::new_text(Role::User, said)]
        } else {
            let hidden = self.begin_turn(shared, &canvas).await.map_err(invalid)?;
            let task = match (name, wish) {
                ("edit-document", Some(task)) => format!("Edit {what}: {task}"),
                ("edit-document", None) => {
                    format!("Read {what} and ask me what to do.")
                }
                (_, Some(goal)) => format!("Arrange the board of canvas {canvas}: {goal}"),
                (_, None) => {
                    format!(
                        "Look at the board of canvas {canvas} and arrange it so that what belongs together stands together."
                    )
                }
            };
            let how = self.system_prompt(toolbox);
            let blocks = [Some(how), hidden, Some(task)].into_iter().flatten();
            blocks.map(|text| PromptMessage::new(Role::User, ContentBlock::text(text))).collect()
        };
        Ok(GetPromptResult::new(messages).with_description(*description))
    }

    /// A person asks for something: the next turn begins. Tells what the model does not know yet.
    async fn begin_turn(&self, shared: &Shared, canvas: &CanvasId) -> Result<Option<String>, Value> {
        let mut conversation = shared.lock().await;
        let seat = conversation.seat(canvas, None);
        let snapshot = self.seen_by(seat).await.map_err(|error| crate::refusal::engine_json(&error))?;
        seat.follow(&snapshot);
        let begun = self.promote(canvas, Ending::Begin(&mut seat.session)).await;
        let begun = begun.map_err(|error| error.to_json())?;
        if let Ok(after) = self.seen_by(seat).await {
            seat.told = Some(crate::conversation::Told::of(&after));
        }
        Ok(begun.hidden)
    }
}
