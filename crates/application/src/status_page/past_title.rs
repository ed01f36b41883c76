//! Titles of past incidents and maintenances for the texts of the bars.

use allclear_domain::id::ComponentId;
use allclear_domain::text::shorten;
use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

/// Longest title in the text of a day, in characters.
pub const TITLE_LENGTH: usize = 90;

/// The title of an incident or a maintenance of the last 90 days that the lists of the page no
/// longer have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PastTitle {
    /// Title of an incident, or that of a maintenance behind "Maintenance: "; longer ones are cut.
    pub title: String,
    /// First day, in the time zone of the page.
    pub first: NaiveDate,
    /// Last day.
    pub last: NaiveDate,
    /// The affected components.
    pub components: Vec<TitledComponent>,
}

/// A component that a past incident or maintenance has affected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TitledComponent {
    /// Identifier of the component, a `UUIDv7`.
    pub component_id: String,
}

impl PastTitle {
    /// A title with the days from `first` to `last`, without components.
    #[must_use]
    pub fn new(kind: &str, mut title: String, first: NaiveDate, last: NaiveDate) -> Self {
        shorten(&mut title, TITLE_LENGTH);
        Self {
            title: format!("{kind}{title}"),
            first,
            last,
            components: Vec::new(),
        }
    }

    /// Adds an affected component.
    pub fn add(&mut self, component: ComponentId) {
        self.components.push(TitledComponent {
            component_id: component.to_string(),
        });
    }
}
