//! Parses directives.

use canvas_core::{BlobId, ParseRevisionIdError, RevisionId};
use serde_json::{Map, Value, json};

use super::action::Action;
use super::failure::{DirectiveError, DirectiveFault};
use super::range::{CharRange, Fingerprint};
use super::schema::{DirectiveJson, FIELDS, VERSION_NAMES};
use super::target::{Location, Target};
use crate::arguments::{pointer_key, read};
use crate::reply::shorten;

/// Maximum size of a diff, in bytes. A larger change needs several directives.
pub const MAX_DIFF_BYTES: usize = 1 << 20;

/// Maximum bytes of content in an insertion, replacement or annotation.
pub const MAX_CONTENT_BYTES: usize = 4 << 20;

/// Maximum bytes of a rationale, which is meant for people.
pub const MAX_RATIONALE_BYTES: usize = 4 << 10;

/// A directive that passed every check that does not need the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    pub(crate) edit: Edit,
    rationale: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Edit {
    Insert {
        target: Target,
        content: String,
    },
    Replace {
        target: Target,
        content: String,
    },
    Annotate {
        target: Target,
        content: String,
    },
    /// Only a patch has to name a version.
    Patch {
        diff: String,
        version: RevisionId,
    },
}

impl Directive {
    /// Parses a directive.
    ///
    /// `document_version` may also be called `snapshot_version`, `version` or `document_digest`; if several are
    /// present, they must be equal. `target_range` is `[start, end]` or `{"start", "end"}`, in characters, half-open.
    /// `target` may take its place. This is an [`Address`](canvas_core::text::Address), such as `{"section": ["Aims"]}`,
    /// which is resolved in the text that the directive is applied to. A field that is null counts as absent.
    ///
    /// An address names whole lines. `replace` puts the content in their place, and `insert` below them, as lines of
    /// their own that end like the lines around them. In a quote or list item, the content brings its own markers and
    /// indentation. The address of a cell of a table names its text, which can be replaced by text without line ends.
    ///
    /// ```
    /// use canvas_core::CodedError as _;
    /// use canvas_tools::directive::{Action, Directive};
    /// use serde_json::json;
    ///
    /// let directive = json!({"action": "replace", "content": "two", "target_range": [2, 5]});
    /// assert_eq!(Directive::parse(&directive)?.action(), Action::Replace);
    ///
    /// let named = json!({"action": "insert", "content": "- salt", "target": {"section": ["Aims"], "item": 2}});
    /// assert_eq!(Directive::parse(&named)?.to_json(), named);
    ///
    /// let mixed = json!({"action": "patch", "diff": "@@\n-a\n+b\n", "content": "b", "version": "r1-3fa94c02"});
    /// let refused = Directive::parse(&mixed).unwrap_err();
    /// assert_eq!((refused.code(), refused.reason()), ("INVALID_DIRECTIVE", Some("FORBIDDEN_FIELD")));
    /// assert_eq!(refused.place().as_deref(), Some("/content"));
    /// # Ok::<(), canvas_tools::directive::DirectiveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DirectiveError::Invalid`] with the place of the first fault.
    pub fn parse(value: &Value) -> Result<Self, DirectiveError> {
        let Value::Object(fields) = value else {
            return Err(invalid(
                DirectiveFault::NotAnObject,
                "",
                "the directive is not a JSON object: pass it as one",
            ));
        };
        if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            let place = shorten(&pointer_key(unknown)).into_owned();
            let known = FIELDS.join(", ");
            return Err(invalid(
                DirectiveFault::UnknownField,
                &place,
                format!("leave it out: the fields are {known}"),
            ));
        }
        for (name, limit) in [
            ("diff", MAX_DIFF_BYTES),
            ("content", MAX_CONTENT_BYTES),
            ("rationale", MAX_RATIONALE_BYTES),
            ("selection_fingerprint", 128),
        ] {
            let bytes = fields.get(name).and_then(Value::as_str).map_or(0, str::len);
            if bytes > limit {
                let message = format!("it has {bytes} bytes, the limit is {limit}: send less at a time");
                return Err(invalid(DirectiveFault::TooLarge, &format!("/{name}"), message));
            }
        }
        if fields.get("action").is_none_or(Value::is_null) {
            return Err(absent(fields, "action", "pass insert, replace, annotate or patch"));
        }
        let json: DirectiveJson = read(value).map_err(|fault| {
            invalid(DirectiveFault::BadValue, &shorten(fault.place()), fault.message(&[]))
        })?;
        let version = version(fields)?;
        let DirectiveJson {
            action,
            content,
            target,
            target_range,
            diff,
            selection_fingerprint,
            rationale,
            ..
        } = json;
        let edit = if action == Action::Patch {
            let forbidden = [
                ("content", content.is_some()),
                ("target", target.is_some()),
                ("target_range", target_range.is_some()),
                ("selection_fingerprint", selection_fingerprint.is_some()),
            ];
            forbid(&forbidden, "leave it out: a patch says what and where by its diff")?;
            let diff = diff.filter(|diff| !diff.trim().is_empty()).ok_or_else(|| {
                let what = "pass a unified diff with at least one hunk that begins with @@";
                absent(fields, "diff", what)
            })?;
            let version = version.ok_or_else(|| {
                let what = "pass the document_version of the snapshot that the diff was written for";
                absent(fields, "document_version", what)
            })?;
            Edit::Patch { diff, version }
        } else {
            let only = "leave it out, or pass the action \"patch\" with document_version and without content";
            forbid(&[("diff", diff.is_some())], only)?;
            let content =
                content.ok_or_else(|| absent(fields, "content", "pass the text to put in, or to note"))?;
            let location = match (target, target_range) {
                (Some(address), None) => Location::Address(address),
                (None, Some(range)) => Location::Range(range_of(&range)?),
                (target, _) => {
                    forbid(&[("target", target.is_some())], "leave it out, or leave target_range out")?;
                    let what = "pass [start, end] in characters of the document, or an address as target";
                    return Err(absent(fields, "target_range", what));
                }
            };
            let fingerprint = selection_fingerprint.as_deref().map(Fingerprint::given);
            in_place(action, Target { location, fingerprint, version }, content)?
        };
        Ok(Self { edit, rationale })
    }

    /// Creates a directive that applies a diff, for hosts and tests that make their own.
    ///
    /// # Errors
    ///
    /// Same as [`Directive::parse`], if the diff is empty, or the diff or rationale is too large.
    pub fn patch(diff: &str, version: RevisionId, rationale: Option<&str>) -> Result<Self, DirectiveError> {
        let version = version.to_string();
        Self::parse(&json!({
            "action": Action::Patch,
            "diff": diff,
            "document_version": version,
            "rationale": rationale,
        }))
    }

    /// Returns the directive's action.
    pub const fn action(&self) -> Action {
        match &self.edit {
            Edit::Insert { .. } => Action::Insert,
            Edit::Replace { .. } => Action::Replace,
            Edit::Annotate { .. } => Action::Annotate,
            Edit::Patch { .. } => Action::Patch,
        }
    }

    /// Returns the document version that the directive was made for, if it names one.
    pub const fn version(&self) -> Option<RevisionId> {
        match &self.edit {
            Edit::Insert { target, .. } | Edit::Replace { target, .. } | Edit::Annotate { target, .. } => {
                target.version
            }
            Edit::Patch { version, .. } => Some(*version),
        }
    }

    /// Returns the author's reason for the edit, if the directive has one.
    pub fn rationale(&self) -> Option<&str> {
        self.rationale.as_deref()
    }

    /// Returns the directive as JSON in its normal form, with `document_version` and with a range as a pair.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        let mut set = |name: &str, value: Value| {
            if !value.is_null() {
                fields.insert(name.into(), value);
            }
        };
        set("action", json!(self.action()));
        match &self.edit {
            Edit::Insert { target, content }
            | Edit::Replace { target, content }
            | Edit::Annotate { target, content } => {
                set("content", json!(content));
                match &target.location {
                    Location::Range(range) => set("target_range", json!([range.start(), range.end()])),
                    Location::Address(address) => set("target", json!(address)),
                }
                set("selection_fingerprint", json!(target.fingerprint));
            }
            Edit::Patch { diff, .. } => set("diff", json!(diff)),
        }
        set("document_version", json!(self.version()));
        set("rationale", json!(self.rationale));
        Value::Object(fields)
    }

    /// Returns the hash of the normal form, which identifies a retry.
    pub(crate) fn digest(&self) -> BlobId {
        BlobId::of(self.to_json().to_string().as_bytes())
    }
}

