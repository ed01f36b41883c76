//! The routes for the history of a component and its uptime.

use actix_web::{HttpResponse, delete, get, post, put, web};
use allclear_application::component::Components;
use allclear_application::component::history::{
    ComponentUptime, DayOrTime, RelatedIncident, RequestedDays, RequestedPeriods,
};
use allclear_application::timestamp;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, StatusPeriodId};
use allclear_domain::status_period::{HistoryChange, PeriodCause, StatusPeriod, StatusSpan};
use allclear_domain::uptime::StatusSeconds;
use allclear_domain::validation::{FieldError, Invalid};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::request::body::Body;
use crate::request::caller::{CanRead, CanWrite};
use crate::request::field::{CHOICE_MESSAGE, Date, FieldInput, Parsed, Timestamp, day_or_time};
use crate::request::idempotency::Repeatable;
use crate::request::if_match::IfMatch;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::request::path::{Id, PeriodId};
use crate::response::api_response::{ApiResponse, Deleted, versioned_list};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

const TIME_MESSAGE: &str = "Must be a time";

/// A period in which a component was not operational.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StatusPeriod)]
struct PeriodBody {
    /// Identifier, a UUID.
    #[schema(format = "uuid")]
    id: String,
    /// Status; never `OPERATIONAL`.
    status: ComponentStatus,
    #[serde(serialize_with = "timestamp::serialize")]
    start_at: DateTime<Utc>,
    /// First instant after the period; null while it lasts.
    #[serde(serialize_with = "timestamp::serialize_option")]
    #[schema(required)]
    end_at: Option<DateTime<Utc>>,
    cause: CauseBody,
}

/// What caused a period: an incident, an operator that set the status, or an operator that
/// corrected the history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StatusPeriodCause)]
struct CauseBody {
    r#type: CauseType,
    /// Identifier of the incident or the operator; null if it is unknown.
    #[schema(required)]
    id: Option<String>,
    /// Title of the incident or name of the operator; null if it is unknown.
    #[schema(required)]
    name: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = StatusPeriodCauseType)]
enum CauseType {
    Incident,
    Operator,
    Correction,
}

impl From<&StatusPeriod> for PeriodBody {
    fn from(period: &StatusPeriod) -> Self {
        let (r#type, id, name) = match &period.cause {
            PeriodCause::Incident(id, title) => {
                (CauseType::Incident, Some(id.to_string()), title.clone())
            }
            PeriodCause::Operator(author) => {
                let author = author.clone().map(|author| (author.id, author.name));
                let (id, name) = author.unzip();
                (CauseType::Operator, id, name)
            }
            PeriodCause::Correction(author) => (
                CauseType::Correction,
                Some(author.id.clone()),
                Some(author.name.clone()),
            ),
        };
        Self {
            id: period.id.to_string(),
            status: period.span.status,
            start_at: period.span.start_at,
            end_at: period.span.end_at,
            cause: CauseBody { r#type, id, name },
        }
    }
}

/// Status, start and end of a period.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StatusPeriodInput)]
struct PeriodInput {
    /// Status; not `OPERATIONAL`.
    #[serde(default)]
    #[schema(value_type = ComponentStatus, required = true)]
    status: FieldInput<Parsed<ComponentStatus>>,
    #[serde(default)]
    #[schema(value_type = DateTime<Utc>, required = true)]
    start_at: FieldInput<Timestamp>,
    /// After the start and not in the future. Null only for the period that lasts.
    #[serde(default)]
    #[schema(value_type = Option<DateTime<Utc>>, required = true)]
    end_at: FieldInput<Timestamp>,
}

impl PeriodInput {
    fn read(self) -> Result<StatusSpan, Invalid> {
        let mut invalid = Invalid::default();
        let status = self.status.required("status", CHOICE_MESSAGE, &mut invalid);
        let start_at = self
            .start_at
            .required("startAt", TIME_MESSAGE, &mut invalid);
        let end_at = match self.end_at {
            FieldInput::Null => None,
            FieldInput::Absent => {
                FieldInput::<Timestamp>::Absent.required("endAt", "End is required", &mut invalid)
            }
            given => given.required("endAt", TIME_MESSAGE, &mut invalid),
        };
        invalid.into_result()?;
        let (Some(Parsed(status)), Some(Timestamp(start_at))) = (status, start_at) else {
            return Err(Invalid::field("status", CHOICE_MESSAGE));
        };
        Ok(StatusSpan {
            status,
            start_at,
            end_at: end_at.map(|end_at| end_at.0),
        })
    }
}

/// Days in the time zone of the page, both included.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DaysQuery {
    /// The first day, `YYYY-MM-DD`.
    #[param(value_type = Option<NaiveDate>)]
    from: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    #[param(value_type = Option<NaiveDate>)]
    to: Option<String>,
}

