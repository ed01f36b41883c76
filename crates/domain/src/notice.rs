//! Notices: changes that are sent to subscribers. A correction makes no notice.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::component::{Component, ComponentStatus};
use crate::incident::{Incident, IncidentStatus};
use crate::maintenance::{Maintenance, MaintenanceStatus};
use crate::markdown;
use crate::rollup::PublicStatus;
use crate::statuspage_entry::status_text;

/// Content of a notice: a change of an incident, a maintenance or a component, and the state
/// after it.
///
/// It is stored as JSON: a later version must read what an earlier version wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeContent {
    /// Title after the change; the name of a component.
    pub title: String,
    /// Description after the change.
    pub description: String,
    /// Message of the update that made the change; `None` if no update did.
    pub message: Option<String>,
    /// Number of affected components that the change does not name, because there are too many.
    #[serde(default)]
    pub unnamed_components: u64,
    /// The change.
    #[serde(flatten)]
    pub change: NoticeChange,
}

impl NoticeContent {
    /// [`Self::change_text`]; the description if the change has no text. A review is Markdown.
    #[must_use]
    pub fn text(&self) -> &str {
        self.change_text().unwrap_or(&self.description)
    }

    /// The message of the update; a fixed text if the status of an incident changed without an
    /// update. `None` for every other change without an update.
    #[must_use]
    pub fn change_text(&self) -> Option<&str> {
        self.message
            .as_deref()
            .or_else(|| self.change.status_text())
    }

    /// The text without markup; with it if nothing else is in it.
    #[must_use]
    pub fn plain_text(&self) -> Cow<'_, str> {
        let plain = self.review().map(markdown::plain);
        plain
            .filter(|plain| !plain.trim().is_empty())
            .map_or_else(|| self.text().into(), Cow::Owned)
    }

    /// Markdown of the published review; `None` if the notice is of another change.
    #[must_use]
    pub fn review(&self) -> Option<&str> {
        let is_review = matches!(
            self.change,
            NoticeChange::Incident {
                change: IncidentChange::Reviewed,
                ..
            }
        );
        self.message.as_deref().filter(|_| is_review)
    }
}

/// What changed, with the fields that an incident and a maintenance do not share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum NoticeChange {
    /// An incident.
    Incident {
        /// The change.
        change: IncidentChange,
        /// Status after the change.
        status: IncidentStatus,
        /// Status of the recorded update; `None` if no update was recorded. An update that
        /// completes the timeline leaves the incident's status as it is.
        #[serde(default)]
        update_status: Option<IncidentStatus>,
        /// When the change happened, as pages show it; `None` for the time of the notice.
        #[serde(default)]
        shown_at: Option<DateTime<Utc>>,
        /// When the incident began, as the operator entered it.
        occurred_at: DateTime<Utc>,
        /// When the incident ended, as pages show it; `None` if it is open.
        #[serde(default)]
        resolved_at: Option<DateTime<Utc>>,
        /// The affected components, those with the worst impacts first.
        components: Vec<ComponentImpact>,
    },
    /// A maintenance.
    Maintenance {
        /// The change.
        change: MaintenanceChange,
        /// Status after the change.
        status: MaintenanceStatus,
        /// When it begins.
        start_at: DateTime<Utc>,
        /// When it ends; `None` if that is unknown.
        end_at: Option<DateTime<Utc>>,
        /// [Full names](crate::component::full_name) of the affected components.
        #[serde(default)]
        components: Vec<String>,
    },
    /// A component: its status. Only webhooks receive it.
    Component {
        /// Status before the change.
        old_status: ComponentStatus,
        /// Status after the change.
        status: ComponentStatus,
    },
}

/// The status that a notice shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeStatus {
    /// Of an incident.
    Incident(IncidentStatus),
    /// Of a maintenance.
    Maintenance(MaintenanceStatus),
    /// Of a component.
    Component(ComponentStatus),
}

impl NoticeStatus {
    /// The status as people see it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Incident(status) => status.label(),
            Self::Maintenance(status) => status.label(),
            Self::Component(status) => status.label(),
        }
    }
}

