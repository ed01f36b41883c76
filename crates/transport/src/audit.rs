//! The routes of the audit log.

use actix_web::{HttpRequest, HttpResponse, get, web};
use allclear_application::audit::{AuditFilter, AuditItem, AuditLog};
use allclear_application::error::Error;
use allclear_application::timestamp;
use allclear_domain::audit::{ActorType, TargetType};
use allclear_domain::id::OrganisationId;
use allclear_domain::text;
use allclear_domain::validation::{FieldError, Invalid};
use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use futures_util::StreamExt as _;
use futures_util::stream::once;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::openapi::{Object, Type};
use utoipa::{IntoParams, ToSchema};

use crate::limit::concurrency::LongPermit;
use crate::limit::usage::{LongRequest, Usage};
use crate::openapi;
use crate::request::caller::CanAdminister;
use crate::request::field::day_or_time;
use crate::request::page_query::{PageQuery, RequestedPage};
use crate::response::api_response::{ApiResponse, list as list_response};
use crate::response::csv_line::{guarded_everywhere, line};
use crate::response::file_download::{file_download, pages};
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// Number of items that a stream holds in memory at a time.
const MAX_ITEMS_PER_READ: u64 = 100;
/// The header of a CSV file.
const HEADER: [&str; 13] = [
    "id",
    "createdAt",
    "actorType",
    "actorId",
    "actorName",
    "action",
    "targetType",
    "targetId",
    "targetName",
    "address",
    "requestId",
    "before",
    "after",
];

/// The originator of a change.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangeActor)]
pub(crate) struct ActorBody {
    pub(crate) r#type: ActorType,
    /// Identifier of the person or API key; null for others.
    #[schema(required)]
    pub(crate) id: Option<String>,
    /// Name at the time of the change.
    pub(crate) name: String,
}

impl ActorBody {
    /// The originator of an item.
    pub(crate) fn of(item: &AuditItem) -> Self {
        Self {
            r#type: item.actor_type,
            id: item.actor_id.clone(),
            name: item.actor_name.clone(),
        }
    }
}

/// What a change concerns.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangeTarget)]
pub(crate) struct TargetBody {
    pub(crate) r#type: TargetType,
    /// Identifier. What it names may have been deleted since.
    pub(crate) id: String,
    /// Name or title at the time of the change; null for a subscriber and an invitation.
    #[schema(required)]
    pub(crate) name: Option<String>,
}

impl TargetBody {
    /// What an item concerns.
    pub(crate) fn of(item: &AuditItem) -> Self {
        Self {
            r#type: item.target_type,
            id: item.target_id.clone(),
            name: item.target_name.clone(),
        }
    }
}

/// An item of the audit log.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AuditItem)]
struct ItemBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    actor: ActorBody,
    /// What was done, such as `component.created`.
    action: String,
    target: TargetBody,
    /// Address of the client; null if no request made the change.
    #[schema(required)]
    address: Option<String>,
    /// Value of `X-Request-Id` of the response; null if no request made the change.
    #[schema(required)]
    request_id: Option<String>,
    /// The thing before the change; null for a create. Long texts are cut, secrets and names of
    /// persons are left out.
    #[schema(required, value_type = Option<serde_json::Value>)]
    before: Option<Box<RawValue>>,
    /// The thing after the change; null for a delete.
    #[schema(required, value_type = Option<serde_json::Value>)]
    after: Option<Box<RawValue>>,
}

impl From<AuditItem> for ItemBody {
    fn from(item: AuditItem) -> Self {
        let raw = |state: Option<String>| RawValue::from_string(state?).ok();
        Self {
            id: item.id.to_string(),
            created_at: item.created_at,
            actor: ActorBody::of(&item),
            action: item.action.to_string(),
            target: TargetBody::of(&item),
            address: item.address,
            request_id: item.request_id,
            before: raw(item.before),
            after: raw(item.after),
        }
    }
}

/// Which items are returned, and as what.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// Only changes by the person or API key with this identifier.
    actor_id: Option<String>,
    /// Only changes of this kind, such as `component.created`.
    action: Option<String>,
    /// Only changes of the thing with this identifier.
    target_id: Option<String>,
    /// Only changes at or after this time: RFC 3339, or a day `YYYY-MM-DD` in UTC.
    from: Option<String>,
    /// Only changes at or before this time, or until the end of this day in UTC.
    to: Option<String>,
    /// `csv` or `jsonl` for all selected items as a file; `limit` and `before` have no effect then.
    /// `json` if absent.
    #[param(schema_with = format_schema)]
    format: Option<String>,
}

fn format_schema() -> Object {
    openapi::one_of(Type::String, ["json", "csv", "jsonl"])
}

/// Formats of the log as a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    Csv,
    JsonLines,
}

impl FileFormat {
    /// The name of the file, and its type.
    const fn name_and_type(self) -> (&'static str, &'static str) {
        match self {
            Self::Csv => ("audit-log.csv", "text/csv; charset=utf-8"),
            Self::JsonLines => ("audit-log.jsonl", "application/jsonl"),
        }
    }

    /// What comes before the items.
    fn header(self) -> Result<Vec<u8>, Error> {
        match self {
            Self::Csv => line(&HEADER.map(str::to_owned)),
            Self::JsonLines => Ok(Vec::new()),
        }
    }

    fn line(self, item: AuditItem) -> Result<Vec<u8>, Error> {
        match self {
            Self::Csv => line(&cells(item)),
            Self::JsonLines => {
                let item = serde_json::to_vec(&ItemBody::from(item));
                let mut text = item.map_err(Error::internal)?;
                text.push(b'\n');
                Ok(text)
            }
        }
    }
}

