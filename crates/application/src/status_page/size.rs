//! Size limits of incidents and maintenances in events, on the status page and in lists. The
//! timeline is shortened first: its newest entries are kept, and the flag `timelineTruncated` says
//! that older ones are left out.

use std::io;

use allclear_domain::text::shorten;
use serde::Serialize;

use crate::error::Error;
use crate::status_page::PublicComponent;
use crate::status_page::component_group::PublicComponentGroup;
use crate::status_page::incident::{AffectedComponent, IncidentTimelineEntry, PublicIncident};
use crate::status_page::maintenance::{
    MaintenanceComponent, MaintenanceTimelineEntry, PublicMaintenance,
};

/// The largest event, in bytes: its name and its arguments as JSON.
pub const EVENT_BYTES: usize = 64 * 1024;
/// Maximum size of an event without its argument: name, brackets and the lines of an event stream.
const FRAME_BYTES: usize = 256;
/// Maximum number of resolved incidents, and of past maintenances, on the status page.
pub const PAST_SHOWN: u64 = 50;
/// Maximum number of unresolved incidents, and of maintenances that have not ended, on the
/// status page.
pub const OPEN_SHOWN: usize = 1_000;
/// Size limit of the unresolved incidents on the status page, and of the maintenances that have not
/// ended, in bytes of JSON. What exceeds it is shortened.
pub const PAGE_BYTES: usize = 1024 * 1024;
/// Size limit of the timeline of a past incident or maintenance on the status page, in
/// bytes of JSON.
const PAST_TIMELINE_BYTES: usize = 16 * 1024;
/// Size limit of all timelines of a page of a list, in bytes of JSON.
pub const LIST_TIMELINE_BYTES: usize = 4 * 1024 * 1024;
/// Length of a shortened description, in characters.
const SHORTENED_LENGTH: usize = 200;

/// A published incident or maintenance with its timeline.
pub trait WithTimeline: Serialize {
    /// An entry of the timeline.
    type Entry: Serialize;
    /// An affected component.
    type Component: Serialize;

    /// The timeline, newest first, and whether older entries are left out.
    fn timeline(&mut self) -> (&mut Vec<Self::Entry>, &mut bool);

    /// The description, and whether its end is left out.
    fn description(&mut self) -> (&mut String, &mut bool);

    /// The affected components, and whether some are left out.
    fn components(&mut self) -> (&mut Vec<Self::Component>, &mut bool);

    /// Removes components from the end until the rest takes at most `room` bytes. Returns the
    /// remaining room.
    ///
    /// # Errors
    /// [`Error::Internal`] when something cannot be written as JSON.
    fn fit_components(&mut self, room: usize) -> Result<usize, Error> {
        let (components, truncated) = self.components();
        let all = std::mem::take(components);
        *truncated = true;
        let left = room.saturating_sub(json_size(self)?);
        let (components, truncated) = self.components();
        *components = all;
        *truncated = false;
        fit(components, truncated, left)
    }

    /// Returns the event's version: with the newest entries of the timeline that fit in
    /// [`EVENT_BYTES`].
    ///
    /// # Errors
    /// [`Error::Internal`] when something cannot be written as JSON.
    fn for_event(mut self) -> Result<Self, Error>
    where
        Self: Sized,
    {
        let bytes = EVENT_BYTES - FRAME_BYTES;
        if json_size(&self)? <= bytes {
            return Ok(self);
        }
        let (timeline, truncated) = self.timeline();
        let (all, was_truncated) = (std::mem::take(timeline), *truncated);
        *truncated = true;
        // Texts of legal lengths stay far below the limit, even if every character is escaped.
        let left = self.fit_components(bytes)?;
        let (timeline, truncated) = self.timeline();
        *timeline = all;
        *truncated = was_truncated;
        self.fit_timeline(left)?;
        Ok(self)
    }

    /// Returns the version of a past incident or maintenance on the status page.
    ///
    /// # Errors
    /// [`Error::Internal`] when something cannot be written as JSON.
    fn for_past(mut self) -> Result<Self, Error>
    where
        Self: Sized,
    {
        self.fit_timeline(PAST_TIMELINE_BYTES)?;
        Ok(self)
    }

    /// Keeps the newest entries of the timeline that fit in `room` bytes. Returns the
    /// remaining room.
    ///
    /// # Errors
    /// [`Error::Internal`] when something cannot be written as JSON.
    fn fit_timeline(&mut self, room: usize) -> Result<usize, Error> {
        let (timeline, truncated) = self.timeline();
        fit(timeline, truncated, room)
    }

