//! Request bodies of the maintenance routes.

use allclear_domain::id::ComponentId;
use allclear_domain::maintenance::{MaintenanceDraft, MaintenancePatch, MaintenanceStatus, NewEnd};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed, Text, Timestamp};
use crate::update::change_options::notify;

/// Validation message for an invalid time; in an edit, of the end only.
const TIME_MESSAGE: &str = "Invalid date format";
/// Validation message of an edit for an invalid start.
const START_MESSAGE_OF_EDIT: &str = "Please enter a valid date and time";

/// Fields of a new maintenance.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceInput)]
pub(super) struct MaintenanceInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 200, required = true)]
    title: FieldInput<Text>,
    /// 1 to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = String, min_length = 1, max_length = 10_000, required = true)]
    description: FieldInput<Text>,
    /// `CANCELLED` creates a cancelled maintenance. Other values have no effect, because the status
    /// follows from the times.
    #[serde(default)]
    #[schema(value_type = MaintenanceStatus, required = false)]
    status: FieldInput<Parsed<MaintenanceStatus>>,
    /// Start: RFC 3339; in UTC if it has no offset.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = true)]
    start_at: FieldInput<Timestamp>,
    /// End, in the same forms, not before the start. Null, empty or absent if it is not known yet.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", required = false)]
    end_at: FieldInput<EndText>,
    /// Whether the creation, the beginning and the end notify subscribers. The organisation's
    /// `notifyByDefault` if absent.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
    /// Identifiers of the affected components, each once.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    components: FieldInput<Vec<FieldInput<Parsed<ComponentId>>>>,
}

impl MaintenanceInput {
    pub(super) fn draft(self) -> Result<MaintenanceDraft, Invalid> {
        let mut invalid = Invalid::default();
        let start_at = self
            .start_at
            .required("startAt", TIME_MESSAGE, &mut invalid);
        let draft = MaintenanceDraft {
            title: text(self.title, "title", "Title is required", &mut invalid).unwrap_or_default(),
            description: text(
                self.description,
                "description",
                "Description is required",
                &mut invalid,
            )
            .unwrap_or_default(),
            // With the earliest start every end is valid, so the other fields can still be checked.
            start_at: start_at.map_or(DateTime::<Utc>::MIN_UTC, |time| time.0),
            end_at: match end(self.end_at, &mut invalid) {
                Some(NewEnd::At(end)) => Some(end),
                Some(NewEnd::Open) | None => None,
            },
            status: status(self.status, &mut invalid).unwrap_or_default(),
            notify: notify(self.notify, &mut invalid),
            components: components(self.components, &mut invalid).unwrap_or_default(),
        };
        draft.check(&mut invalid);
        invalid.into_result()?;
        Ok(draft)
    }
}

/// Changes to a maintenance. Absent fields stay unchanged. An `endAt` alone that is at most a
/// minute ahead completes the maintenance.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenancePatch)]
pub(super) struct MaintenancePatchInput {
    /// 1 to 200 characters.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 200)]
    title: FieldInput<Text>,
    /// 1 to 10,000 characters.
    #[serde(default)]
    #[schema(value_type = String, required = false, min_length = 1, max_length = 10_000)]
    description: FieldInput<Text>,
    /// `CANCELLED` cancels the maintenance, `SCHEDULED` withdraws a cancellation. Other values have
    /// no effect.
    #[serde(default)]
    #[schema(value_type = MaintenanceStatus, required = false)]
    status: FieldInput<Parsed<MaintenanceStatus>>,
    /// Start: RFC 3339; in UTC if it has no offset.
    #[serde(default)]
    #[schema(value_type = String, format = "date-time", required = false)]
    start_at: FieldInput<Timestamp>,
    /// End, in the same forms, not before the start. Null or an empty text removes the end.
    #[serde(default)]
    #[schema(value_type = Option<String>, format = "date-time", required = false)]
    end_at: FieldInput<EndText>,
    /// Whether a change of the times or the status, and a later beginning or end, notifies
    /// subscribers; other changes never do. If absent, the organisation's `notifyByDefault` for the
    /// change; the beginning and the end keep the last given value.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    notify: FieldInput<bool>,
    /// Identifiers of all affected components from now on, each once.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    components: FieldInput<Vec<FieldInput<Parsed<ComponentId>>>>,
}

impl MaintenancePatchInput {
    pub(super) fn patch(self) -> Result<MaintenancePatch, Invalid> {
        let mut invalid = Invalid::default();
        let start_at = self
            .start_at
            .optional("startAt", START_MESSAGE_OF_EDIT, &mut invalid);
        let patch = MaintenancePatch {
            title: text(self.title, "title", "Title is required", &mut invalid),
            description: text(
                self.description,
                "description",
                "Description is required",
                &mut invalid,
            ),
            start_at: start_at.map(|time| time.0),
            end_at: end(self.end_at, &mut invalid),
            status: status(self.status, &mut invalid),
            notify: notify(self.notify, &mut invalid),
            components: components(self.components, &mut invalid),
        };
        patch.check(&mut invalid);
        invalid.into_result()?;
        Ok(patch)
    }
}

fn text(
    input: FieldInput<Text>,
    field: &str,
    message: &str,
    invalid: &mut Invalid,
) -> Option<String> {
    input.optional(field, message, invalid).map(|text| text.0)
}

