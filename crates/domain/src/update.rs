//! What the updates of incidents and of maintenances have in common: what an operator enters, and
//! how updates are deleted.

use chrono::{DateTime, Utc};
use validator::Validate;

use crate::display_time::DisplayTime;
use crate::incident::IncidentStatus;
use crate::text;
use crate::validation::{FieldError, Invalid, repeated, text_to_check, unknown};

/// What an operator enters for an update, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Validate)]
pub struct UpdateDraft {
    /// Required.
    #[validate(custom(function = text::message))]
    pub message: String,
    /// An incident takes it if this is its newest update; a maintenance does not.
    pub status: IncidentStatus,
    /// When the update is displayed.
    pub display_at: DisplayTime,
    /// Whether the update notifies subscribers; `None` means the default.
    pub notify: Option<bool>,
}

/// A change to an update. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdatePatch {
    /// A new message.
    pub message: Option<String>,
    /// A new status.
    pub status: Option<IncidentStatus>,
    /// A new time of display.
    pub display_at: Option<DisplayTime>,
    /// Whether the change notifies subscribers; `None` means the default.
    pub notify: Option<bool>,
}

impl UpdatePatch {
    /// Adds the errors of its message.
    pub fn check(&self, invalid: &mut Invalid) {
        invalid.check(&UpdateDraft {
            message: text_to_check(self.message.as_deref()),
            ..Default::default()
        });
    }
}

/// The fields of an update that an operator may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UpdateContent {
    pub(crate) message: String,
    pub(crate) status: IncidentStatus,
    pub(crate) display_at: DateTime<Utc>,
}

impl UpdateDraft {
    /// The content of an update that is recorded at `recorded_at`.
    pub(crate) fn content(
        self,
        recorded_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<UpdateContent, Invalid> {
        self.validate().map_err(Invalid::from)?;
        Ok(UpdateContent {
            message: self.message,
            status: self.status,
            display_at: self.display_at.resolve(recorded_at, now)?,
        })
    }
}

impl UpdateContent {
    /// This content with an operator's changes, of an update that was recorded at `recorded_at`.
    pub(crate) fn edit(
        self,
        patch: UpdatePatch,
        recorded_at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Self, Invalid> {
        let draft = UpdateDraft {
            message: patch.message.unwrap_or(self.message),
            status: patch.status.unwrap_or(self.status),
            display_at: patch.display_at.unwrap_or_default(),
            notify: None,
        };
        let edited = draft.content(recorded_at, now)?;
        Ok(Self {
            // The clock of the node that recorded the update may be ahead, so a stored time is not
            // checked again.
            display_at: match patch.display_at {
                Some(_) => edited.display_at,
                None => self.display_at,
            },
            ..edited
        })
    }
}

/// Checks the updates of a timeline that are to be deleted: at least one, each once, all of them
/// among the `known` ones. `field` is the list's name.
pub(crate) fn check_deletion<T: Ord>(
    field: &str,
    chosen: &[T],
    known: &[T],
) -> Result<(), Invalid> {
    if chosen.is_empty() {
        return Err(Invalid::field(field, "At least one update is required"));
    }
    let mut invalid = Invalid::default();
    let mut refuse = |index: usize, message: &str| {
        invalid.add(FieldError::new(format!("{field}[{index}]"), message));
    };
    for index in repeated(chosen) {
        refuse(index, "This update is chosen already");
    }
    for index in unknown(chosen, known) {
        refuse(index, "This update does not exist");
    }
    invalid.into_result()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn time(entered: Option<i64>) -> DisplayTime {
        entered.map_or(DisplayTime::Recorded, |second| DisplayTime::At(at(second)))
    }

    fn draft(message: &str) -> UpdateDraft {
        UpdateDraft {
            message: message.into(),
            ..Default::default()
        }
    }

    #[test]
    fn message_is_required_and_bounded() {
        let content = draft("Half way").content(at(0), at(0)).unwrap();
        for (message, refusal) in [
            (String::new(), "Message is required"),
            ("x".repeat(10_001), "Must be at most 10000 characters"),
            ("\0".to_owned(), "Must not contain a NUL character"),
        ] {
            let refusal = Err(Invalid::field("message", refusal));
            assert_eq!(draft(&message).content(at(0), at(0)), refusal);
            let patch = UpdatePatch {
                message: Some(message),
                ..Default::default()
            };
            assert_eq!(content.clone().edit(patch, at(0), at(0)), refusal);
        }
    }

    #[test]
    fn patch_is_checked_without_the_stored_update() {
        for (message, expected) in [
            (None, Invalid::default()),
            (
                Some(String::new()),
                Invalid::field("message", "Message is required"),
            ),
        ] {
            let mut invalid = Invalid::default();
            let patch = UpdatePatch {
                message,
                ..Default::default()
            };
            patch.check(&mut invalid);
            assert_eq!(invalid, expected);
        }
    }

    #[test]
    fn edit_keeps_a_time_that_a_faster_clock_stored() {
        let content = draft("Half way").content(at(60), at(60)).unwrap();
        let patch = UpdatePatch {
            status: Some(IncidentStatus::Resolved),
            ..Default::default()
        };
        let edited = content.edit(patch, at(60), at(0)).unwrap();
        assert_eq!(
            (edited.display_at, edited.status),
            (at(60), IncidentStatus::Resolved)
        );
    }

    proptest! {
        #[test]
        fn update_is_displayed_when_recorded_or_at_an_earlier_time_that_is_entered(
            recorded_at in 0_i64..9, entered in proptest::option::of(0_i64..12), edited in proptest::option::of(0_i64..12)
        ) {
            let expected = |entered: Option<i64>, now: i64| match entered {
                Some(second) if second > now => Err(Invalid::field("displayAt", "Display time must not be in the future")),
                entered => Ok(at(entered.unwrap_or(recorded_at))),
            };
            let draft = UpdateDraft { display_at: time(entered), ..draft("m") };
            let recorded = draft.content(at(recorded_at), at(recorded_at));
            prop_assert_eq!(recorded.clone().map(|content| content.display_at), expected(entered, recorded_at));
            if let Ok(recorded) = recorded {
                let patch = UpdatePatch { display_at: Some(time(edited)), ..Default::default() };
                let after = recorded.edit(patch, at(recorded_at), at(10)).map(|content| content.display_at);
                prop_assert_eq!(after, expected(edited, 10));
            }
        }

        #[test]
        fn updates_are_deleted_together_or_not_at_all(chosen in vec(0..6_u8, 0..8), known in vec(0..6_u8, 0..8)) {
            let is_wrong = |index: &usize| chosen[..*index].contains(&chosen[*index]) || !known.contains(&chosen[*index]);
            let wrong: Vec<_> = (0..chosen.len()).filter(is_wrong).map(|index| format!("ids[{index}]")).collect();
            match check_deletion("ids", &chosen, &known) {
                Ok(()) => prop_assert!(wrong.is_empty() && !chosen.is_empty()),
                Err(invalid) if chosen.is_empty() => {
                    prop_assert_eq!(invalid, Invalid::field("ids", "At least one update is required"));
                }
                Err(invalid) => {
                    let mut named: Vec<_> = invalid.errors.into_iter().map(|error| error.field).collect();
                    named.sort();
                    prop_assert_eq!(named, wrong);
                }
            }
        }
    }
}