    /// Returns the version without a timeline and with only the beginning of the description.
    fn shorten(&mut self) {
        let (timeline, truncated) = self.timeline();
        *truncated |= !timeline.is_empty();
        timeline.clear();
        let (description, truncated) = self.description();
        *truncated |= shorten_description(description);
    }
}

/// Keeps the beginning of a description that exceeds a size limit. Returns whether the description
/// was longer.
pub fn shorten_description(description: &mut String) -> bool {
    shorten(description, SHORTENED_LENGTH)
}

/// A shared size limit, in bytes.
#[derive(Debug)]
pub struct Budget(usize);

impl Budget {
    /// A budget of `bytes` bytes of JSON.
    #[must_use]
    pub const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Whether the remaining room is too small for another item.
    #[must_use]
    pub const fn is_spent(&self) -> bool {
        self.0 < 1024
    }

    /// Takes the room that an item needs, or shortens the item.
    ///
    /// # Errors
    /// [`Error::Internal`] when something cannot be written as JSON.
    pub fn show<T: WithTimeline>(&mut self, thing: T) -> Result<T, Error> {
        self.show_or_shorten(thing.for_event()?, T::shorten)
    }

    /// [`Self::show`] for a component.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written as JSON.
    pub fn show_component(&mut self, component: PublicComponent) -> Result<PublicComponent, Error> {
        self.show_or_shorten(component, |component| {
            component.description_truncated = shorten_description(&mut component.description);
        })
    }

    /// [`Self::show`] for a group.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be written as JSON.
    pub fn show_group(
        &mut self,
        group: PublicComponentGroup,
    ) -> Result<PublicComponentGroup, Error> {
        self.show_or_shorten(group, |group| {
            group.description_truncated = shorten_description(&mut group.description);
        })
    }

    fn show_or_shorten<T: Serialize>(
        &mut self,
        mut thing: T,
        shorten: impl FnOnce(&mut T),
    ) -> Result<T, Error> {
        let mut size = json_size(&thing)?;
        if size > self.0 {
            shorten(&mut thing);
            size = json_size(&thing)?;
        }
        self.0 = self.0.saturating_sub(size);
        Ok(thing)
    }

    /// Keeps the newest entries of a timeline that fit, and takes their room.
    ///
    /// # Errors
    /// [`Error::Internal`] when an entry cannot be written as JSON.
    pub fn fit<T: Serialize>(
        &mut self,
        timeline: &mut Vec<T>,
        truncated: &mut bool,
    ) -> Result<(), Error> {
        self.0 = fit(timeline, truncated, self.0)?;
        Ok(())
    }
}

impl WithTimeline for PublicIncident {
    type Entry = IncidentTimelineEntry;
    type Component = AffectedComponent;

    fn timeline(&mut self) -> (&mut Vec<IncidentTimelineEntry>, &mut bool) {
        (&mut self.timeline, &mut self.timeline_truncated)
    }

    fn description(&mut self) -> (&mut String, &mut bool) {
        (&mut self.description, &mut self.description_truncated)
    }

    fn components(&mut self) -> (&mut Vec<AffectedComponent>, &mut bool) {
        (&mut self.components, &mut self.components_truncated)
    }
}

impl WithTimeline for PublicMaintenance {
    type Entry = MaintenanceTimelineEntry;
    type Component = MaintenanceComponent;

    fn timeline(&mut self) -> (&mut Vec<MaintenanceTimelineEntry>, &mut bool) {
        (&mut self.timeline, &mut self.timeline_truncated)
    }

    fn description(&mut self) -> (&mut String, &mut bool) {
        (&mut self.description, &mut self.description_truncated)
    }

    fn components(&mut self) -> (&mut Vec<MaintenanceComponent>, &mut bool) {
        (&mut self.components, &mut self.components_truncated)
    }
}

/// Keeps the first items that fit in `room` bytes, including commas. Returns the remaining room.
fn fit<T: Serialize>(
    items: &mut Vec<T>,
    truncated: &mut bool,
    mut room: usize,
) -> Result<usize, Error> {
    for (index, item) in items.iter().enumerate() {
        let size = json_size(item)? + 1;
        if size > room {
            items.truncate(index);
            *truncated = true;
            break;
        }
        room -= size;
    }
    Ok(room)
}

/// Returns the length of a value as JSON, in bytes.
fn json_size(value: &(impl Serialize + ?Sized)) -> Result<usize, Error> {
    let mut counter = Counter(0);
    serde_json::to_writer(&mut counter, value).map_err(Error::internal)?;
    Ok(counter.0)
}

/// A writer that counts bytes.
struct Counter(usize);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
