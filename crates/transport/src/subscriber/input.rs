//! What requests say about a subscriber.

use std::str::FromStr;

use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{ComponentGroupId, ComponentId, IncidentId};
use allclear_domain::subscriber::{Scope, SubscriberDraft, SubscriberPatch};
use allclear_domain::validation::{FieldError, Invalid};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::request::field::{BOOLEAN_MESSAGE, CHOICE_MESSAGE, FieldInput, Parsed, Text};

/// Validation message for an invalid address.
const EMAIL_MESSAGE: &str = "Invalid email address";

/// Identifiers of a list.
type Ids<T> = FieldInput<Vec<FieldInput<Parsed<T>>>>;

/// A subscriber to add. Without components, groups and incident it receives everything.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubscriberInput {
    /// How the subscriber is reached; by mail if absent.
    #[serde(default)]
    #[schema(value_type = Channel, required = false)]
    channel: FieldInput<Parsed<Channel>>,
    /// Mail address, up to 254 characters; for the channel `email`.
    #[serde(default)]
    #[schema(value_type = String, required = false, format = "email", max_length = 254)]
    pub(crate) email: FieldInput<Text>,
    /// An https URL of up to 2,000 characters; for the other channels.
    #[serde(default)]
    #[schema(value_type = String, required = false, format = "uri", max_length = 2_000)]
    target: FieldInput<Text>,
    /// Identifiers of chosen components, each once; null for no choice.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, required = false, min_items = 1)]
    components: Ids<ComponentId>,
    /// Identifiers of chosen groups, each once; null for no choice.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, required = false, min_items = 1)]
    groups: Ids<ComponentGroupId>,
    /// Identifier of the one incident to follow; null for no incident.
    #[serde(default)]
    #[schema(value_type = Option<String>, required = false, format = "uuid")]
    incident_id: FieldInput<Parsed<IncidentId>>,
    /// Whether the subscriber receives nothing about maintenances; false if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    mute_maintenances: FieldInput<bool>,
}

impl SubscriberInput {
    /// A subscriber of everything by mail.
    pub(crate) fn of_email(email: FieldInput<Text>) -> Self {
        Self {
            email,
            ..Self::default()
        }
    }

    /// The subscriber to add.
    pub(crate) fn draft(self) -> Result<SubscriberDraft, Invalid> {
        let mut invalid = Invalid::default();
        let channel = self
            .channel
            .optional("channel", CHOICE_MESSAGE, &mut invalid)
            .map_or_else(Channel::default, |channel| channel.0);
        let (text, message) = match channel {
            Channel::Email => (self.email, EMAIL_MESSAGE),
            _ => (self.target, "Target is required"),
        };
        let text = text.required(channel.field(), message, &mut invalid);
        let target = text.and_then(|text| invalid.merge(Target::parse(channel, &text.0)));
        let components = chosen(self.components, "components", &mut invalid).flatten();
        let groups = chosen(self.groups, "groups", &mut invalid).flatten();
        let incident = self
            .incident_id
            .nullable("incidentId", "Unknown incident", &mut invalid)
            .map(|id| id.0);
        let scope = invalid.merge(Scope::of(components, groups, incident));
        let mute_maintenances = muted(self.mute_maintenances, &mut invalid).unwrap_or_default();
        match target.zip(scope) {
            Some((target, scope)) if invalid.errors.is_empty() => Ok(SubscriberDraft {
                target,
                scope,
                mute_maintenances,
            }),
            _ => Err(invalid),
        }
    }
}

/// Changes to what a subscriber receives. Absent fields stay unchanged.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SubscriberChangeInput {
    /// Identifiers of chosen components, each once; null for no choice. Without components and
    /// groups, the subscriber receives everything.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, required = false, min_items = 1)]
    components: Ids<ComponentId>,
    /// Identifiers of chosen groups, each once; null for no choice.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, required = false, min_items = 1)]
    groups: Ids<ComponentGroupId>,
    /// Whether the subscriber receives nothing about maintenances.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    mute_maintenances: FieldInput<bool>,
}