impl NoticeChange {
    /// The status to show: of an incident, that of the recorded update if there is one.
    #[must_use]
    pub fn shown_status(&self) -> NoticeStatus {
        match self {
            Self::Incident {
                status,
                update_status,
                ..
            } => NoticeStatus::Incident(update_status.unwrap_or(*status)),
            Self::Maintenance { status, .. } => NoticeStatus::Maintenance(*status),
            Self::Component { status, .. } => NoticeStatus::Component(*status),
        }
    }

    /// The text of a changed status of an incident; `None` if the change is another one.
    const fn status_text(&self) -> Option<&'static str> {
        match self {
            Self::Incident {
                change:
                    IncidentChange::Updated | IncidentChange::Reopened | IncidentChange::Resolved,
                status,
                ..
            } => Some(status_text(*status)),
            _ => None,
        }
    }

    /// Names of the affected components, with the impact of an open incident on each, or that each
    /// is under maintenance.
    #[must_use]
    pub fn affected(&self) -> Vec<(&str, Option<PublicStatus>)> {
        match self {
            Self::Incident {
                status, components, ..
            } => {
                let is_open = *status != IncidentStatus::Resolved;
                let named = components.iter().map(|affected| {
                    let state = is_open.then_some(affected.status.into());
                    (affected.name.as_str(), state)
                });
                named.collect()
            }
            Self::Maintenance {
                status, components, ..
            } => {
                let is_running = *status == MaintenanceStatus::InProgress;
                let state = is_running.then_some(PublicStatus::UnderMaintenance);
                let named = components.iter().map(|name| (name.as_str(), state));
                named.collect()
            }
            Self::Component { .. } => Vec::new(),
        }
    }

    /// Labels and times of a notice that was made at `at`; the time is `None` for the end of a
    /// maintenance without one.
    #[must_use]
    pub fn times(&self, at: DateTime<Utc>) -> Vec<(&'static str, Option<DateTime<Utc>>)> {
        match self {
            Self::Incident {
                change,
                shown_at,
                occurred_at,
                resolved_at,
                ..
            } => {
                let label = match change {
                    IncidentChange::Created => "Reported",
                    IncidentChange::Updated => "Updated",
                    IncidentChange::Reopened => "Reopened",
                    IncidentChange::Resolved => "Resolved",
                    IncidentChange::Reviewed => "Reviewed",
                };
                let shown_at = shown_at.unwrap_or(at);
                // The time of the change is that of the end already.
                let resolved_at = resolved_at.filter(|_| *change != IncidentChange::Resolved);
                let mut times = vec![("Began", Some(*occurred_at))];
                times.extend(resolved_at.map(|at| ("Resolved", Some(at))));
                times.push((label, Some(shown_at)));
                times
            }
            Self::Maintenance {
                start_at, end_at, ..
            } => vec![
                ("Starts", Some(*start_at)),
                ("Ends", *end_at),
                ("Posted", Some(at)),
            ],
            Self::Component { .. } => vec![("Changed", Some(at))],
        }
    }

    /// Whether this is the first notice about its subject. There is one at most.
    #[must_use]
    pub const fn begins_thread(&self) -> bool {
        matches!(
            self,
            Self::Incident {
                change: IncidentChange::Created,
                ..
            } | Self::Maintenance {
                change: MaintenanceChange::Scheduled,
                ..
            }
        )
    }

    /// Whether the notice is withdrawn when the update that made the change is deleted.
    /// `is_resolved` says whether the incident is resolved without the update. Then its end stays,
    /// as do the beginning and the end of a maintenance.
    #[must_use]
    pub const fn is_withdrawn_with_update(&self, is_resolved: bool) -> bool {
        match self {
            Self::Incident { change, .. } => match change {
                IncidentChange::Updated | IncidentChange::Reopened => true,
                IncidentChange::Resolved => !is_resolved,
                IncidentChange::Created | IncidentChange::Reviewed => false,
            },
            Self::Maintenance { change, .. } => matches!(change, MaintenanceChange::Updated),
            Self::Component { .. } => false,
        }
    }
}

/// The impact of an incident on a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentImpact {
    /// [Full name](crate::component::full_name) of the component.
    pub name: String,
    /// Impact of the incident on it.
    pub status: ComponentStatus,
}