fn status(
    input: FieldInput<Parsed<MaintenanceStatus>>,
    invalid: &mut Invalid,
) -> Option<MaintenanceStatus> {
    input
        .optional("status", CHOICE_MESSAGE, invalid)
        .map(|status| status.0)
}

/// The affected components; `None` if the field is absent or wrong. A repeated component is
/// refused later.
fn components(
    input: FieldInput<Vec<FieldInput<Parsed<ComponentId>>>>,
    invalid: &mut Invalid,
) -> Option<Vec<ComponentId>> {
    let rows = input.optional("components", "Must be a list of components", invalid)?;
    let count = rows.len();
    let ids: Vec<_> = (0..)
        .zip(rows)
        .filter_map(|(index, id): (usize, _)| {
            let field = format!("components[{index}]");
            id.required(&field, "This component does not exist", invalid)
        })
        .map(|id| id.0)
        .collect();
    // Without the wrong items, the others would have other indexes.
    (ids.len() == count).then_some(ids)
}

/// The end as a form sends it: empty if it is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EndText(NewEnd);

impl<'de> Deserialize<'de> for EndText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.is_empty() {
            return Ok(Self(NewEnd::Open));
        }
        let time = Timestamp::parse(&text);
        time.map(|time| Self(NewEnd::At(time.0)))
            .ok_or_else(|| Error::custom("not a valid time"))
    }
}

/// The new end; null removes it.
fn end(input: FieldInput<EndText>, invalid: &mut Invalid) -> Option<NewEnd> {
    if input == FieldInput::Null {
        return Some(NewEnd::Open);
    }
    input
        .optional("endAt", TIME_MESSAGE, invalid)
        .map(|end| end.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    fn named(refused: Invalid) -> Vec<(String, String)> {
        refused
            .errors
            .into_iter()
            .map(|error| (error.field, error.message))
            .collect()
    }

    fn create(body: Value) -> Result<MaintenanceDraft, Vec<(String, String)>> {
        from_value::<MaintenanceInput>(body)
            .unwrap()
            .draft()
            .map_err(named)
    }

    fn edit(body: Value) -> Result<MaintenancePatch, Vec<(String, String)>> {
        from_value::<MaintenancePatchInput>(body)
            .unwrap()
            .patch()
            .map_err(named)
    }

    fn row(field: &str, message: &str) -> (String, String) {
        (field.to_owned(), message.to_owned())
    }

    #[test]
    fn create_has_defaults_and_reports_every_invalid_field() {
        let draft =
            create(json!({"title": " Move ", "description": "d", "startAt": "2026-01-31T09:30"}))
                .unwrap();
        assert_eq!(
            (draft.title.as_str(), draft.end_at, draft.status),
            ("Move", None, MaintenanceStatus::Scheduled)
        );
        let all = [
            row("startAt", "Invalid date format"),
            row("endAt", "Invalid date format"),
            row("status", CHOICE_MESSAGE),
            row("description", "Description is required"),
            row("title", "Title is required"),
        ];
        assert_eq!(
            create(json!({"endAt": "soon", "status": "LATE"})).unwrap_err(),
            all
        );
    }

    #[test]
    fn end_is_absent_null_or_not_before_the_start() {
        let body = |end: Value| json!({"title": "t", "description": "d", "startAt": "2026-01-31T09:30", "endAt": end});
        assert_eq!(create(body(Value::Null)).unwrap().end_at, None);
        assert!(
            create(body(json!("2026-01-31T09:30:00Z")))
                .unwrap()
                .end_at
                .is_some()
        );
        assert_eq!(create(body(json!(""))).unwrap().end_at, None);
        let before = create(body(json!("2026-01-31T09:29:59.999Z"))).unwrap_err();
        assert_eq!(before, [row("endAt", "End must not be before start")]);
        assert_eq!(
            create(body(json!(7))).unwrap_err(),
            [row("endAt", "Invalid date format")]
        );
    }

    #[test]
    fn edit_changes_given_fields_and_has_the_messages_of_its_form() {
        assert_eq!(edit(json!({})).unwrap(), MaintenancePatch::default());
        for open in [Value::Null, json!("")] {
            let patch = edit(json!({"endAt": open})).unwrap();
            assert_eq!(patch.end_at, Some(NewEnd::Open));
        }
        let listed = edit(json!({"components": []})).unwrap().components;
        assert_eq!(listed, Some(Vec::new()));
        let wrong = edit(json!({"title": null, "startAt": null, "endAt": "x"})).unwrap_err();
        let all = [
            row("startAt", "Please enter a valid date and time"),
            row("title", "Title is required"),
            row("endAt", "Invalid date format"),
        ];
        assert_eq!(wrong, all);
    }

    #[test]
    fn edit_reports_invalid_values_beside_those_of_wrong_types() {
        let wrong = edit(json!({
            "title": " ", "status": "LATE", "startAt": "2026-01-31T09:30", "endAt": "2026-01-31T09:29",
        }));
        let all = [
            row("status", CHOICE_MESSAGE),
            row("title", "Title is required"),
            row("endAt", "End must not be before start"),
        ];
        assert_eq!(wrong.unwrap_err(), all);
    }
}
