//! The bars of a component's uptime: one drawing, and the days of note as texts. The script makes a
//! text of each day once the visitor points at them.

use allclear_application::link::status_page_path;
use allclear_application::status_page::incident::PublicIncident;
use allclear_application::status_page::maintenance::PublicMaintenance;
use allclear_application::status_page::past_title::{PastTitle, TITLE_LENGTH};
use allclear_application::status_page::{
    PublicComponent, PublicUptime, PublicUptimeDay, Snapshot, group_uptime,
};
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::text::shorten;
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{DateRange, Percentage, StatusSeconds};
use chrono::{DateTime, NaiveDate, Utc};
use maud::{Markup, PreEscaped, html};

/// Width of a day in the drawing, the gap to the next one included.
const STEP: i64 = 5;
/// Weighted seconds, in tenths, from which a day has the next colour.
const LEVELS: [u64; 3] = [11_920, 19_780, 36_000];
/// How much the kinds of outages count.
pub(super) const WEIGHTS: &str =
    "Of outages, a major one counts in full and a partial one by 30 %. Degradation does not count.";
/// What the bars of every component share.
pub(super) struct Bars<'a> {
    organisation: &'a str,
    zone: TimeZone,
    now: DateTime<Utc>,
    range: DateRange,
    incidents: &'a [PublicIncident],
    maintenances: &'a [PublicMaintenance],
    past_titles: &'a [PastTitle],
}

/// A day that the text of the bars mentions.
struct Day {
    date: NaiveDate,
    seconds: StatusSeconds,
    titles: Vec<String>,
}

impl<'a> Bars<'a> {
    pub(super) fn new(snapshot: &'a Snapshot) -> Self {
        let (zone, now) = (snapshot.organisation.time_zone, snapshot.generated_at);
        Self {
            organisation: &snapshot.organisation.id,
            zone,
            now,
            range: DateRange::of_bars(zone.date_of(now)),
            incidents: &snapshot.incidents,
            maintenances: &snapshot.maintenances,
            past_titles: &snapshot.past_titles,
        }
    }

    /// The bars of a component.
    pub(super) fn of(&self, component: &PublicComponent, uptime: &PublicUptime) -> Markup {
        let first = component
            .start_date
            .map_or(self.range.first, |start| start.max(self.range.first));
        let days = self.days(component, uptime, first);
        html! {
            div class="uptime" {
                div role="listbox" tabindex="0" aria-label={ "Uptime of " (component.name) } {
                    span { (self.drawing(&days, first)) }
                    @for day in &days { div role="option" { (day.text()) } }
                    div role="option" { (self.rest(&days, first)) }
                }
                p {
                    // The style sheet says when the bars begin: a narrow window shows fewer.
                    span {}
                    a href={ (status_page_path(self.organisation)) "/history?component=" (component.code) } { (percentage(uptime.percentage)) }
                    span { "Today" }
                }
            }
        }
    }

    /// The uptime of a group; nothing if no day of its components counts.
    pub(super) fn of_group(&self, components: &[PublicComponent]) -> Markup {
        let uptime = group_uptime(components, self.range.last);
        html! {
            @if uptime.is_some() { span class="quiet" { (percentage(uptime)) } }
        }
    }

    /// The days with seconds, incidents or maintenances, oldest first.
    fn days(
        &self,
        component: &PublicComponent,
        uptime: &PublicUptime,
        first: NaiveDate,
    ) -> Vec<Day> {
        let days_of = |start: DateTime<Utc>, end: Option<DateTime<Utc>>| {
            let last = self.zone.last_date_of(start, end.unwrap_or(self.now));
            self.zone.date_of(start)..=last
        };
        let incidents = self
            .incidents
            .iter()
            .filter(|incident| {
                let mut affected = incident.components.iter();
                affected.any(|affected| affected.component_id == component.id)
            })
            .map(|incident| {
                let days = days_of(incident.occured_at, incident.resolved_at);
                (days, title(&incident.title))
            });
        let maintenances = self
            .maintenances
            .iter()
            .filter(|maintenance| {
                let mut affected = maintenance.components.iter();
                has_begun(maintenance.status)
                    && affected.any(|affected| affected.component_id == component.id)
            })
            .map(|maintenance| {
                let days = days_of(maintenance.start_at, maintenance.end_at);
                (days, format!("Maintenance: {}", title(&maintenance.title)))
            });
        let past = self
            .past_titles
            .iter()
            .filter(|past| {
                let mut affected = past.components.iter();
                affected.any(|affected| affected.component_id == component.id)
            })
            .map(|past| (past.first..=past.last, past.title.clone()));
        let affecting: Vec<_> = incidents.chain(maintenances).chain(past).collect();
        let counts = |date: &NaiveDate| *date <= self.range.last;
        first
            .iter_days()
            .take_while(counts)
            .map(|date| Day {
                date,
                seconds: seconds(uptime.days.iter().find(|day| day.date == date)),
                titles: affecting
                    .iter()
                    .filter(|(days, _)| days.contains(&date))
                    .map(|(_, title)| title.clone())
                    .collect(),
            })
            .filter(|day| !day.seconds.is_zero() || !day.titles.is_empty())
            .collect()
    }

