//! Parsing of operations, which collects all of their faults.

use std::collections::BTreeMap;

use serde_json::Value;

use super::limits::{MEMBERS, NAME_BYTES, OPERATIONS, SORT_KEYS};
use super::typed::{
    Aggregate, Computed, Filter, Function, Limit, Operand, Operation, Select, Sort, SortDirection, SortKey,
};
use crate::model::json_pointer::join_pointer;
use crate::model::wording::{NAME, clip};
use crate::recipe::date_math::parameter::DateParameter;
use crate::recipe::error::RecipeFault;
use crate::recipe::pointer::JsonPointer;
use crate::recipe::reader::{Object, Reader};

pub(super) fn parse(list: &Value) -> Result<Vec<Operation>, Vec<RecipeFault>> {
    let mut reader = Reader::default();
    let operations = reader.operations(list);
    reader.finish(operations)
}

impl Reader {
    fn operations(&mut self, list: &Value) -> Option<Vec<Operation>> {
        let Value::Array(list) = list else { return self.note("", "operations are not a list: send one") };
        if list.len() > OPERATIONS {
            let message = format!("these are {} operations, allowed are {}", list.len(), OPERATIONS);
            return self.note("", format!("{message}: join or drop some"));
        }
        self.all(list, "", Self::operation)
    }

    fn operation(&mut self, value: &Value, place: &str) -> Option<Operation> {
        const NAMES: &str = "filter, sort, limit, select and aggregate";
        let object = self.object(value, place)?;
        let name = match object.get("op") {
            Some(Value::String(name)) => name.as_str(),
            _ => return self.note(place, format!("op is missing or not a text: add one of {NAMES}")),
        };
        match name {
            "filter" => {
                self.only(object, place, &["op", "path", "cmp", "value"]);
                let (path, cmp) = (self.path(object, place), self.word(object, place, "cmp", COMPARISONS));
                let value = self.operand(object, place);
                Some(Operation::Filter(Filter { path: path?, cmp: cmp?, value: value? }))
            }
            "sort" => {
                self.only(object, place, &["op", "by"]);
                let place = format!("{place}/by");
                match object.get("by") {
                    Some(Value::Array(keys)) if (1..=SORT_KEYS).contains(&keys.len()) => {
                        let by = self.all(keys, &place, Self::sort_key)?;
                        Some(Operation::Sort(Sort { by }))
                    }
                    _ => self.note(&place, format!("by is not a list of 1 to {SORT_KEYS} keys: send one")),
                }
            }
            "limit" => {
                self.only(object, place, &["op", "count"]);
                match object.get("count").and_then(Value::as_u64) {
                    Some(count) => Some(Operation::Limit(Limit { count })),
                    None => {
                        self.note(&format!("{place}/count"), "count is not a whole number from 0: send one")
                    }
                }
            }
            "select" => {
                self.only(object, place, &["op", "fields"]);
                let fields = self.members(object, place, "fields", Self::pointer)?;
                if fields.is_empty() {
                    return self.note(&format!("{place}/fields"), "fields are empty: name at least one");
                }
                Some(Operation::Select(Select { fields }))
            }
            "aggregate" => self.aggregate(object, place),
            other => {
                let other = clip(other, NAME);
                let message = format!("there is no operation \"{other}\": use one of {NAMES}");
                self.note(&format!("{place}/op"), message)
            }
        }
    }

    fn aggregate(&mut self, object: &Object, place: &str) -> Option<Operation> {
        self.only(object, place, &["op", "by", "values"]);
        let by = self.members(object, place, "by", Self::pointer);
        let values = self.members(object, place, "values", Self::computed);
        let (by, values) = (by?, values?);
        if by.is_empty() && values.is_empty() {
            return self
                .note(place, "by and values are both empty: name something to group by or to compute");
        }
        if let Some(name) = by.keys().find(|name| values.contains_key(*name)) {
            let message = "by has a member of the same name: give it another one";
            return self.note(&join_pointer(&format!("{place}/values"), name), message);
        }
        Some(Operation::Aggregate(Aggregate { by, values }))
    }

    fn sort_key(&mut self, value: &Value, place: &str) -> Option<SortKey> {
        let object = self.object(value, place)?;
        self.only(object, place, &["path", "dir"]);
        let path = self.path(object, place);
        let dir = match object.get("dir") {
            None => Some(SortDirection::default()),
            Some(_) => self.word(object, place, "dir", "asc and desc"),
        };
        Some(SortKey { path: path?, dir: dir? })
    }

    fn computed(&mut self, value: &Value, place: &str) -> Option<Computed> {
        let object = self.object(value, place)?;
        self.only(object, place, &["fn", "path"]);
        let function = self.word(object, place, "fn", FUNCTIONS);
        let path = match (object.get("path"), function) {
            (None, Some(Function::Count)) => Some(JsonPointer::default()),
            _ => self.path(object, place),
        };
        Some(Computed { function: function?, path: path? })
    }

    fn operand(&mut self, object: &Object, place: &str) -> Option<Operand> {
        let place = format!("{place}/value");
        match object.get("value") {
            None => self.note(&place, "value is missing: add what rows are compared with"),
            Some(Value::Object(date)) if date.contains_key(DateParameter::KEY) => {
                match DateParameter::parse(date) {
                    Ok(date) => Some(Operand::Date(date)),
                    Err(faults) => self.note_all(faults, &place),
                }
            }
            Some(Value::Object(quoted)) if quoted.contains_key(Operand::LITERAL) => {
                self.only(quoted, &place, &[Operand::LITERAL]);
                Some(Operand::Quoted { value: quoted[Operand::LITERAL].clone() })
            }
            Some(plain) if has_placeholder(plain) => {
                let message = "names with $ are for $date and $literal, alone: put the value into $literal";
                self.note(&place, message)
            }
            Some(plain) => Some(Operand::Plain(plain.clone())),
        }
    }

    /// Parses the members of a row by name. Returns an empty map if there is no such object.
    fn members<T>(
        &mut self,
        object: &Object,
        place: &str,
        name: &str,
        read: fn(&mut Self, &Value, &str) -> Option<T>,
    ) -> Option<BTreeMap<String, T>> {
        let place = format!("{place}/{name}");
        let Some(members) = object.get(name) else { return Some(BTreeMap::new()) };
        let members = self.object(members, &place)?;
        if members.len() > MEMBERS {
            return self.note(&place, format!("a row has more than {MEMBERS} members: name fewer"));
        }
        let mut all = Some(BTreeMap::new());
        for (name, member) in members {
            if name.len() > NAME_BYTES {
                all =
                    self.note(&place, format!("a name has more than {NAME_BYTES} bytes: give a shorter one"));
                continue;
            }
            let member = read(self, member, &join_pointer(&place, name));
            all = all.zip(member).map(|(mut all, member)| {
                all.insert(name.clone(), member);
                all
            });
        }
        all
    }

    fn path(&mut self, object: &Object, place: &str) -> Option<JsonPointer> {
        self.pointer(object.get("path").unwrap_or(&Value::Null), &format!("{place}/path"))
    }
}

const COMPARISONS: &str = "eq, ne, lt, le, gt and ge";
const FUNCTIONS: &str = "count, sum, min, max, avg, first, last and distinct";

fn has_placeholder(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_placeholder),
        Value::Object(members) => {
            members.iter().any(|(name, member)| name.starts_with('$') || has_placeholder(member))
        }
        _ => false,
    }
}
