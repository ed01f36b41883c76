//! The requests that updates of incidents and of maintenances have in common.

pub(crate) mod author;
pub(crate) mod change_options;

use allclear_domain::incident::IncidentStatus;
use allclear_domain::update::{UpdateDraft, UpdatePatch};
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;

use self::change_options::{display_time, notify};
use crate::component::STATUS_MESSAGE;
use crate::request::input::{FieldInput, Parsed, Text, Timestamp};

/// Fields of an update. An edit leaves absent fields unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateInput {
    /// 1 to 10,000 characters. Required to record an update.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 10_000)]
    message: FieldInput<Text>,
    /// Status of the update. `INVESTIGATING` if absent when recording. An incident takes the status
    /// of its newest update; the status of a maintenance does not change.
    #[serde(default)]
    #[schema(value_type = IncidentStatus, required = false)]
    status: FieldInput<Parsed<IncidentStatus>>,
    /// Time at which the update is displayed, which orders the timeline: RFC 3339; in UTC if it has
    /// no offset, not in the future. Null means the time at which it was recorded.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", required = false)]
    display_at: FieldInput<Timestamp>,
    /// Whether the change notifies subscribers. The organisation's `notifyByDefault` if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

impl UpdateInput {
    /// The update to record.
    pub(crate) fn draft(self) -> Result<UpdateDraft, Invalid> {
        let (patch, mut invalid) = self.read();
        let draft = UpdateDraft {
            message: patch.message.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            display_at: patch.display_at.unwrap_or_default(),
            notify: patch.notify,
        };
        invalid.check(&draft);
        invalid.into_result()?;
        Ok(draft)
    }

    /// The change to an update.
    pub(crate) fn patch(self) -> Result<UpdatePatch, Invalid> {
        let (patch, invalid) = self.read();
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self) -> (UpdatePatch, Invalid) {
        let mut invalid = Invalid::default();
        let patch = UpdatePatch {
            message: self
                .message
                .optional("message", "Message is required", &mut invalid)
                .map(|text| text.0),
            status: self
                .status
                .optional("status", STATUS_MESSAGE, &mut invalid)
                .map(|word| word.0),
            display_at: display_time(self.display_at, &mut invalid),
            notify: notify(self.notify, &mut invalid),
        };
        (patch, invalid)
    }
}

/// Identifiers of updates in a request.
pub(crate) type ChosenUpdates<T> = FieldInput<Vec<FieldInput<Parsed<T>>>>;

/// The updates that a request names. `field` is the list's name.
pub(crate) fn chosen_updates<T>(field: &str, chosen: ChosenUpdates<T>) -> Result<Vec<T>, Invalid> {
    let mut invalid = Invalid::default();
    let rows = chosen.required(field, "At least one update is required", &mut invalid);
    let mut ids = Vec::new();
    for (index, id) in rows.unwrap_or_default().into_iter().enumerate() {
        let field = format!("{field}[{index}]");
        let id = id.required(&field, "Update is required", &mut invalid);
        ids.extend(id.map(|word| word.0));
    }
    invalid.into_result()?;
    Ok(ids)
}
