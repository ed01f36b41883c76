//! The status of an incident.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;

/// Status of an incident. Every status may follow every other one.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
    Display,
    EnumString,
    VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum IncidentStatus {
    /// The cause is being investigated.
    #[default]
    Investigating,
    /// The cause is known.
    Identified,
    /// A fix is in place and being monitored.
    Monitoring,
    /// It has ended.
    Resolved,
}

impl IncidentStatus {
    /// The name that people read.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Investigating => "Investigating",
            Self::Identified => "Identified",
            Self::Monitoring => "Monitoring",
            Self::Resolved => "Resolved",
        }
    }
}
