//! The requests that updates of incidents and of maintenances have in common.

pub(crate) mod author;
pub(crate) mod change_options;

use allclear_domain::incident::IncidentStatus;
use allclear_domain::update::{UpdateDraft, UpdatePatch};
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use utoipa::ToSchema;

use self::change_options::{display_time, notify};
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed, Text, Timestamp};

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
    /// Whether a new update, or an edit that changes the status of the incident, notifies
    /// subscribers; other edits never do. The organisation's `notifyByDefault` if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

impl UpdateInput {
    /// The update to record.
    pub(crate) fn draft(self) -> Result<UpdateDraft, Invalid> {
        let mut invalid = Invalid::default();
        let draft = self.read_draft(&mut invalid);
        invalid.into_result()?;
        Ok(draft)
    }

    /// The update to record; adds its errors to `invalid`. With errors, it must not be used.
    pub(crate) fn read_draft(self, invalid: &mut Invalid) -> UpdateDraft {
        let patch = self.read(invalid);
        let draft = UpdateDraft {
            message: patch.message.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            display_at: patch.display_at.unwrap_or_default(),
            notify: patch.notify,
        };
        invalid.check(&draft);
        draft
    }

    /// The change to an update.
    pub(crate) fn patch(self) -> Result<UpdatePatch, Invalid> {
        let mut invalid = Invalid::default();
        let patch = self.read(&mut invalid);
        patch.check(&mut invalid);
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self, invalid: &mut Invalid) -> UpdatePatch {
        UpdatePatch {
            message: self
                .message
                .optional("message", "Message is required", invalid)
                .map(|text| text.0),
            status: self
                .status
                .optional("status", CHOICE_MESSAGE, invalid)
                .map(|status| status.0),
            display_at: display_time(self.display_at, invalid),
            notify: notify(self.notify, invalid),
        }
    }
}

/// Identifiers of updates in a request.
pub(crate) type ChosenUpdates<T> = FieldInput<Vec<FieldInput<Parsed<T>>>>;

/// Maximum number of updates that a request deletes: as many as a page of a list has. Each is read
/// with its notice.
const MAX_CHOSEN: usize = 500;

/// The updates that a request names. `field` is the list's name.
pub(crate) fn chosen_updates<T>(field: &str, chosen: ChosenUpdates<T>) -> Result<Vec<T>, Invalid> {
    let mut invalid = Invalid::default();
    let rows = chosen.required(field, "At least one update is required", &mut invalid);
    let rows = rows.unwrap_or_default();
    if rows.len() > MAX_CHOSEN {
        let message = format!("Choose at most {MAX_CHOSEN}");
        return Err(Invalid::field(field, message));
    }
    let mut ids = Vec::new();
    for (index, id) in rows.into_iter().enumerate() {
        let field = format!("{field}[{index}]");
        let id = id.required(&field, "Update is required", &mut invalid);
        ids.extend(id.map(|id| id.0));
    }
    invalid.into_result()?;
    Ok(ids)
}