impl SubscriberChangeInput {
    pub(crate) fn patch(self, invalid: &mut Invalid) -> SubscriberPatch {
        SubscriberPatch {
            components: chosen(self.components, "components", invalid),
            groups: chosen(self.groups, "groups", invalid),
            mute_maintenances: muted(self.mute_maintenances, invalid),
        }
    }
}

/// A list that may be null; `None` if it is absent or wrong.
#[expect(clippy::option_option, reason = "a list is absent, null or given")]
fn chosen<T: FromStr>(input: Ids<T>, field: &str, invalid: &mut Invalid) -> Option<Option<Vec<T>>> {
    if matches!(input, FieldInput::Null) {
        return Some(None);
    }
    let rows = input.optional(field, "Must be a list", invalid)?;
    if rows.is_empty() {
        invalid.add(FieldError::new(field, "Choose at least one"));
        return None;
    }
    let chosen = rows.len();
    let ids = rows.into_iter().enumerate().filter_map(|(place, row)| {
        let message = match field {
            "components" => "Unknown component",
            _ => "Unknown group",
        };
        row.required(&format!("{field}[{place}]"), message, invalid)
            .map(|id| id.0)
    });
    let ids: Vec<_> = ids.collect();
    (ids.len() == chosen).then_some(Some(ids))
}

fn muted(input: FieldInput<bool>, invalid: &mut Invalid) -> Option<bool> {
    input.optional("muteMaintenances", BOOLEAN_MESSAGE, invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::{Value, json};

    fn draft(body: Value) -> Result<SubscriberDraft, Invalid> {
        let input: SubscriberInput = serde_json::from_value(body).unwrap();
        input.draft()
    }

    fn field(body: Value) -> String {
        draft(body).unwrap_err().errors[0].field.clone()
    }

    #[test]
    fn a_subscriber_by_mail_of_everything_needs_only_an_address() {
        let plain = draft(json!({"email": " ann@example.com "})).unwrap();
        let target = Target::parse(Channel::Email, "ann@example.com").unwrap();
        assert_eq!(plain, SubscriberDraft::of_everything(target));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let hook = "https://hooks.example/x";
        for (body, wrong) in [
            (json!({}), "email"),
            (json!({"email": "ann"}), "email"),
            (
                json!({"channel": "fax", "email": "ann@example.com"}),
                "channel",
            ),
            (
                json!({"channel": null, "email": "ann@example.com"}),
                "channel",
            ),
            (
                json!({"channel": "slack", "email": "ann@example.com"}),
                "target",
            ),
            (json!({"channel": "slack", "target": "hooks"}), "target"),
            (
                json!({"channel": "slack", "target": hook, "components": []}),
                "components",
            ),
            (
                json!({"channel": "slack", "target": hook, "components": ["x"]}),
                "components[0]",
            ),
            (
                json!({"channel": "slack", "target": hook, "groups": "x"}),
                "groups",
            ),
            (
                json!({"channel": "slack", "target": hook, "incidentId": 7}),
                "incidentId",
            ),
            (
                json!({"channel": "slack", "target": hook, "muteMaintenances": null}),
                "muteMaintenances",
            ),
        ] {
            assert_eq!(field(body.clone()), wrong, "{body}");
        }
    }

    #[test]
    fn errors_of_one_request_are_complete_and_in_order() {
        let wrong = draft(json!({
            "channel": "fax", "email": "ann", "components": [], "muteMaintenances": 7
        }));
        let fields: Vec<_> = wrong
            .unwrap_err()
            .errors
            .into_iter()
            .map(|error| error.field)
            .collect();
        assert_eq!(
            fields,
            ["channel", "email", "components", "muteMaintenances"]
        );
    }

    #[test]
    fn a_change_distinguishes_null_from_absent() {
        let input: SubscriberChangeInput =
            serde_json::from_value(json!({"components": null})).unwrap();
        let patch = input.patch(&mut Invalid::default());
        assert_eq!(
            patch,
            SubscriberPatch {
                components: Some(None),
                ..SubscriberPatch::default()
            }
        );
    }
}
