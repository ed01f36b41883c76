//! The route at which a monitor reports the status of a component: as a status, or as the webhook
//! of Alertmanager, Grafana or Uptime Kuma.

use std::str::FromStr;

use actix_web::{HttpResponse, post, web};
use allclear_application::component::Components;
use allclear_application::precondition::Precondition;
use allclear_domain::component::{ComponentPatch, ComponentStatus};
use allclear_domain::id::ComponentId;
use allclear_domain::validation::Invalid;
use serde::Deserialize;
use strum::VariantArray;
use utoipa::openapi::{Object, Type};
use utoipa::{IntoParams, ToSchema};

use super::ComponentBody;
use crate::openapi;
use crate::request::body::Body;
use crate::request::caller::CanWrite;
use crate::request::field::{CHOICE_MESSAGE, FieldInput, Parsed};
use crate::request::path::Id;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// The status of an alert that is active, as Alertmanager and Grafana send it.
const FIRING: &str = "firing";
/// The status of an alert that is over.
const RESOLVED: &str = "resolved";
/// Message for a body in another form.
const UNKNOWN_FORM: &str = "Must be OPERATIONAL, DEGRADED, PARTIAL_OUTAGE, MAJOR_OUTAGE, firing or resolved, \
    or the body must have a heartbeat of Uptime Kuma";

/// What a monitor reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Report {
    /// The component has this status.
    Status(ComponentStatus),
    /// An alert is active: the component has the status that the query names.
    Firing,
    /// Nothing about the status.
    Unchanged,
}

impl FromStr for Report {
    type Err = strum::ParseError;

    fn from_str(text: &str) -> Result<Self, strum::ParseError> {
        match text {
            FIRING => Ok(Self::Firing),
            RESOLVED => Ok(Self::Status(ComponentStatus::Operational)),
            status => status.parse().map(Self::Status),
        }
    }
}

/// Report of a monitor: `status`, or `heartbeat` of Uptime Kuma. Other fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = MonitorReport)]
struct ReportInput {
    /// A status, or that of an alert.
    #[serde(default)]
    #[schema(schema_with = status_schema, required = false)]
    status: FieldInput<Parsed<Report>>,
    /// The heartbeat in the webhook of Uptime Kuma; null changes nothing.
    #[serde(default)]
    #[schema(value_type = Option<HeartbeatInput>, required = false)]
    heartbeat: FieldInput<HeartbeatInput>,
}

fn status_schema() -> Object {
    let statuses = ComponentStatus::VARIANTS.iter().map(ToString::to_string);
    let alerts = [FIRING, RESOLVED].map(str::to_owned);
    let mut schema = openapi::one_of(Type::String, statuses.chain(alerts));
    let description = "A status, or that of an alert, as Alertmanager and Grafana send it: `firing` sets the status of the \
        parameter `firing`, `resolved` sets `OPERATIONAL`.";
    schema.description = Some(description.to_owned());
    schema
}

/// A check of Uptime Kuma.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = MonitorHeartbeat)]
struct HeartbeatInput {
    /// Whether the monitor is up.
    #[schema(schema_with = heartbeat_schema)]
    status: u8,
}

fn heartbeat_schema() -> Object {
    let mut schema = openapi::one_of(Type::Integer, [0, 1, 2, 3]);
    let description = "0 is down and sets the status of the parameter `firing`. 1 is up and sets `OPERATIONAL`. 2 is pending \
        and 3 is maintenance; both change nothing.";
    schema.description = Some(description.to_owned());
    schema
}

impl HeartbeatInput {
    /// `None` if Uptime Kuma has no such status.
    const fn report(&self) -> Option<Report> {
        match self.status {
            0 => Some(Report::Firing),
            1 => Some(Report::Status(ComponentStatus::Operational)),
            2 | 3 => Some(Report::Unchanged),
            _ => None,
        }
    }
}

impl ReportInput {
    fn read(&self) -> Result<Report, Invalid> {
        let unknown = || Invalid::field("status", UNKNOWN_FORM);
        let heartbeat = match &self.heartbeat {
            FieldInput::Absent => None,
            // Uptime Kuma sends null with a test and with a warning about a certificate.
            FieldInput::Null => Some(Report::Unchanged),
            FieldInput::Given(heartbeat) => Some(heartbeat.report().ok_or_else(unknown)?),
            FieldInput::Wrong => return Err(unknown()),
        };
        match &self.status {
            FieldInput::Given(Parsed(report)) => Ok(*report),
            FieldInput::Absent => heartbeat.ok_or_else(unknown),
            FieldInput::Null | FieldInput::Wrong => Err(unknown()),
        }
    }
}

/// The status while an alert is active.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FiringQuery {
    /// Status while the alert is firing or the monitor is down. `MAJOR_OUTAGE` if absent.
    #[param(value_type = Option<ComponentStatus>)]
    firing: Option<String>,
}

impl FiringQuery {
    fn read(&self) -> Result<ComponentStatus, Invalid> {
        let Some(text) = &self.firing else {
            return Ok(ComponentStatus::MajorOutage);
        };
        let unknown = |_| Invalid::field("firing", CHOICE_MESSAGE);
        text.parse().map_err(unknown)
    }
}