    /// The text of all other days.
    fn rest(&self, days: &[Day], first: NaiveDate) -> String {
        if first > self.range.last {
            return "No data".to_owned();
        }
        let mut text = String::from("No downtime recorded");
        if !days.is_empty() {
            text.push_str(" on other days");
        }
        if first > self.range.first {
            text.push_str("; no data before ");
            text.push_str(&format_date(first));
        }
        text
    }

    /// A path for each kind of bar: a dashed line, or one stroke for each day.
    fn drawing(&self, days: &[Day], first: NaiveDate) -> Markup {
        let place = |date: NaiveDate| (date - self.range.first).num_days() * STEP;
        let (start, end) = (place(first), place(self.range.last) + STEP);
        let strokes = |level: usize| {
            let days = days.iter().filter(|day| level_of(day.seconds) == level);
            days.map(|day| format!("M{} 17h3", place(day.date)))
                .collect::<Vec<_>>()
                .concat()
        };
        html! {
            svg aria-hidden="true" viewBox="0 0 450 34" preserveAspectRatio="none" {
                @if start > 0 { (path("none", &format!("M0 31H{}", start.min(end)))) }
                @if start < end { (path("up", &format!("M{start} 23H{end}"))) }
                @for level in 0..=LEVELS.len() + 1 {
                    @let strokes = strokes(level);
                    @let class = if level > 0 { format!("level-{level}") } else { String::new() };
                    @if !strokes.is_empty() { (path(&class, &strokes)) }
                }
            }
        }
    }
}

/// A path without an end tag, because the page has many; `class` may be empty.
fn path(class: &str, strokes: &str) -> Markup {
    let class = match class {
        "" => String::new(),
        class => format!(r#" class="{class}""#),
    };
    PreEscaped(format!(r#"<path{class} d="{strokes}"/>"#))
}

/// Whether a maintenance was or is in progress. When a cancelled one was is not known.
fn has_begun(status: MaintenanceStatus) -> bool {
    matches!(
        status,
        MaintenanceStatus::InProgress | MaintenanceStatus::Completed
    )
}

/// The rule behind the percentages.
pub(super) fn rule() -> Markup {
    html! {
        p class="rule" {
            "Uptime of the last 90 days. " (WEIGHTS)
        }
    }
}

impl Day {
    fn text(&self) -> String {
        let mut sentences = vec![format!(
            "{}: {}",
            format_date(self.date),
            downtime(self.seconds)
        )];
        sentences.extend_from_slice(&self.titles);
        sentences.join(". ")
    }
}

/// How long a component was in each status of a day.
pub(super) fn downtime(seconds: StatusSeconds) -> String {
    let kinds = [
        (seconds.major, "outage (major)"),
        (seconds.partial, "outage (partial)"),
        (seconds.degraded, "degraded"),
    ];
    let kinds: Vec<_> = kinds
        .into_iter()
        .filter(|(seconds, _)| *seconds > 0)
        .map(|(seconds, kind)| format!("{} {kind}", duration(seconds)))
        .collect();
    if kinds.is_empty() {
        return "No downtime recorded".to_owned();
    }
    kinds.join(", ")
}

/// 0 without downtime, up to 4 from a weighted hour on.
pub(super) fn level_of(seconds: StatusSeconds) -> usize {
    match seconds.downtime_tenths() {
        0 => 0,
        tenths => 1 + LEVELS.iter().filter(|level| tenths >= **level).count(),
    }
}

fn seconds(day: Option<&PublicUptimeDay>) -> StatusSeconds {
    day.map_or_else(StatusSeconds::default, |day| StatusSeconds {
        degraded: day.degraded,
        partial: day.partial,
        major: day.major,
    })
}

/// A percentage as a text.
pub(super) fn percentage(percentage: Option<Percentage>) -> String {
    let digits = uptime_digits(percentage);
    if percentage.is_some() {
        digits + " uptime"
    } else {
        digits
    }
}

/// The digits of a percentage, with one or two decimals.
pub(crate) fn uptime_digits(percentage: Option<Percentage>) -> String {
    let Some(percentage) = percentage else {
        return "No data".to_owned();
    };
    let digits = format!("{:.2}", f64::from(percentage));
    format!("{} %", digits.strip_suffix('0').unwrap_or(&digits))
}

fn format_date(date: NaiveDate) -> String {
    date.format("%b %-d, %Y").to_string()
}

/// Hours and minutes, rounded down; less than a minute is shown as one.
fn duration(seconds: u64) -> String {
    let minutes = (seconds / 60).max(1);
    let several = |count: u64, unit: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{plural}")
    };
    match (minutes / 60, minutes % 60) {
        (0, minutes) => several(minutes, "min"),
        (hours, 0) => several(hours, "hr"),
        (hours, minutes) => format!("{} {}", several(hours, "hr"), several(minutes, "min")),
    }
}

fn title(title: &str) -> String {
    let mut title = title.to_owned();
    shorten(&mut title, TITLE_LENGTH);
    title
}

#[cfg(test)]
mod tests;
