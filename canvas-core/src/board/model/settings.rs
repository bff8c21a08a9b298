//! An update of some workspace settings, as a command makes it.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::grid::GridConfig;
use super::phrase::quoted;
use super::workspace::{ProactiveMode, Theme, WorkspaceSettings};
use crate::model::json_pointer::join_pointer;

/// Settings of a workspace to change. Settings left out keep their values.
///
/// JSON is refused if it has an unknown field, `null`, or a value that the setting cannot have. The error carries the
/// place as a JSON Pointer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsUpdate {
    /// The host's colours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Theme")]
    pub theme: Option<Theme>,
    /// Whether the host speaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub voice_enabled: Option<bool>,
    /// Milliseconds, at most 2^53 - 1. Existing bindings keep their interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "u64")]
    pub default_refresh_interval: Option<u64>,
    /// For canvases that the host creates; the existing canvas keeps its own. Replaced whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "GridConfig")]
    pub grid: Option<GridConfig>,
    /// Decides how [`due`](crate::board::due) treats triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "ProactiveMode")]
    pub proactive_mode: Option<ProactiveMode>,
}

impl SettingsUpdate {
    /// Returns the settings in `settings` that differ from `other`.
    pub(crate) fn differing(settings: &WorkspaceSettings, other: &WorkspaceSettings) -> Self {
        let WorkspaceSettings { theme, voice_enabled, default_refresh_interval, grid, proactive_mode } =
            *settings;
        Self {
            theme: (theme != other.theme).then_some(theme),
            voice_enabled: (voice_enabled != other.voice_enabled).then_some(voice_enabled),
            default_refresh_interval: (default_refresh_interval != other.default_refresh_interval)
                .then_some(default_refresh_interval),
            grid: (grid != other.grid).then_some(grid),
            proactive_mode: (proactive_mode != other.proactive_mode).then_some(proactive_mode),
        }
    }

    /// Returns the settings with this update applied.
    pub(crate) fn set_in(&self, settings: &WorkspaceSettings) -> WorkspaceSettings {
        WorkspaceSettings {
            theme: self.theme.unwrap_or(settings.theme),
            voice_enabled: self.voice_enabled.unwrap_or(settings.voice_enabled),
            default_refresh_interval: self
                .default_refresh_interval
                .unwrap_or(settings.default_refresh_interval),
            grid: self.grid.unwrap_or(settings.grid),
            proactive_mode: self.proactive_mode.unwrap_or(settings.proactive_mode),
        }
    }

    /// Returns this update, extended by the settings that only `other` sets.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            theme: self.theme.or(other.theme),
            voice_enabled: self.voice_enabled.or(other.voice_enabled),
            default_refresh_interval: self.default_refresh_interval.or(other.default_refresh_interval),
            grid: self.grid.or(other.grid),
            proactive_mode: self.proactive_mode.or(other.proactive_mode),
        }
    }

    /// Returns the JSON names of the settings in the update.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            self.theme.is_some(),
            self.voice_enabled.is_some(),
            self.default_refresh_interval.is_some(),
            self.grid.is_some(),
            self.proactive_mode.is_some(),
        ];
        NAMES.into_iter().zip(given).filter_map(|(name, given)| given.then_some(name))
    }

    /// Whether both updates contain a common setting.
    pub(crate) fn shares_one_with(&self, other: &Self) -> bool {
        self.names().any(|name| other.names().any(|other| other == name))
    }
}

const NAMES: [&str; 5] = ["theme", "voiceEnabled", "defaultRefreshInterval", "grid", "proactiveMode"];