/// What happened to an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum IncidentChange {
    /// It was created.
    Created,
    /// An update was recorded, or the status changed.
    Updated,
    /// It has ended.
    Resolved,
    /// It was resolved, and is not any more.
    Reopened,
    /// Its review was published.
    Reviewed,
}

impl IncidentChange {
    /// The change that a write means to subscribers; `None` if it does not concern them. `recorded`
    /// if it recorded an update.
    #[must_use]
    pub fn of(before: &Incident, after: &Incident, recorded: bool) -> Option<Self> {
        let moved = before.status != after.status;
        match (before.status, after.status) {
            (_, IncidentStatus::Resolved) if moved => Some(Self::Resolved),
            (IncidentStatus::Resolved, _) if moved => Some(Self::Reopened),
            _ => (moved || recorded).then_some(Self::Updated),
        }
    }
}

/// A notice to store for the subscribers of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewNotice {
    /// An incident changed.
    Incident {
        /// The change.
        change: IncidentChange,
        /// The incident after the change.
        incident: Incident,
        /// The message of the update that made the change, if one did.
        message: Option<String>,
        /// The status of the update that was recorded, if one was.
        update_status: Option<IncidentStatus>,
        /// When the change happened, as pages show it; `None` for the time of the notice.
        shown_at: Option<DateTime<Utc>>,
    },
    /// A maintenance changed.
    Maintenance {
        /// The change.
        change: MaintenanceChange,
        /// The maintenance after the change.
        maintenance: Maintenance,
        /// The message of the update that was recorded, if one was.
        message: Option<String>,
    },
    /// The status of a component changed.
    Component {
        /// Status before the change.
        old_status: ComponentStatus,
        /// The component after the change.
        component: Component,
    },
}

impl NewNotice {
    /// The notice of a change of a component; `None` if its status stays.
    #[must_use]
    pub(crate) fn of_component(old_status: ComponentStatus, after: &Component) -> Option<Self> {
        (after.status != old_status).then(|| Self::Component {
            old_status,
            component: after.clone(),
        })
    }
}

/// What happened to a maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MaintenanceChange {
    /// It was created, and begins later.
    Scheduled,
    /// Its cancellation was revoked, and it begins later.
    Reinstated,
    /// Its times changed.
    Rescheduled,
    /// An update was recorded.
    Updated,
    /// It has begun.
    Began,
    /// It has ended.
    Ended,
    /// It is cancelled.
    Cancelled,
}

