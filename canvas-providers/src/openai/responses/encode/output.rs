//! Outputs of calls, each in the form that its call requires.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;

use super::super::item::{Kind, text};
use super::super::wire::{Content, Made, Part};
use crate::encoded::Degradations;
use crate::event::{Image, ToolResult};
use crate::history::reply_text;
use crate::native::NativeTool;

/// The expected form of each output.
#[derive(Debug)]
pub(super) struct Outputs {
    /// The tool whose replies are sent in the words of its dialect.
    native: Option<NativeTool>,
    /// Kind and caller of each of the provider's own calls, by call id. All other calls are functions called directly
    /// by the model.
    expected: BTreeMap<String, (Kind, Option<Value>)>,
}

impl Outputs {
    pub(super) fn new(native: Option<NativeTool>) -> Self {
        Self { native, expected: BTreeMap::new() }
    }

    /// Records one of the provider's own calls.
    pub(super) fn expect(&mut self, call_id: &str, call: &Value) {
        let caller = call.get("caller").filter(|caller| caller.is_object()).cloned();
        self.expected.insert(call_id.to_owned(), (Kind::of(text(call, "type")), caller));
    }

    /// Builds the output of a call. Only the output of a patch has a field that tells whether the call failed.
    pub(super) fn answer(
        &mut self,
        result: &ToolResult,
        call_id: &str,
        at: usize,
        degradations: &mut Degradations,
    ) -> Value {
        let (kind, caller) = self.expected.remove(call_id).unwrap_or((Kind::FunctionCall, None));
        let is_error = result.is_error();
        let native = if kind == Kind::PatchCall { Some(NativeTool::ApplyPatch) } else { self.native };
        let text = reply_text(result, native);
        if kind == Kind::PatchCall {
            if !result.images.is_empty() {
                degradations.add_event(at, "image", "left out: a patch is answered with text alone");
            }
            let status = if is_error { "failed" } else { "completed" };
            return Made::ApplyPatchCallOutput { call_id, status, output: text, caller }.into_value();
        }
        if is_error {
            degradations.add_event(at, "is_error", "told in the text: this provider has no word for it");
        }
        let output = content(text, &result.images);
        match kind {
            Kind::CustomCall => Made::CustomToolCallOutput { call_id, output, caller },
            _ => Made::FunctionCallOutput { call_id, output, caller },
        }
        .into_value()
    }
}

fn content<'a>(text: Cow<'a, str>, images: &[Image]) -> Content<'a> {
    if images.is_empty() {
        return Content::Text(text);
    }
    let text = (!text.is_empty()).then_some(Part::InputText { text });
    let images = images.iter().map(|Image { media_type, data }| Part::InputImage {
        image_url: format!("data:{media_type};base64,{data}"),
        detail: "auto",
    });
    Content::Parts(text.into_iter().chain(images).collect())
}