impl DaysQuery {
    pub(crate) fn read(&self) -> Result<RequestedDays, Invalid> {
        let mut invalid = Invalid::default();
        let mut day = |field: &str, text: &Option<String>| {
            let text = text.as_ref()?;
            let date = Date::parse(text).map(|date| date.0);
            if date.is_none() {
                invalid.add(FieldError::new(field, "Must be a date"));
            }
            date
        };
        let (from, to) = (day("from", &self.from), day("to", &self.to));
        invalid.into_result()?;
        Ok(RequestedDays { from, to })
    }
}

/// The periods of a history that are requested.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PeriodsQuery {
    /// Periods that end later: a time, or the first day `YYYY-MM-DD` in the time zone of the page.
    from: Option<String>,
    /// Periods that start earlier: a time, or the last day `YYYY-MM-DD` in the time zone of
    /// the page.
    to: Option<String>,
}

impl PeriodsQuery {
    fn read(&self) -> Result<RequestedPeriods, Invalid> {
        let mut invalid = Invalid::default();
        let mut bound = |field: &str, text: &Option<String>| {
            day_or_time(
                field,
                text.as_ref()?,
                DayOrTime::Day,
                DayOrTime::Time,
                &mut invalid,
            )
        };
        let (from, to) = (bound("from", &self.from), bound("to", &self.to));
        invalid.into_result()?;
        Ok(RequestedPeriods { from, to })
    }
}

/// Uptime of a component.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ComponentUptime)]
struct UptimeBody {
    /// The first day.
    from: NaiveDate,
    /// The last day.
    to: NaiveDate,
    /// Percentage, rounded down to two decimals; null if no day counts.
    #[schema(required)]
    percentage: Option<f64>,
    seconds: SecondsBody,
    /// Number of days that count.
    days: u32,
    /// The newest incidents that affected the component on these days, at most 500.
    incidents: Vec<RelatedIncidentBody>,
}

/// Seconds of each status that count.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = StatusSeconds)]
struct SecondsBody {
    degraded: u64,
    partial_outage: u64,
    major_outage: u64,
}

impl From<StatusSeconds> for SecondsBody {
    fn from(seconds: StatusSeconds) -> Self {
        Self {
            degraded: seconds.degraded,
            partial_outage: seconds.partial,
            major_outage: seconds.major,
        }
    }
}

/// An incident that affected a component.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RelatedIncident)]
pub(crate) struct RelatedIncidentBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    /// Public code of 12 characters.
    code: String,
    title: String,
}

impl From<RelatedIncident> for RelatedIncidentBody {
    fn from(incident: RelatedIncident) -> Self {
        Self {
            id: incident.id.to_string(),
            code: incident.code,
            title: incident.title,
        }
    }
}

impl From<ComponentUptime> for UptimeBody {
    fn from(found: ComponentUptime) -> Self {
        let ComponentUptime {
            range,
            uptime,
            incidents,
        } = found;
        Self {
            from: range.first,
            to: range.last,
            percentage: uptime.percentage().map(f64::from),
            seconds: uptime.seconds().into(),
            days: uptime.counted_days,
            incidents: incidents.into_iter().map(Into::into).collect(),
        }
    }
}