/// Deserializes field by field, because otherwise the place of an error would be lost in a command whose JSON has the
/// payload before the type.
impl<'de> Deserialize<'de> for SettingsUpdate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut update = Self::default();
        for (name, value) in Map::<String, Value>::deserialize(deserializer)? {
            match name.as_str() {
                "theme" => update.theme = Some(setting(&name, value)?),
                "voiceEnabled" => update.voice_enabled = Some(setting(&name, value)?),
                "defaultRefreshInterval" => update.default_refresh_interval = Some(setting(&name, value)?),
                "grid" => update.grid = Some(setting(&name, value)?),
                "proactiveMode" => update.proactive_mode = Some(setting(&name, value)?),
                unknown => {
                    let (quoted, known) = (quoted(unknown), NAMES.join(", "));
                    let what =
                        format_args!("no setting is called {quoted}: leave it out, or use one of {known}");
                    return Err(at(&canvas_patch::truncate(unknown, 80), what));
                }
            }
        }
        Ok(update)
    }
}

fn setting<T: DeserializeOwned, E: Error>(name: &str, value: Value) -> Result<T, E> {
    serde_json::from_value(value).map_err(|e| at(name, e))
}

fn at<E: Error>(name: &str, what: impl Display) -> E {
    E::custom(format_args!("settings at {}: {what}", join_pointer("", name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_that_sets_no_setting_is_refused_with_its_place() {
        for (json, expected) in [
            (json!({"theme": "blue"}), "settings at /theme: unknown variant `blue`, expected one of"),
            (json!({"theme": null}), "settings at /theme: "),
            (json!({"voiceEnabled": "yes"}), "settings at /voiceEnabled: invalid type: string"),
            (json!({"defaultRefreshInterval": -1}), "settings at /defaultRefreshInterval: invalid value"),
            (json!({"defaultRefreshInterval": 0.5}), "settings at /defaultRefreshInterval: invalid type"),
            (json!({"grid": {"columns": 12}}), "settings at /grid: missing field"),
            (json!({"proactiveMode": "loud"}), "settings at /proactiveMode: unknown variant"),
            (json!({"a/b~": 1}), "settings at /a~1b~0: "),
            (json!({"voice_enabled": true}), "settings at /voice_enabled: "),
            (json!([]), "invalid type"),
            (json!(null), "invalid type"),
        ] {
            let error = serde_json::from_value::<SettingsUpdate>(json.clone()).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{json}: {error}");
        }
    }

    /// Each setting by itself is applied, differs from the default, and is shared only with itself.
    #[test]
    fn each_setting_is_one_of_its_own() {
        let grid = json!({"columns": 12, "rows": 8, "gap": 8.0, "cellWidth": 80.0, "cellHeight": 60.0});
        let other = json!({"columns": 6, "rows": 8, "gap": 8.0, "cellWidth": 80.0, "cellHeight": 60.0});
        let settings: WorkspaceSettings = serde_json::from_value(json!({
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60_000, "grid": grid,
            "proactiveMode": "suggest",
        }))
        .unwrap();
        let updates = [
            ("theme", json!("dark")),
            ("voiceEnabled", json!(true)),
            ("defaultRefreshInterval", json!(5)),
            ("grid", other),
            ("proactiveMode", json!("off")),
        ];
        let read = |(name, value): &(&str, Value)| -> SettingsUpdate {
            serde_json::from_value(json!({*name: value})).unwrap()
        };
        for one in &updates {
            let update = read(one);
            assert_eq!(json!(update), json!({one.0: one.1}));
            let after = update.set_in(&settings);
            let mut expected = json!(settings);
            expected[one.0] = one.1.clone();
            assert_eq!(json!(after), expected);
            assert_eq!(SettingsUpdate::differing(&after, &settings), update);
            assert_eq!(SettingsUpdate::differing(&settings, &after).set_in(&after), settings);
            assert_eq!(update.names().collect::<Vec<_>>(), [one.0]);
            for two in &updates {
                assert_eq!(update.shares_one_with(&read(two)), one.0 == two.0, "{} {}", one.0, two.0);
                let both = update.or(read(two));
                assert_eq!(both.set_in(&settings), update.set_in(&read(two).set_in(&settings)));
            }
            assert!(!update.shares_one_with(&SettingsUpdate::default()));
        }
    }
}
