//! What incidents and maintenances share: the fields, the entries, and the affected components.

use std::borrow::Cow;

use allclear_domain::id::ComponentId;
use allclear_domain::statuspage_entry::{StatuspageAffectedComponent, StatuspageEntry};
use serde::Serialize;
use utoipa::ToSchema;

use super::component::{Component, ComponentBudget};
use super::{Code, JsonDocuments, Time};

/// The fields that incidents and maintenances share.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Record<'a> {
    /// Public code.
    pub(super) id: Code,
    /// Its title.
    pub(super) name: &'a str,
    /// Its status: `investigating`, `identified`, `monitoring`, `resolved` or `postmortem` of an
    /// incident, `scheduled`, `in_progress` or `completed` of a maintenance.
    pub(super) status: &'static str,
    /// When it was created.
    pub(super) created_at: Time,
    /// When it last changed.
    pub(super) updated_at: Time,
    /// When it was monitored first; null if it never was.
    #[schema(required)]
    pub(super) monitoring_at: Option<Time>,
    /// When it ended; null before.
    #[schema(required)]
    pub(super) resolved_at: Option<Time>,
    /// `none`, `minor`, `major` or `critical` of an incident, `maintenance` of a maintenance.
    pub(super) impact: &'static str,
    /// Its address for people.
    pub(super) shortlink: String,
    /// When it began.
    pub(super) started_at: Time,
    /// Code of the page.
    pub(super) page_id: Code,
    /// Its entries, newest first.
    pub(super) incident_updates: Vec<Update<'a>>,
    /// The affected components as they are now, at most 500. If there are very many in a document,
    /// descriptions may be null.
    pub(super) components: Vec<Cow<'a, Component>>,
}

/// A component as it was when an entry was recorded.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Affected<'a> {
    /// Code of the component.
    code: &'a str,
    /// Its name, after the name of its group.
    name: &'a str,
    /// Status before the entry.
    old_status: &'static str,
    /// Status after the entry.
    new_status: &'static str,
}

/// An entry of an incident or a maintenance.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Update<'a> {
    /// Public code.
    id: &'a str,
    /// Status after the entry.
    status: &'static str,
    /// Its text.
    body: &'a str,
    /// Code of the incident or maintenance.
    incident_id: Code,
    /// When it was recorded.
    created_at: Time,
    /// When it was last changed.
    updated_at: Time,
    /// Its time for people.
    display_at: Time,
    /// The components that were attached; null if there were none, and in older entries if there
    /// are very many.
    #[schema(required)]
    affected_components: Option<Vec<Affected<'a>>>,
    /// Always true.
    deliver_notifications: bool,
    /// Always null.
    #[schema(required)]
    custom_tweet: Option<String>,
    /// Always null.
    #[schema(required)]
    tweet_id: Option<String>,
}

impl<'a> JsonDocuments<'a> {
    pub(super) fn updates(&self, parent: &str, entries: &'a [StatuspageEntry]) -> Vec<Update<'_>> {
        let update = |entry: &'a StatuspageEntry| Update {
            id: entry.code.as_str(),
            status: entry.status.as_str(),
            body: &entry.body,
            incident_id: parent.to_owned(),
            created_at: self.time(entry.created_at),
            updated_at: self.time(entry.updated_at),
            display_at: self.time(entry.display_at),
            affected_components: entry
                .affected
                .as_ref()
                .map(|affected| affected.iter().map(Affected::from).collect()),
            deliver_notifications: true,
            custom_tweet: None,
            tweet_id: None,
        };
        entries.iter().map(update).collect()
    }

    /// The full objects of components, in the order of all components, as far as they fit.
    pub(super) fn affected(
        &self,
        components: &[ComponentId],
        budget: &mut ComponentBudget,
    ) -> Vec<Cow<'_, Component>> {
        let mut places: Vec<_> = components
            .iter()
            .filter_map(|id| self.places.get(id).copied())
            .collect();
        places.sort_unstable();
        let places = places.into_iter();
        budget.fit(places.filter_map(|place| self.components.get(place)))
    }
}

impl<'a> From<&'a StatuspageAffectedComponent> for Affected<'a> {
    fn from(component: &'a StatuspageAffectedComponent) -> Self {
        Self {
            code: component.code.as_str(),
            name: &component.name,
            old_status: component.old_status.as_str(),
            new_status: component.new_status.as_str(),
        }
    }
}