/// Lists the periods in which a component was not operational, newest first. The `ETag` header is
/// the version of the history.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid"), PeriodsQuery, PageQuery),
    responses((status = 200, body = ApiResponse<Vec<PeriodBody>>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/history")]
async fn history(
    caller: CanRead,
    id: Id<ComponentId>,
    periods: web::Query<PeriodsQuery>,
    requested: RequestedPage,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let found = components
        .history(&caller.organisation, id.0, periods.read()?, requested.page)
        .await?;
    let show = |period: &StatusPeriod| PeriodBody::from(period);
    Ok(versioned_list(
        &found.periods,
        requested,
        found.version,
        show,
    ))
}

/// Adds a period to the history of a component.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid"), ("If-Match" = Option<String>, Header)),
    request_body = PeriodInput,
    responses((status = 201, body = ApiResponse<PeriodBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/history/create")]
async fn add(
    caller: CanWrite,
    id: Id<ComponentId>,
    if_match: IfMatch,
    repeatable: Repeatable,
    body: Body<PeriodInput>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let respond = |added: &HistoryChange| {
        ApiResponse::new(PeriodBody::from(&added.period)).created(added.component.history_version)
    };
    let (span, author) = (body.0.read()?, caller.author());
    let add = components.add_period(&caller.organisation, id.0, span, author, if_match.0);
    repeatable.create(&caller, respond, add).await
}

/// Replaces status, start and end of a period. The component gets the status of the period that
/// lasts, and is operational if that period gets an end.
#[utoipa::path(
    tag = "components",
    params(
        ("id" = String, Path, format = "uuid"),
        ("period_id" = String, Path, format = "uuid"),
        ("If-Match" = Option<String>, Header)
    ),
    request_body = PeriodInput,
    responses((status = 200, body = ApiResponse<PeriodBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[put("/{id}/history/{period_id}")]
async fn change(
    caller: CanWrite,
    id: Id<ComponentId>,
    period: PeriodId<StatusPeriodId>,
    if_match: IfMatch,
    body: Body<PeriodInput>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let span = body.0.read()?;
    let (period, version) = components
        .change_period(&caller.organisation, id.0, period.0, span, if_match.0)
        .await?;
    Ok(ApiResponse::new(PeriodBody::from(&period)).item(version))
}

/// Deletes a period. The component is operational if the period lasts.
#[utoipa::path(
    tag = "components",
    params(
        ("id" = String, Path, format = "uuid"),
        ("period_id" = String, Path, format = "uuid"),
        ("If-Match" = Option<String>, Header)
    ),
    responses((status = 200, body = ApiResponse<Deleted>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[delete("/{id}/history/{period_id}")]
async fn remove(
    caller: CanWrite,
    id: Id<ComponentId>,
    period: PeriodId<StatusPeriodId>,
    if_match: IfMatch,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let version = components
        .delete_period(&caller.organisation, id.0, period.0, if_match.0)
        .await?;
    let deleted = Deleted {
        id: period.0.to_string(),
    };
    Ok(ApiResponse::new(deleted).item(version))
}

/// Returns the uptime of a component: of the last 90 days if no days are given, of at most
/// 366 days.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid"), DaysQuery),
    responses((status = 200, body = ApiResponse<UptimeBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/{id}/uptime")]
async fn read_uptime(
    caller: CanRead,
    id: Id<ComponentId>,
    days: web::Query<DaysQuery>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let found = components
        .uptime(&caller.organisation, id.0, days.read()?)
        .await?;
    Ok(ApiResponse::new(UptimeBody::from(found)).ok())
}

/// The routes under `/component/{id}`.
pub(super) fn routes(config: &mut impl Routes) {
    config
        .service(history)
        .service(add)
        .service(change)
        .service(remove)
        .service(read_uptime);
}
