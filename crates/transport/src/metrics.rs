//! The route of an organisation's metrics.

use std::fmt::Display;

use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::metrics::{Metrics, MetricsReport, NamedUptime};
use allclear_domain::metrics::{Durations, MetricsDays};
use allclear_domain::uptime::Percentage;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::openapi::{Object, Type};
use utoipa::{IntoParams, ToSchema};

use crate::limit::usage::Usage;
use crate::openapi;
use crate::request::caller::CanRead;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// The days that metrics cover.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct MetricsQuery {
    /// Number of days, today included: 7, 30, 90 or 365. 30 if absent.
    #[param(schema_with = days_schema)]
    days: Option<String>,
}

fn days_schema() -> Object {
    openapi::one_of(Type::Integer, [7, 30, 90, 365])
}

/// Metrics of an organisation. Days are in the time zone of the page.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Metrics)]
struct MetricsBody {
    /// Number of days.
    days: u16,
    /// The first day.
    from: NaiveDate,
    /// The last day: today.
    to: NaiveDate,
    /// Uptime of each component, in the order of the page.
    components: Vec<UptimeBody>,
    /// Uptime of each group, in the order of the page: the mean of its components whose uptime
    /// is shown.
    groups: Vec<UptimeBody>,
    /// Incidents by the week in which they began, the oldest week first.
    incidents_by_week: Vec<WeekBody>,
    /// The components that these incidents affected, the most affected first.
    incidents_by_component: Vec<ComponentIncidentsBody>,
    /// From the beginning of an incident to its first update.
    time_to_first_update: DurationsBody,
    /// From the beginning of an incident to its resolution.
    time_to_resolve: DurationsBody,
    mails: MailsBody,
}

/// Uptime of a component or a group.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MetricsUptime)]
struct UptimeBody {
    #[schema(format = "uuid")]
    id: String,
    name: String,
    /// From 0 to 100, rounded down to two decimals; null if no day counts.
    #[schema(required, value_type = Option<f64>)]
    percentage: Option<Percentage>,
}

/// Incidents of a week.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MetricsWeek)]
struct WeekBody {
    /// Monday of the week.
    week: NaiveDate,
    /// Number of incidents.
    count: u64,
}

/// Incidents that affected a component.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MetricsComponentIncidents)]
struct ComponentIncidentsBody {
    /// Identifier of the component, which may have been deleted since.
    #[schema(format = "uuid")]
    id: String,
    name: String,
    /// Number of incidents.
    count: u64,
}

/// Times in seconds; null if there are no incidents to measure.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MetricsDurations)]
struct DurationsBody {
    /// The median, rounded down.
    #[schema(required)]
    median: Option<u64>,
    #[schema(required)]
    longest: Option<u64>,
}

/// Messages to subscribers over all channels, by days in UTC.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MetricsMails)]
struct MailsBody {
    sent: u64,
    /// Messages that failed for good.
    failed: u64,
}

impl<I: Display> From<NamedUptime<I>> for UptimeBody {
    fn from(uptime: NamedUptime<I>) -> Self {
        Self {
            id: uptime.id.to_string(),
            name: uptime.name,
            percentage: uptime.percentage,
        }
    }
}

impl From<Durations> for DurationsBody {
    fn from(durations: Durations) -> Self {
        Self {
            median: durations.median,
            longest: durations.longest,
        }
    }
}

fn body(days: MetricsDays, report: MetricsReport) -> MetricsBody {
    let components = report.components.into_iter();
    let groups = report.groups.into_iter();
    let weeks = report.incidents.by_week.into_iter().map(|week| WeekBody {
        week: week.week,
        count: week.count,
    });
    let affected = report.incidents_by_component.into_iter();
    let affected = affected.map(|component| ComponentIncidentsBody {
        id: component.id.to_string(),
        name: component.name,
        count: component.count,
    });
    MetricsBody {
        days: days.get(),
        from: report.range.first,
        to: report.range.last,
        components: components.map(UptimeBody::from).collect(),
        groups: groups.map(UptimeBody::from).collect(),
        incidents_by_week: weeks.collect(),
        incidents_by_component: affected.collect(),
        time_to_first_update: report.incidents.time_to_first_update.into(),
        time_to_resolve: report.incidents.time_to_resolve.into(),
        mails: MailsBody {
            sent: report.messages_sent,
            failed: report.messages_failed,
        },
    }
}

/// Returns the metrics of the organisation over the last days: uptime, incidents, times to react,
/// and messages.
#[utoipa::path(
    tag = "metrics",
    params(MetricsQuery),
    responses((status = 200, body = ApiResponse<MetricsBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/metrics")]
async fn read(
    caller: CanRead,
    query: web::Query<MetricsQuery>,
    request: HttpRequest,
    usage: web::Data<Usage>,
    metrics: web::Data<Metrics>,
) -> Result<HttpResponse, Problem> {
    let days = match &query.days {
        Some(text) => MetricsDays::parse(text)?,
        None => MetricsDays::default(),
    };
    let _permit = usage.begin_report(&caller.organisation, &request).await?;
    let report = metrics.read(&caller.organisation, days).await?;
    Ok(ApiResponse::new(body(days, report)).ok())
}

/// The route `/metrics` of an organisation.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(read);
}
