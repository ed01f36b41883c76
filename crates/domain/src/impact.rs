//! Impacts of unresolved incidents on components, and the status that a component gets from them.

use chrono::{DateTime, Utc};

use crate::audit::{Action, Target};
use crate::component::{Component, ComponentStatus, StatusSource};
use crate::event::{Changed, Event};
use crate::id::{ComponentId, IncidentId, StatusPeriodId};
use crate::incident::Incident;
use crate::notice::NewNotice;
use crate::status_period::{PeriodCause, PeriodChanges, StatusPeriod, StatusSpan, overlay};
use crate::validation::{FieldError, Invalid, check_known, repeated};

const NOT_ATTACHED: &str = "This component is not attached";

/// A component attached to an incident, with the impact on it while the incident is unresolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// The component.
    pub component_id: ComponentId,
    /// The impact.
    pub status: ComponentStatus,
}

/// Checks components with the impact of an incident that exists on each.
///
/// # Errors
/// [`Invalid`] if the list is empty or names a component twice.
pub fn check_attachments(attachments: &[Attachment]) -> Result<(), Invalid> {
    if attachments.is_empty() {
        return Err(Invalid::field(
            "components",
            "At least one component is required",
        ));
    }
    let mut invalid = Invalid::default();
    check_once(attachments, &mut invalid);
    invalid.into_result()
}

/// Checks components to detach from an incident.
///
/// # Errors
/// [`Invalid`] if the list is empty or names a component twice.
pub fn check_detachments(components: &[ComponentId]) -> Result<(), Invalid> {
    if components.is_empty() {
        return Err(Invalid::field(
            "componentIds",
            "At least one component is required",
        ));
    }
    let mut invalid = Invalid::default();
    for index in repeated(components) {
        invalid.add(chosen_already(format!("componentIds[{index}]")));
    }
    invalid.into_result()
}

/// Adds an error for every repeated component.
pub fn check_once(attachments: &[Attachment], invalid: &mut Invalid) {
    for index in repeated(&ids(attachments)) {
        invalid.add(chosen_already(format!("components[{index}].componentId")));
    }
}

fn ids(attachments: &[Attachment]) -> Vec<ComponentId> {
    let ids = attachments.iter().map(|attachment| attachment.component_id);
    ids.collect()
}

pub(crate) fn chosen_already(field: String) -> FieldError {
    FieldError {
        field,
        message: "This component is chosen already".to_owned(),
    }
}

/// The components whose impact by an incident changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImpactChange {
    /// All components attached to the incident, because it was resolved or reopened.
    OnAll {
        /// The incident.
        incident: IncidentId,
        /// When it was resolved or reopened.
        since: DateTime<Utc>,
        /// The correction of its times by the same change; `None` if there is none. It comes first.
        moved: Option<ImpactMove>,
    },
    /// These components, because they were attached or detached, the impact on them was corrected, or the incident was created or
    /// deleted.
    On {
        /// The incident.
        incident: IncidentId,
        /// The components.
        components: Vec<ComponentId>,
        /// When the impact began; `None` means with this change.
        since: Option<DateTime<Utc>>,
    },
    /// The history of these components, because the incident was over when they were attached. Their current status stays.
    Past {
        /// The incident.
        incident: IncidentId,
        /// The components with the impact on each.
        components: Vec<Attachment>,
        /// When the impact began.
        from: DateTime<Utc>,
        /// When it ended.
        to: DateTime<Utc>,
    },
    /// The history of all components attached to the incident, because its times were corrected. Their current status stays.
    Moved(ImpactMove),
}

/// When an incident has an impact: from its occurrence to its resolution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpactInterval {
    /// When the incident occurred.
    pub from: DateTime<Utc>,
    /// When it was resolved; `None` while it is unresolved.
    pub to: Option<DateTime<Utc>>,
}

impl ImpactInterval {
    /// Whether the incident is resolved and took no time.
    fn is_empty(&self) -> bool {
        self.to.is_some_and(|to| to <= self.from)
    }
}

/// A correction of the times of an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImpactMove {
    /// The incident.
    pub incident: IncidentId,
    /// Its interval before.
    pub before: ImpactInterval,
    /// Its interval after.
    pub after: ImpactInterval,
}

impl ImpactMove {
    /// An interval that contains the incident before and after.
    #[must_use]
    pub fn hull(&self) -> ImpactInterval {
        let ends = self.before.to.zip(self.after.to);
        ImpactInterval {
            from: self.before.from.min(self.after.from),
            to: ends.map(|(before, after)| before.max(after)),
        }
    }

