//! Request bodies of the incident routes.

use allclear_domain::impact::Attachment;
use allclear_domain::incident::{IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::incident::component::{AttachmentInput, optional_attachments};
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed, Text, Timestamp};
use crate::update::change_options::notify;

/// Validation message of a create for an invalid time.
const TIME_MESSAGE_OF_CREATE: &str = "Invalid date format";
/// Validation message of an edit for an invalid time.
const TIME_MESSAGE_OF_EDIT: &str = "Please enter a valid date and time";

/// Fields of a new incident.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentInput)]
pub(super) struct IncidentInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    title: FieldInput<Text>,
    /// 1 to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 10_000, required = true)]
    description: FieldInput<Text>,
    /// Status. `INVESTIGATING` if absent.
    #[serde(default)]
    #[schema(value_type = IncidentStatus, required = false)]
    status: FieldInput<Parsed<IncidentStatus>>,
    /// Time at which the incident occurred: RFC 3339; in UTC if it has no offset. The current
    /// time if absent.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    occured_at: FieldInput<Timestamp>,
    /// Time at which a past incident was resolved, in the same forms: only with `RESOLVED`, not
    /// before `occuredAt`, not in the future. The impact on the components becomes part of their
    /// history; their current status stays. Null means nothing, and is refused with `RESOLVED`.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", required = false)]
    resolved_at: FieldInput<Timestamp>,
    /// Whether the creation notifies subscribers. The organisation's `notifyByDefault` if absent,
    /// and false with `resolvedAt`.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
    /// Affected components, each once.
    #[serde(default)]
    #[schema(value_type = Vec<AttachmentInput>, required = false)]
    components: FieldInput<Vec<AttachmentInput>>,
}

impl IncidentInput {
    pub(super) fn draft(self) -> Result<(IncidentDraft, Vec<Attachment>), Invalid> {
        let mut invalid = Invalid::default();
        let fields = IncidentPatchInput {
            title: self.title,
            description: self.description,
            status: self.status,
            occured_at: self.occured_at,
            resolved_at: self.resolved_at,
            notify: self.notify,
        };
        let patch = fields.read(TIME_MESSAGE_OF_CREATE, &mut invalid);
        let draft = IncidentDraft {
            title: patch.title.unwrap_or_default(),
            description: patch.description.unwrap_or_default(),
            status: patch.status.unwrap_or_default(),
            occured_at: patch.occured_at,
            resolved_at: patch.resolved_at,
            notify: patch.notify,
        };
        invalid.check(&draft);
        let components = optional_attachments(self.components, &mut invalid);
        invalid.into_result()?;
        Ok((draft, components))
    }
}

/// Changes to an incident. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = IncidentPatch)]
pub(super) struct IncidentPatchInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 200)]
    title: FieldInput<Text>,
    /// 1 to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 10_000)]
    description: FieldInput<Text>,
    /// Status. Any status but `RESOLVED` reopens a resolved incident.
    #[serde(default)]
    #[schema(value_type = IncidentStatus, required = false)]
    status: FieldInput<Parsed<IncidentStatus>>,
    /// Time at which the incident occurred: RFC 3339; in UTC if it has no offset.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    occured_at: FieldInput<Timestamp>,
    /// Time at which the incident was resolved, in the same forms: only together with `RESOLVED`,
    /// not before `occuredAt`, not in the future. Null means nothing, and is refused with
    /// `RESOLVED`.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", required = false)]
    resolved_at: FieldInput<Timestamp>,
    /// Whether a change of the status notifies subscribers; other changes never do. The
    /// organisation's `notifyByDefault` if absent, and false with `resolvedAt`.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
}

impl IncidentPatchInput {
    pub(super) fn patch(self) -> Result<IncidentPatch, Invalid> {
        let mut invalid = Invalid::default();
        let patch = self.read(TIME_MESSAGE_OF_EDIT, &mut invalid);
        patch.check(&mut invalid);
        invalid.into_result()?;
        Ok(patch)
    }

    fn read(self, time_message: &str, invalid: &mut Invalid) -> IncidentPatch {
        let status = self.status.optional("status", CHOICE_MESSAGE, invalid);
        let status = status.map(|status| status.0);
        IncidentPatch {
            title: self
                .title
                .optional("title", "Title is required", invalid)
                .map(|text| text.0),
            description: self
                .description
                .optional("description", "Description is required", invalid)
                .map(|text| text.0),
            status,
            occured_at: self
                .occured_at
                .optional("occuredAt", time_message, invalid)
                .map(|time| time.0),
            resolved_at: resolved_at(self.resolved_at, status, time_message, invalid),
            notify: notify(self.notify, invalid),
        }
    }
}

/// The time of resolution. Null is what an incident without one is read with, so it means nothing
/// unless the status is RESOLVED.
fn resolved_at(
    input: FieldInput<Timestamp>,
    status: Option<IncidentStatus>,
    time_message: &str,
    invalid: &mut Invalid,
) -> Option<DateTime<Utc>> {
    if input == FieldInput::Null && status != Some(IncidentStatus::Resolved) {
        return None;
    }
    input
        .optional("resolvedAt", time_message, invalid)
        .map(|time| time.0)
}