impl MaintenanceChange {
    /// The change that a write or the clock means to subscribers; `None` if it does not concern
    /// them. `recorded` if an update was recorded. `before` is `None` for a new maintenance.
    #[must_use]
    pub fn of(
        before: Option<&Maintenance>,
        after: &Maintenance,
        recorded: bool,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let status = after.status(now);
        match before {
            Some(before) if before.published_status == status => {
                let moved = (before.start_at, before.end_at) != (after.start_at, after.end_at);
                // The times of a cancelled maintenance concern no subscriber.
                let concerns = moved && status != MaintenanceStatus::Cancelled;
                if recorded {
                    Some(Self::Updated)
                } else {
                    concerns.then_some(Self::Rescheduled)
                }
            }
            _ => Some(match status {
                MaintenanceStatus::Scheduled => {
                    match before.map(|before| before.published_status) {
                        None => Self::Scheduled,
                        Some(MaintenanceStatus::Cancelled) => Self::Reinstated,
                        Some(_) => Self::Rescheduled,
                    }
                }
                MaintenanceStatus::InProgress => Self::Began,
                MaintenanceStatus::Completed => Self::Ended,
                MaintenanceStatus::Cancelled => Self::Cancelled,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use strum::VariantArray;
    use uuid::Uuid;

    use crate::id::MaintenanceId;
    use crate::incident::IncidentPatch;
    use crate::incident::tests::{any_status, at, incident, set};
    use crate::maintenance::{ChangeContext, MaintenanceDraft, MaintenancePatch, NewEnd};

    fn about_incident(status: IncidentStatus) -> NoticeChange {
        NoticeChange::Incident {
            change: IncidentChange::Updated,
            status,
            update_status: Some(IncidentStatus::Monitoring),
            shown_at: Some(at(3)),
            occurred_at: at(1),
            resolved_at: (status == IncidentStatus::Resolved).then_some(at(2)),
            components: vec![ComponentImpact {
                name: "API".into(),
                status: ComponentStatus::PartialOutage,
            }],
        }
    }

    #[test]
    fn notice_of_an_incident_shows_the_update_and_the_impacts_until_the_end() {
        let open = about_incident(IncidentStatus::Identified);
        assert_eq!(open.shown_status().label(), "Monitoring");
        let impact = Some(PublicStatus::PartialOutage);
        assert_eq!(open.affected(), [("API", impact)]);
        assert_eq!(
            open.times(at(9)),
            [("Began", Some(at(1))), ("Updated", Some(at(3)))]
        );
        let resolved = about_incident(IncidentStatus::Resolved);
        assert_eq!(resolved.affected(), [("API", None)]);
        assert_eq!(
            resolved.times(at(9)),
            [
                ("Began", Some(at(1))),
                ("Resolved", Some(at(2))),
                ("Updated", Some(at(3)))
            ]
        );
    }

    #[test]
    fn only_a_review_is_markdown() {
        let of = |change| NoticeContent {
            title: "Down".into(),
            description: "**It**".into(),
            message: Some("**All**".into()),
            unnamed_components: 0,
            change: NoticeChange::Incident {
                change,
                status: IncidentStatus::Resolved,
                update_status: None,
                shown_at: None,
                occurred_at: at(1),
                resolved_at: Some(at(2)),
                components: Vec::new(),
            },
        };
        assert_eq!(of(IncidentChange::Reviewed).plain_text(), "All");
        assert_eq!(of(IncidentChange::Updated).plain_text(), "**All**");
        let empty = NoticeContent {
            message: Some("<p></p>".into()),
            ..of(IncidentChange::Reviewed)
        };
        assert_eq!(empty.plain_text(), "<p></p>");
        let withdrawn = NoticeContent {
            message: None,
            ..of(IncidentChange::Reviewed)
        };
        assert_eq!(withdrawn.plain_text(), "**It**");
    }

    #[test]
    fn changed_status_without_an_update_has_a_text_of_its_own() {
        let of = |change| NoticeContent {
            title: "Down".into(),
            description: "All of it".into(),
            message: None,
            unnamed_components: 0,
            change: NoticeChange::Incident {
                change,
                status: IncidentStatus::Resolved,
                update_status: None,
                shown_at: None,
                occurred_at: at(1),
                resolved_at: Some(at(2)),
                components: Vec::new(),
            },
        };
        let resolved = of(IncidentChange::Resolved);
        assert_eq!(resolved.text(), "This incident has been resolved.");
        let created = of(IncidentChange::Created);
        assert_eq!((created.text(), created.change_text()), ("All of it", None));
        let updated = NoticeContent {
            message: Some("It is mended".into()),
            ..resolved
        };
        assert_eq!(updated.text(), "It is mended");
    }

    #[test]
    fn notice_of_a_maintenance_without_an_end_has_the_label_of_the_end() {
        let maintenance = |status| NoticeChange::Maintenance {
            change: MaintenanceChange::Scheduled,
            status,
            start_at: at(5),
            end_at: None,
            components: vec!["API".into()],
        };
        let scheduled = maintenance(MaintenanceStatus::Scheduled);
        assert_eq!(
            scheduled.times(at(2)),
            [
                ("Starts", Some(at(5))),
                ("Ends", None),
                ("Posted", Some(at(2)))
            ]
        );
        assert_eq!(scheduled.affected(), [("API", None)]);
        let running = maintenance(MaintenanceStatus::InProgress);
        let state = Some(PublicStatus::UnderMaintenance);
        assert_eq!(running.affected(), [("API", state)]);
    }

    fn planned(start: i64, end: Option<i64>) -> Maintenance {
        let draft = MaintenanceDraft {
            title: "Move".into(),
            description: "All of it".into(),
            start_at: at(start),
            end_at: end.map(at),
            status: MaintenanceStatus::default(),
            notify: None,
            components: Vec::new(),
        };
        let id = MaintenanceId(Uuid::from_u128(1));
        Maintenance::create(id, draft, ChangeContext::at(at(0)))
            .unwrap()
            .state
    }

    /// The change of an edit at second 5, after the status of that second was published.
    fn edited(before: &Maintenance, patch: MaintenancePatch) -> Option<MaintenanceChange> {
        let after = before.clone().edit(patch, true, at(5)).unwrap().state;
        let before = Maintenance {
            published_status: before.status(at(5)),
            ..before.clone()
        };
        MaintenanceChange::of(Some(&before), &after, false, at(5))
    }

    proptest! {
        #[test]
        fn an_incident_causes_a_notice_when_moved_or_updated(
            before in any_status(), after in any_status(), recorded in any::<bool>(),
        ) {
            let change = IncidentChange::of(&incident(before), &incident(after), recorded);
            prop_assert_eq!(change.is_some(), recorded || before != after);
            let over = after == IncidentStatus::Resolved && before != after;
            prop_assert_eq!(change == Some(IncidentChange::Resolved), over);
            let open_again = before == IncidentStatus::Resolved && before != after;
            prop_assert_eq!(change == Some(IncidentChange::Reopened), open_again);
        }

        #[test]
        fn the_clock_causes_a_notice_when_the_published_status_is_outdated(
            published_status in proptest::sample::select(MaintenanceStatus::VARIANTS.to_vec()), second in 0_i64..30,
        ) {
            let maintenance = Maintenance { published_status, ..planned(10, Some(20)) };
            let status = maintenance.status(at(second));
            let change = MaintenanceChange::of(Some(&maintenance), &maintenance, false, at(second));
            prop_assert_eq!(change.is_some(), published_status != status);
            // A later status was published by a node whose clock is ahead.
            let is_outdated = published_status == MaintenanceStatus::Cancelled || published_status < status;
            prop_assert_eq!(!maintenance.publish_due(at(second)).has_no_events(), is_outdated);
        }
    }

    #[test]
    fn a_corrected_text_causes_no_notice() {
        let before = incident(IncidentStatus::Monitoring);
        let patch = IncidentPatch {
            title: Some("Typo".into()),
            ..set(IncidentStatus::Monitoring)
        };
        let after = before.clone().edit(patch, true, at(2)).unwrap().state;
        assert_eq!(IncidentChange::of(&before, &after, false), None);
        let patch = MaintenancePatch {
            description: Some("Typo".into()),
            ..Default::default()
        };
        assert_eq!(edited(&planned(10, None), patch), None);
    }

    #[test]
    fn a_maintenance_causes_a_notice_when_moved_cancelled_or_reinstated() {
        let (coming, running) = (planned(10, None), planned(1, None));
        let end = MaintenancePatch {
            end_at: Some(NewEnd::At(at(600))),
            ..Default::default()
        };
        let start = MaintenancePatch {
            start_at: Some(at(12)),
            ..Default::default()
        };
        let status = |status| MaintenancePatch {
            status: Some(status),
            ..Default::default()
        };
        let over = MaintenancePatch {
            end_at: Some(NewEnd::At(at(5))),
            ..Default::default()
        };
        let cancelled = coming
            .clone()
            .edit(status(MaintenanceStatus::Cancelled), true, at(2))
            .unwrap()
            .state;
        assert_eq!(
            edited(&coming, end.clone()),
            Some(MaintenanceChange::Rescheduled)
        );
        assert_eq!(
            edited(&coming, status(MaintenanceStatus::Cancelled)),
            Some(MaintenanceChange::Cancelled)
        );
        assert_eq!(
            edited(&cancelled, status(MaintenanceStatus::Scheduled)),
            Some(MaintenanceChange::Reinstated)
        );
        assert_eq!(edited(&cancelled, end), None);
        assert_eq!(edited(&running, over), Some(MaintenanceChange::Ended));
        assert_eq!(
            edited(&running, start),
            Some(MaintenanceChange::Rescheduled)
        );
    }

    #[test]
    fn the_notice_of_a_new_maintenance_says_its_status() {
        for (second, change) in [
            (5, MaintenanceChange::Scheduled),
            (15, MaintenanceChange::Began),
            (25, MaintenanceChange::Ended),
        ] {
            assert_eq!(
                MaintenanceChange::of(None, &planned(10, Some(20)), false, at(second)),
                Some(change)
            );
        }
    }
}