    /// The changes of a component's history if this incident is attached to it with the impact `status`. `periods` are all
    /// periods that overlap or touch the [hull](Self::hull). `id` makes identifiers of new periods.
    ///
    /// Only periods that the incident caused change. Their starts move with the occurrence, their ends with the resolution:
    ///
    /// - A start at the former occurrence, or an end at the former resolution, moves as far as the neighbouring period allows.
    /// - Where a neighbour cut off the impact, the boundary moves only away from the neighbour.
    /// - A period that would be empty is removed.
    /// - If the incident took no time before and caused no period, its impact is [overlaid](overlay) as that of a past incident.
    ///
    /// Every other boundary stays. An operator corrected it, the component was attached later, or another status took over at
    /// exactly that time. In the last case another impact may have been hidden, and a gap would be wrong. Time beyond a neighbour
    /// is not filled. A reopened incident has earlier periods, which stay.
    #[must_use]
    pub fn apply(
        &self,
        periods: &[StatusPeriod],
        status: ComponentStatus,
        now: DateTime<Utc>,
        id: impl FnMut() -> StatusPeriodId,
    ) -> PeriodChanges {
        if self.before.is_empty() && !periods.iter().any(|period| self.caused(period)) {
            let span = StatusSpan {
                status,
                start_at: self.after.from,
                end_at: self.after.to.map(|to| to.min(now)),
            };
            return overlay(
                periods,
                span,
                &PeriodCause::Incident(self.incident, None),
                id,
            );
        }
        let mut periods: Vec<_> = periods.iter().collect();
        periods.sort_by_key(|period| period.span.start_at);
        let mut changes = PeriodChanges::default();
        // The end of the previous period as stored, and the earliest start that does not overlap it after the move.
        let (mut previous, mut earliest) = (None, None);
        for (index, period) in periods.iter().enumerate() {
            let next = periods.get(index + 1).map(|next| next.span.start_at);
            let mut span = period.span;
            if self.caused(period) {
                span.start_at = self.start(span.start_at, previous, earliest);
                span.end_at = span.end_at.map(|end_at| self.end(end_at, next, now));
            }
            previous = period.span.end_at;
            if span.end_at.is_some_and(|end_at| end_at <= span.start_at) {
                changes.deleted.push(period.id);
                continue;
            }
            earliest = span.end_at;
            if span != period.span {
                changes.updated.push(StatusPeriod {
                    span,
                    ..(*period).clone()
                });
            }
        }
        changes
    }

    fn caused(&self, period: &StatusPeriod) -> bool {
        matches!(period.cause, PeriodCause::Incident(id, _) if id == self.incident)
    }

    /// The start of a period of the incident after the move. `previous` is the end of the period before it.
    fn start(
        &self,
        start_at: DateTime<Utc>,
        previous: Option<DateTime<Utc>>,
        earliest: Option<DateTime<Utc>>,
    ) -> DateTime<Utc> {
        let (before, after) = (self.before.from, self.after.from);
        if previous == Some(start_at) {
            if before < start_at {
                return start_at.max(after);
            }
        } else if before == start_at {
            return earliest.map_or(after, |earliest| after.max(earliest));
        }
        start_at
    }

    /// The end of a period of the incident after the move. `next` is the start of the period after it.
    fn end(
        &self,
        end_at: DateTime<Utc>,
        next: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> DateTime<Utc> {
        let (Some(before), Some(after)) = (self.before.to, self.after.to) else {
            return end_at;
        };
        let after = after.min(now);
        if next == Some(end_at) {
            if end_at < before {
                return end_at.min(after);
            }
        } else if before == end_at {
            return next.map_or(after, |next| after.min(next));
        }
        end_at
    }
}

/// An incident with the components attached to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndAttached {
    /// The incident.
    pub incident: Incident,
    /// The components attached to it.
    pub attached: Vec<ComponentId>,
}

/// A component cannot be attached twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("A component is attached to this incident already")]
pub struct AlreadyAttached;

/// The impacts of an incident cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpactRefused {
    /// They are history by now.
    #[error(
        "The incident is resolved. Its impact is in the history of each component, which you can edit"
    )]
    Resolved,
    /// One of the components is not attached.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

impl IncidentAndAttached {
    /// Attaches components. If the incident is resolved, its impact becomes part of their history, and their current status stays.
    ///
    /// # Errors
    /// [`AlreadyAttached`] if one of them is attached.
    pub fn attach(&self, components: &[Attachment]) -> Result<Changed<()>, AlreadyAttached> {
        if components
            .iter()
            .any(|attachment| self.attached.contains(&attachment.component_id))
        {
            return Err(AlreadyAttached);
        }
        let events = vec![Event::IncidentUpdated(self.incident.id)];
        Ok(Changed {
            impacts: self.incident.impact_when_attached(components, None),
            ..Changed::new((), events)
        })
    }

    /// Changes the impacts on attached components from now on.
    ///
    /// # Errors
    /// [`ImpactRefused`] if the incident is resolved, or one of the components is not attached.
    pub fn change_impacts(&self, components: &[Attachment]) -> Result<Changed<()>, ImpactRefused> {
        let ids = ids(components);
        let field = |index| format!("components[{index}].componentId");
        check_known(&ids, &self.attached, field, NOT_ATTACHED)?;
        if !self.incident.has_impact() {
            return Err(ImpactRefused::Resolved);
        }
        Ok(self.changed(Event::IncidentUpdated(self.incident.id), ids))
    }

