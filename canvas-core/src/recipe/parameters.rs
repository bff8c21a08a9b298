//! Parameters of a step, which are JSON with some values that each replay determines again.

use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::model::json_pointer::join_pointer;
use crate::model::wording::{NAME, clip};
use crate::recipe::date_math::parameter::DateParameter;
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::name::StepId;
use crate::recipe::pointer::JsonPointer;
use crate::recipe::reader::{Object, Reader};
use crate::surface::state::value::json_bytes;
use crate::zone::Zone;

/// Parsed parameters.
///
/// Four kinds of objects represent other values. These are `{"$date": EXPR, "as"?}`, `{"$result": {"step", "path"}}`,
/// `{"$literal": VALUE}` and `{"$frozen": REASON, "value"}`. The last kind keeps its value, and a step that has one is
/// not called again.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters(Node);

#[derive(Debug, Clone, PartialEq)]
enum Node {
    /// A value that contains no such object.
    Plain(Value),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
    Date(DateParameter),
    Result(ResultParameter),
    Frozen {
        reason: String,
        value: Value,
    },
}

/// A reference to a part of an earlier step's response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResultParameter {
    pub(super) step: StepId,
    path: JsonPointer,
}

const RESULT: &str = "$result";
const LITERAL: &str = "$literal";
const FROZEN: &str = "$frozen";
const NAMES: [&str; 4] = [DateParameter::KEY, RESULT, LITERAL, FROZEN];

impl Parameters {
    /// Maximum bytes of the reason for a frozen value.
    pub const REASON_BYTES: usize = 2_000;

    /// Parses parameters. They may be nested as deep as a JSON reader allows.
    ///
    /// # Errors
    ///
    /// Returns each fault with its place in the parameters. The code is `RECIPE_INVALID`, or `EXPR_INVALID` for a time
    /// expression.
    pub fn parse(json: &Value) -> Result<Self, Vec<RecipeFault>> {
        let mut reader = Reader::default();
        let node = reader.node(json, "");
        reader.finish(node).map(Self)
    }

    /// Resolves the parameters at `now` in a zone, with the responses of earlier steps by their ids. `bytes` is the
    /// maximum size of the result.
    ///
    /// # Errors
    ///
    /// The fault has the place in the parameters. The code is `MAPPING_FAILED` if a response is missing or has no value
    /// at the path, or if the result is too large. The code is `EXPR_INVALID` if a time expression leaves the years 1
    /// to 9999.
    pub fn resolve(
        &self,
        (now, zone): (Timestamp, &Zone),
        responses: &BTreeMap<StepId, Value>,
        bytes: usize,
    ) -> Result<Value, RecipeFault> {
        let mut scope = Scope { now, zone, responses, limit: bytes, copied: 0 };
        let value = scope.resolve(&self.0, "")?;
        scope.check(json_bytes(&value), "")?;
        Ok(value)
    }

    /// Returns the reason why the step is not called again, or `None` if it is called.
    pub fn frozen(&self) -> Option<&str> {
        fn find(node: &Node) -> Option<&str> {
            match node {
                Node::Frozen { reason, .. } => Some(reason),
                Node::List(items) => items.iter().find_map(find),
                Node::Object(members) => members.iter().find_map(|(_, member)| find(member)),
                Node::Plain(_) | Node::Date(_) | Node::Result(_) => None,
            }
        }
        find(&self.0)
    }

    /// Returns whether the parameters are the same in each replay.
    pub fn is_constant(&self) -> bool {
        matches!(self.0, Node::Plain(_))
    }

    /// Returns the references to earlier responses, with their places.
    pub(super) fn results(&self) -> Vec<(String, &ResultParameter)> {
        fn collect<'n>(node: &'n Node, place: &str, all: &mut Vec<(String, &'n ResultParameter)>) {
            match node {
                Node::Result(result) => all.push((place.to_owned(), result)),
                Node::List(items) => {
                    items
                        .iter()
                        .enumerate()
                        .for_each(|(at, item)| collect(item, &format!("{place}/{at}"), all));
                }
                Node::Object(members) => {
                    members
                        .iter()
                        .for_each(|(name, member)| collect(member, &join_pointer(place, name), all));
                }
                Node::Plain(_) | Node::Date(_) | Node::Frozen { .. } => {}
            }
        }
        let mut all = Vec::new();
        collect(&self.0, "", &mut all);
        all
    }
}

/// Inputs for the resolution of parameters.
struct Scope<'a> {
    now: Timestamp,
    zone: &'a Zone,
    responses: &'a BTreeMap<StepId, Value>,
    limit: usize,
    /// Bytes copied from responses so far.
    copied: usize,
}