impl AuditQuery {
    /// The selected items, and the format of the file; `None` if no file is requested.
    fn read(&self) -> Result<(AuditFilter, Option<FileFormat>), Invalid> {
        let mut invalid = Invalid::default();
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let action = given(&self.action).and_then(|text| {
            let action = text.parse().ok();
            if action.is_none() {
                invalid.add(FieldError::new("action", "Unknown action"));
            }
            action
        });
        let mut bound =
            |field: &str, text: &Option<String>, of_day: fn(NaiveDate) -> DateTime<Utc>| {
                day_or_time(field, &given(text)?, of_day, |time| time, &mut invalid)
            };
        let from = bound("from", &self.from, start_of);
        let to = bound("to", &self.to, end_of);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            invalid.add(FieldError::new("to", "Must not be before the start"));
        }
        let format = match given(&self.format).as_deref() {
            None | Some("json") => None,
            Some("csv") => Some(FileFormat::Csv),
            Some("jsonl") => Some(FileFormat::JsonLines),
            Some(_) => {
                invalid.add(FieldError::new("format", "Must be json, csv or jsonl"));
                None
            }
        };
        for (field, text) in [("actorId", &self.actor_id), ("targetId", &self.target_id)] {
            let text = text.as_deref().unwrap_or_default();
            invalid.check_rule(field, text::no_nul(text));
        }
        let filter = AuditFilter {
            actor_id: given(&self.actor_id),
            action,
            target_id: given(&self.target_id),
            from,
            to,
        };
        invalid.into_result()?;
        Ok((filter, format))
    }
}

fn start_of(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}

fn end_of(day: NaiveDate) -> DateTime<Utc> {
    start_of(day) + TimeDelta::days(1) - TimeDelta::milliseconds(1)
}

/// Returns the audit log of the organisation, newest first. For admins.
#[utoipa::path(
    tag = "audit",
    params(AuditQuery, PageQuery),
    responses(
        (status = 200, content(
            (ApiResponse<Vec<ItemBody>> = "application/json"),
            (String = "text/csv"),
            (String = "application/jsonl"),
        )),
        ErrorResponses
    ),
    security(("bearer" = ["admin"]))
)]
#[get("/audit")]
async fn list(
    caller: CanAdminister,
    query: web::Query<AuditQuery>,
    requested: RequestedPage,
    request: HttpRequest,
    usage: web::Data<Usage>,
    audit: web::Data<AuditLog>,
) -> Result<HttpResponse, Problem> {
    let organisation = caller.organisation.clone();
    let (filter, format) = query.read()?;
    let Some(format) = format else {
        let listed = audit.list(&organisation, &filter, requested.page).await?;
        let show = |item: &AuditItem| ItemBody::from(item.clone());
        return Ok(list_response(&listed, requested, show));
    };
    let permit = usage
        .begin_long(&organisation, LongRequest::AuditExport, &request)
        .await?;
    Ok(file(audit, organisation, filter, format, permit))
}

/// The selected items as a file that is read while it is sent.
fn file(
    audit: web::Data<AuditLog>,
    organisation: OrganisationId,
    filter: AuditFilter,
    format: FileFormat,
    permit: LongPermit,
) -> HttpResponse {
    let pages = pages(MAX_ITEMS_PER_READ, move |page| {
        let _held = &permit;
        let (audit, organisation, filter) = (audit.clone(), organisation.clone(), filter.clone());
        async move { audit.list(&organisation, &filter, page).await }
    });
    let text = pages.map(move |items| {
        let lines = items?.into_iter().map(|item| format.line(item));
        let lines = lines.collect::<Result<Vec<_>, Error>>()?;
        Ok::<_, Error>(web::Bytes::from(lines.concat()))
    });
    let header = once(async move { format.header().map(web::Bytes::from) });
    let (name, content_type) = format.name_and_type();
    file_download(name, content_type, header.chain(text))
}

fn cells(item: AuditItem) -> [String; 13] {
    let text = |text: Option<String>| text.unwrap_or_default();
    let cells = [
        item.id.to_string(),
        timestamp::text(&item.created_at),
        item.actor_type.to_string(),
        text(item.actor_id),
        item.actor_name,
        item.action.to_string(),
        item.target_type.to_string(),
        item.target_id,
        text(item.target_name),
        text(item.address),
        text(item.request_id),
        text(item.before),
        text(item.after),
    ];
    cells.map(|cell| guarded_everywhere(&cell))
}

/// The route `/audit`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(list);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<(AuditFilter, Option<FileFormat>), Invalid> {
        web::Query::<AuditQuery>::from_query(query).unwrap().read()
    }

    #[test]
    fn empty_filter_selects_everything() {
        for query in ["", "actorId=&action=&targetId=&from=&to=&format="] {
            assert_eq!(read(query), Ok((AuditFilter::default(), None)));
        }
    }

    #[test]
    fn a_filter_by_days_includes_whole_days() {
        let (filter, format) = read("from=2026-01-31&to=2026-01-31&format=csv").unwrap();
        let from = filter.from.map(|time| timestamp::text(&time));
        let to = filter.to.map(|time| timestamp::text(&time));
        assert_eq!(from.as_deref(), Some("2026-01-31T00:00:00.000Z"));
        assert_eq!(to.as_deref(), Some("2026-01-31T23:59:59.999Z"));
        assert_eq!(format, Some(FileFormat::Csv));
    }

    #[test]
    fn every_bad_field_is_named() {
        let wrong = read("action=x&from=y&to=z&format=xml").unwrap_err();
        let fields: Vec<_> = wrong.errors.iter().map(|error| &*error.field).collect();
        assert_eq!(fields, ["action", "from", "to", "format"]);
        let reversed = read("from=2026-02-01&to=2026-01-31").unwrap_err();
        assert_eq!(reversed.errors[0].field, "to");
    }
}