    /// Detaches components. The history that a resolved incident caused stays, also when the incident is deleted; an operator may
    /// correct it.
    ///
    /// # Errors
    /// [`Invalid`] if one of them is not attached.
    pub fn detach(&self, components: Vec<ComponentId>) -> Result<Changed<()>, Invalid> {
        let field = |index| format!("componentIds[{index}]");
        check_known(&components, &self.attached, field, NOT_ATTACHED)?;
        Ok(self.changed(Event::IncidentUpdated(self.incident.id), components))
    }

    /// Deletes the incident.
    #[must_use]
    pub fn delete(self) -> Changed<()> {
        let id = self.incident.id;
        self.changed(Event::IncidentDeleted(id), self.attached.clone())
            .audited(
                Action::IncidentDeleted,
                Target::Incident(id),
                self.incident.title,
            )
    }

    fn changed(&self, event: Event, components: Vec<ComponentId>) -> Changed<()> {
        Changed {
            impacts: self.incident.impact_on(components, None),
            ..Changed::new((), vec![event])
        }
    }
}

impl Incident {
    /// The change of impacts if components are attached to this incident. If it is unresolved, the impact begins at `since`;
    /// `None` means now.
    pub(crate) fn impact_when_attached(
        &self,
        components: &[Attachment],
        since: Option<DateTime<Utc>>,
    ) -> Option<ImpactChange> {
        if let Some(resolved_at) = self.resolved_at {
            return self.past_impact_on(components, resolved_at);
        }
        self.impact_on(ids(components), since)
    }

    /// The change of impacts from `before` to this incident. The components attached to it are the same.
    pub(crate) fn impact_after(&self, before: &Self) -> Option<ImpactChange> {
        let moved = self.moved_from(before);
        if before.has_impact() == self.has_impact() {
            return moved.map(ImpactChange::Moved);
        }
        Some(ImpactChange::OnAll {
            incident: self.id,
            since: self.resolved_at.unwrap_or(self.updated_at),
            moved,
        })
    }

    /// The correction of the times of this incident; `None` if there is none. An unresolved incident that is said to occur in the
    /// future corrects nothing, because its impact is known already.
    fn moved_from(&self, before: &Self) -> Option<ImpactMove> {
        let interval = |incident: &Self| ImpactInterval {
            from: incident.occured_at,
            to: incident.resolved_at,
        };
        let (before, after) = (interval(before), interval(self));
        let ends = before.to.zip(after.to);
        let is_moved = before.from != after.from || ends.is_some_and(|(was, is)| was != is);
        let is_known = after.to.is_some() || after.from <= self.updated_at;
        (is_moved && is_known).then_some(ImpactMove {
            incident: self.id,
            before,
            after,
        })
    }

    /// The change of impacts if components are attached to this incident or detached from it, `None` for `since` means now.
    fn impact_on(
        &self,
        components: Vec<ComponentId>,
        since: Option<DateTime<Utc>>,
    ) -> Option<ImpactChange> {
        (self.has_impact() && !components.is_empty()).then_some(ImpactChange::On {
            incident: self.id,
            components,
            since,
        })
    }

    /// The impact of this resolved incident on the history of its components; `None` if it has none.
    fn past_impact_on(
        &self,
        components: &[Attachment],
        resolved_at: DateTime<Utc>,
    ) -> Option<ImpactChange> {
        let lasted = self.occured_at < resolved_at;
        (lasted && !components.is_empty()).then(|| ImpactChange::Past {
            incident: self.id,
            components: components.to_vec(),
            from: self.occured_at,
            to: resolved_at,
        })
    }
}

impl Component {
    /// This component after its impacts have changed; `impacts` are those of all unresolved incidents now. Its status becomes the
    /// worst impact. Without impacts it becomes operational, unless an operator has set the status since incidents last did.
    ///
    /// The source may change without the status. Then the state differs from before, and there is no event.
    #[must_use]
    pub fn apply_impacts(
        self,
        impacts: impl IntoIterator<Item = ComponentStatus>,
        now: DateTime<Utc>,
    ) -> Changed<Self> {
        let (status, status_source) = match (ComponentStatus::worst(impacts), self.status_source) {
            (Some(worst), _) => (worst, StatusSource::Incidents),
            (None, StatusSource::Incidents) => {
                (ComponentStatus::Operational, StatusSource::Incidents)
            }
            (None, StatusSource::Operator) => (self.status, StatusSource::Operator),
        };
        if status == self.status {
            return Changed::without_events(Self {
                status_source,
                ..self
            });
        }
        let (id, old_status) = (self.id, self.status);
        let state = Self {
            status,
            status_source,
            updated_at: now,
            ..self
        };
        let notice = NewNotice::of_component(old_status, &state);
        Changed {
            notices: notice.into_iter().collect(),
            ..Changed::new(state, vec![Event::ComponentUpdate(id)])
        }
    }
}

#[cfg(test)]
mod tests;
