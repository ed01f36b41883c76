//! Fields that changes of incidents, maintenances and their updates share.

use allclear_domain::display_time::DisplayTime;
use allclear_domain::validation::Invalid;

use crate::request::field::{BOOLEAN_MESSAGE, FieldInput, Timestamp};

/// Whether a change notifies subscribers; `None` if the request leaves it to the organisation.
pub(crate) fn notify(input: FieldInput<bool>, invalid: &mut Invalid) -> Option<bool> {
    input.optional("notify", BOOLEAN_MESSAGE, invalid)
}

/// When an update is displayed; null means when it was recorded. `None` if the field is absent.
pub(crate) fn display_time(
    input: FieldInput<Timestamp>,
    invalid: &mut Invalid,
) -> Option<DisplayTime> {
    if input == FieldInput::Null {
        return Some(DisplayTime::Recorded);
    }
    input
        .optional("displayAt", "Please enter a valid date and time", invalid)
        .map(|time| DisplayTime::At(time.0))
}