/// The status to set; `None` if the report changes nothing.
fn reported(query: &FiringQuery, input: &ReportInput) -> Result<Option<ComponentStatus>, Invalid> {
    let mut invalid = Invalid::default();
    let firing = invalid.merge(query.read());
    let report = invalid.merge(input.read());
    invalid.into_result()?;
    Ok(match report {
        Some(Report::Status(status)) => Some(status),
        Some(Report::Firing) => firing,
        Some(Report::Unchanged) | None => None,
    })
}

/// Sets the status of a component, as a monitor reports it. The body is a status, the webhook of
/// Alertmanager or Grafana, or that of Uptime Kuma. The effects are those of a PATCH of the status.
/// A report of the present status changes nothing and sends nothing.
#[utoipa::path(
    tag = "components",
    params(("id" = String, Path, format = "uuid"), FiringQuery),
    request_body = ReportInput,
    responses((status = 200, body = ApiResponse<ComponentBody>), ErrorResponses),
    security(("bearer" = ["editor"]))
)]
#[post("/{id}/status")]
async fn set_status(
    caller: CanWrite,
    id: Id<ComponentId>,
    query: web::Query<FiringQuery>,
    body: Body<ReportInput>,
    components: web::Data<Components>,
) -> Result<HttpResponse, Problem> {
    let status = reported(&query, &body.0)?;
    let component = if status.is_some() {
        let patch = ComponentPatch {
            status,
            ..ComponentPatch::default()
        };
        let (organisation, author) = (&caller.organisation, caller.author());
        let edited = components.edit(organisation, id.0, patch, author, Precondition::Any);
        edited.await?
    } else {
        components.find(&caller.organisation, id.0).await?
    };
    Ok(ApiResponse::new(ComponentBody::from(&component)).item(component.component.version))
}

/// The route under `/component/{id}`.
pub(super) fn routes(config: &mut impl Routes) {
    config.service(set_status);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The status that a body sets.
    fn status(firing: Option<&str>, body: Value) -> Result<Option<ComponentStatus>, Invalid> {
        let query = FiringQuery {
            firing: firing.map(str::to_owned),
        };
        reported(&query, &serde_json::from_value(body).unwrap())
    }

    #[test]
    fn status_is_set_as_it_is_sent() {
        for expected in ComponentStatus::VARIANTS {
            let body = json!({"status": expected, "note": "ignored"});
            assert_eq!(status(Some("DEGRADED"), body), Ok(Some(*expected)));
        }
    }

    #[test]
    fn alert_sets_the_status_of_the_query_until_it_is_resolved() {
        // The fields that Alertmanager sends in version 4. Grafana adds others, such as `title`.
        let alert = |status: &str| {
            json!({
                "version": "4",
                "groupKey": "{}:{alertname=\"CheckoutDown\"}",
                "truncatedAlerts": 0,
                "status": status,
                "receiver": "allclear",
                "groupLabels": {"alertname": "CheckoutDown"},
                "commonLabels": {"alertname": "CheckoutDown"},
                "commonAnnotations": {},
                "externalURL": "http://alertmanager.example.com",
                "alerts": [{"status": "resolved", "labels": {}, "annotations": {}}],
            })
        };
        let firing = |query| status(query, alert("firing"));
        assert_eq!(firing(None), Ok(Some(ComponentStatus::MajorOutage)));
        let degraded = Some(ComponentStatus::Degraded);
        assert_eq!(firing(Some("DEGRADED")), Ok(degraded));
        let operational = Some(ComponentStatus::Operational);
        assert_eq!(status(Some("DEGRADED"), alert("resolved")), Ok(operational));
    }

    #[test]
    fn heartbeat_sets_a_status_if_it_is_up_or_down() {
        let rows = [
            (0, Some(ComponentStatus::PartialOutage)),
            (1, Some(ComponentStatus::Operational)),
            (2, None),
            (3, None),
        ];
        for (number, expected) in rows {
            let heartbeat = json!({"monitorID": 1, "status": number, "msg": "", "ping": null});
            let body = json!({"heartbeat": heartbeat, "monitor": {"id": 1}, "msg": "[API] Down"});
            assert_eq!(status(Some("PARTIAL_OUTAGE"), body), Ok(expected));
        }
        let test = json!({"heartbeat": null, "monitor": null, "msg": "Webhook Testing"});
        assert_eq!(status(None, test), Ok(None));
    }

    #[test]
    fn body_in_no_known_form_is_refused() {
        for body in [
            json!({}),
            json!({"status": null}),
            json!({"status": "degraded"}),
            json!({"status": 0}),
            json!({"heartbeat": 0}),
            json!({"heartbeat": {}}),
            json!({"heartbeat": {"status": 4}}),
            json!({"heartbeat": {"status": "1"}}),
            json!({"status": "resolved", "heartbeat": {"status": 4}}),
        ] {
            let refused = status(None, body.clone());
            assert_eq!(
                refused,
                Err(Invalid::field("status", UNKNOWN_FORM)),
                "{body}"
            );
        }
    }

    #[test]
    fn unknown_status_of_the_query_is_refused_beside_that_of_the_body() {
        let firing = Invalid::field("firing", CHOICE_MESSAGE);
        let resolved = json!({"status": "resolved"});
        assert_eq!(status(Some("down"), resolved), Err(firing));
        let both = status(Some(""), json!({})).unwrap_err().errors;
        let fields: Vec<_> = both.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(fields, ["firing", "status"]);
    }
}