impl Scope<'_> {
    fn resolve(&mut self, node: &Node, place: &str) -> Result<Value, RecipeFault> {
        match node {
            Node::Plain(value) | Node::Frozen { value, .. } => Ok(value.clone()),
            Node::List(items) => {
                let items = items.iter().enumerate();
                items.map(|(at, item)| self.resolve(item, &format!("{place}/{at}"))).collect()
            }
            Node::Object(members) => {
                let resolve = |(name, member): &(String, Node)| {
                    Ok((name.clone(), self.resolve(member, &join_pointer(place, name))?))
                };
                members.iter().map(resolve).collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            Node::Date(date) => date
                .eval(self.now, self.zone)
                .map_err(|error| RecipeFault::new(place, RecipeCode::ExprInvalid, error.to_string())),
            Node::Result(result) => self.copy(result, place),
        }
    }

    fn copy(&mut self, result: &ResultParameter, place: &str) -> Result<Value, RecipeFault> {
        let ResultParameter { step, path } = result;
        let found = self.responses.get(step).and_then(|response| path.of(response));
        let Some(value) = found else {
            let step = clip(step.as_str(), NAME);
            let message = format!("the response of {step} has nothing at \"{path}\": record the recipe anew");
            return Err(RecipeFault::new(place, RecipeCode::MappingFailed, message));
        };
        // Counted before the copy, because a short recipe may refer to a large response many times.
        self.copied = self.copied.saturating_add(json_bytes(value));
        self.check(self.copied, place)?;
        Ok(value.clone())
    }

    fn check(&self, bytes: usize, place: &str) -> Result<(), RecipeFault> {
        let limit = self.limit;
        if bytes <= limit {
            return Ok(());
        }
        let message =
            format!("the arguments have more than {limit} bytes: send less of the earlier response");
        Err(RecipeFault::new(place, RecipeCode::MappingFailed, message))
    }
}

impl Reader {
    fn node(&mut self, json: &Value, place: &str) -> Option<Node> {
        match json {
            Value::Array(items) => {
                let nodes = self.all(items, place, Self::node)?;
                let plain: Option<Vec<_>> = nodes.iter().map(|node| node.plain().cloned()).collect();
                Some(plain.map_or_else(|| Node::List(nodes), |items| Node::Plain(Value::Array(items))))
            }
            Value::Object(members) => self.members_or_placeholder(members, place),
            scalar => Some(Node::Plain(scalar.clone())),
        }
    }

    fn members_or_placeholder(&mut self, members: &Object, place: &str) -> Option<Node> {
        let mut marks = members.keys().filter(|name| name.starts_with('$'));
        match (marks.next().map(String::as_str), marks.next()) {
            (Some(DateParameter::KEY), None) => match DateParameter::parse(members) {
                Ok(date) => return Some(Node::Date(date)),
                Err(faults) => return self.note_all(faults, place),
            },
            (Some(RESULT), None) => return self.result(members, place).map(Node::Result),
            (Some(LITERAL), None) => {
                self.only(members, place, &[LITERAL]);
                return Some(Node::Plain(members[LITERAL].clone()));
            }
            (Some(FROZEN), None) => return self.frozen(members, place),
            (Some(_), _) => {
                let message = format!(
                    "names with $ are for {}, one in an object: put the value into $literal",
                    NAMES.join(", ")
                );
                return self.note(place, message);
            }
            (None, _) => {}
        }
        let nodes: Vec<_> = members
            .iter()
            .map(|(name, member)| Some((name.clone(), self.node(member, &join_pointer(place, name))?)))
            .collect();
        let nodes = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        let plain = nodes.iter().map(|(name, node)| Some((name.clone(), node.plain()?.clone())));
        let plain: Option<Map<_, _>> = plain.collect();
        Some(plain.map_or_else(|| Node::Object(nodes), |members| Node::Plain(Value::Object(members))))
    }

    fn result(&mut self, members: &Object, place: &str) -> Option<ResultParameter> {
        self.only(members, place, &[RESULT]);
        let place = join_pointer(place, RESULT);
        let result = self.object(&members[RESULT], &place)?;
        self.only(result, &place, &["step", "path"]);
        let id = self.step_id(result, &place, "step");
        let path = match result.get("path") {
            None => Some(JsonPointer::default()),
            Some(path) => self.pointer(path, &join_pointer(&place, "path")),
        };
        Some(ResultParameter { step: id?, path: path? })
    }

    /// Reads the id of a step from a member.
    pub(super) fn step_id(&mut self, object: &Object, place: &str, name: &str) -> Option<StepId> {
        let id = object.get(name).map(StepId::deserialize);
        match id {
            Some(Ok(id)) => Some(id),
            _ => self.note(
                &join_pointer(place, name),
                format!("{name} is not the id of a step: give one, a text of 1 to 512 bytes"),
            ),
        }
    }

    fn frozen(&mut self, members: &Object, place: &str) -> Option<Node> {
        self.only(members, place, &[FROZEN, "value"]);
        let reason = match &members[FROZEN] {
            Value::String(reason) if (1..=Parameters::REASON_BYTES).contains(&reason.len()) => {
                Some(reason.clone())
            }
            _ => {
                let most = Parameters::REASON_BYTES;
                self.note(
                    &join_pointer(place, FROZEN),
                    format!("$frozen is not a reason of 1 to {most} bytes: write one"),
                )
            }
        };
        let value = match members.get("value") {
            Some(value) => Some(value.clone()),
            None => self.note(place, "value is missing: add the argument that was sent"),
        };
        Some(Node::Frozen { reason: reason?, value: value? })
    }
}

impl Node {
    const fn plain(&self) -> Option<&Value> {
        match self {
            Self::Plain(value) => Some(value),
            _ => None,
        }
    }
}