fn in_place(action: Action, target: Target, content: String) -> Result<Edit, DirectiveError> {
    if content.is_empty() && action != Action::Replace {
        let message = "it is empty: pass some text; to remove text, replace it with an empty content";
        return Err(invalid(DirectiveFault::EmptyField, "/content", message));
    }
    target.location.check(action)?;
    Ok(match action {
        Action::Insert => Edit::Insert { target, content },
        Action::Annotate => Edit::Annotate { target, content },
        Action::Replace | Action::Patch => Edit::Replace { target, content },
    })
}

fn version(fields: &Map<String, Value>) -> Result<Option<RevisionId>, DirectiveError> {
    let mut found: Option<(&str, RevisionId)> = None;
    for name in VERSION_NAMES {
        let Some(text) = fields.get(name).and_then(Value::as_str) else { continue };
        let place = format!("/{name}");
        let version: RevisionId = text.parse().map_err(|_: ParseRevisionIdError| {
            let message =
                "the version is not of the form r12-3fa94c02: pass the document_version of the last snapshot";
            invalid(DirectiveFault::BadVersion, &place, message)
        })?;
        match found {
            Some((other, first)) if first != version => {
                let message = format!("it differs from {other}: pass one version, as document_version");
                return Err(invalid(DirectiveFault::VersionsDiffer, &place, message));
            }
            Some(_) => {}
            None => found = Some((name, version)),
        }
    }
    Ok(found.map(|(_, version)| version))
}

