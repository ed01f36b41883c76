//! The entries of an incident or a maintenance.

use std::borrow::Cow;

use allclear_domain::statuspage_entry::{StatuspageAffectedComponent, StatuspageEntry};
use serde::Serialize;

use super::Time;

#[derive(Serialize)]
pub(super) struct Update<'a> {
    pub(super) status: &'static str,
    pub(super) body: Cow<'a, str>,
    pub(super) created_at: Time,
    #[serde(rename = "wants_twitter_update")]
    wants_tweet: bool,
    twitter_updated_at: Option<Time>,
    updated_at: Time,
    pub(super) display_at: Time,
    affected_components: Option<Vec<Affected<'a>>>,
    custom_tweet: Option<&'a str>,
    deliver_notifications: bool,
    id: String,
    incident_id: String,
}

#[derive(Serialize)]
struct Affected<'a> {
    code: &'a str,
    name: &'a str,
    old_status: &'static str,
    new_status: &'static str,
}

impl<'a> Update<'a> {
    /// An entry of the thing with this code.
    pub(super) fn of(entry: &'a StatuspageEntry, parent: &str) -> Self {
        let affected = entry.affected.as_ref();
        Self {
            updated_at: Time(entry.updated_at),
            display_at: Time(entry.display_at),
            affected_components: affected
                .map(|affected| affected.iter().map(Affected::from).collect()),
            ..Self::new(
                entry.status.as_str(),
                entry.body.as_str().into(),
                Time(entry.created_at),
                entry.code.to_string(),
                parent,
            )
        }
    }

    /// An entry that is known from a notice alone.
    pub(super) fn new(
        status: &'static str,
        body: Cow<'a, str>,
        at: Time,
        code: String,
        parent: &str,
    ) -> Self {
        Self {
            status,
            body,
            created_at: at,
            wants_tweet: false,
            twitter_updated_at: None,
            updated_at: at,
            display_at: at,
            affected_components: None,
            custom_tweet: None,
            deliver_notifications: true,
            id: code,
            incident_id: parent.to_owned(),
        }
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
