//! The page and its state.

use allclear_application::statuspage_api::StatuspageState;
use allclear_domain::rollup::Rollup;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Code, Time};

/// The page.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::statuspage_api) struct Page {
    /// Public code of the page.
    pub(super) id: Code,
    /// Title of the page.
    name: String,
    /// Address of the page.
    url: String,
    /// Name of the IANA time zone in which all times are; `Etc/UTC` for UTC.
    time_zone: &'static str,
    /// When something public changed last.
    updated_at: Time,
}

/// The state of the page.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::statuspage_api) struct Status {
    /// `none`, `minor`, `major`, `critical` or `maintenance`.
    indicator: &'static str,
    /// The state in words.
    description: &'static str,
}

impl Page {
    pub(super) fn new(state: &StatuspageState) -> Self {
        let organisation = &state.organisation;
        let zone = organisation.time_zone;
        Self {
            id: organisation.id.code().to_string(),
            name: organisation.effective_title().to_owned(),
            url: state.url.clone(),
            time_zone: zone.canonical_name(),
            updated_at: zone.timestamp(state.updated_at),
        }
    }
}

impl From<Rollup> for Status {
    fn from(rollup: Rollup) -> Self {
        Self {
            indicator: rollup.indicator.as_str(),
            description: rollup.description,
        }
    }
}