fn range_of(value: &Value) -> Result<CharRange, DirectiveError> {
    let (start, end) = match value {
        Value::Array(pair) if pair.len() == 2 => {
            (offset(pair.first(), "/target_range/0")?, offset(pair.get(1), "/target_range/1")?)
        }
        Value::Object(named) => {
            if let Some(name) = named.keys().find(|name| !["start", "end"].contains(&name.as_str())) {
                let place = format!("/target_range{}", shorten(&pointer_key(name)));
                return Err(invalid(
                    DirectiveFault::UnknownField,
                    &place,
                    "leave it out: a range has start and end",
                ));
            }
            let (start, end) = (named.get("start"), named.get("end"));
            (offset(start, "/target_range/start")?, offset(end, "/target_range/end")?)
        }
        _ => return Err(bad_range("/target_range")),
    };
    CharRange::new(start, end).map_err(|_| bad_range("/target_range"))
}

fn offset(value: Option<&Value>, place: &str) -> Result<usize, DirectiveError> {
    let number = value.and_then(Value::as_u64).ok_or_else(|| bad_range(place))?;
    Ok(usize::try_from(number).unwrap_or(usize::MAX))
}

fn bad_range(place: &str) -> DirectiveError {
    let message = "pass [start, end], two whole numbers of characters from 0, start not after end";
    invalid(DirectiveFault::BadRange, place, message)
}

fn forbid(fields: &[(&str, bool)], message: &str) -> Result<(), DirectiveError> {
    match fields.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(invalid(DirectiveFault::ForbiddenField, &format!("/{name}"), message)),
        None => Ok(()),
    }
}

/// Builds the error for a required field that is absent, null or empty.
fn absent(fields: &Map<String, Value>, name: &str, message: &str) -> DirectiveError {
    let is_there = fields.get(name).is_some_and(|value| !value.is_null());
    let fault = if is_there { DirectiveFault::EmptyField } else { DirectiveFault::MissingField };
    invalid(fault, &format!("/{name}"), message)
}

fn invalid(fault: DirectiveFault, place: &str, message: impl Into<String>) -> DirectiveError {
    DirectiveError::Invalid { fault, place: place.into(), message: message.into() }
}
