//! The route of the dashboard.

use actix_web::{HttpResponse, get, web};
use allclear_application::audit::AuditItem;
use allclear_application::dashboard::{Dashboard, DashboardReport, OpenImpact, SubscriberCounts};
use allclear_application::timestamp;
use allclear_domain::headline::Banner;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::audit::{ActorBody, TargetBody};
use crate::component::ComponentBody;
use crate::incident::IncidentBody;
use crate::maintenance::MaintenanceBody;
use crate::request::caller::CanRead;
use crate::response::api_response::ApiResponse;
use crate::response::problem::{ErrorResponses, Problem};
use crate::routes::Routes;

/// What the operators of an organisation look at first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Dashboard)]
struct DashboardBody {
    /// Headline of the public page; null if there are no components.
    #[schema(required)]
    banner: Option<Banner>,
    /// Incidents that are not resolved, newest first, at most 500.
    incidents: Vec<IncidentBody>,
    /// Components that are not operational or are under maintenance, in the order of the page.
    components: Vec<ComponentBody>,
    /// For each of these components, the newest of these incidents that affects it, if there is
    /// one.
    impacts: Vec<ImpactBody>,
    /// Maintenances in progress or starting within seven days, soonest first, at most 500.
    maintenances: Vec<MaintenanceBody>,
    subscribers: SubscribersBody,
    deliveries: DeliveriesBody,
    /// The last 20 changes, newest first; those of people, invitations and API keys for
    /// admins only.
    changes: Vec<ChangeBody>,
}

/// An unresolved incident that affects a component.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DashboardImpact)]
struct ImpactBody {
    /// Identifier of the component.
    #[schema(format = "uuid")]
    component_id: String,
    /// Identifier of the incident.
    #[schema(format = "uuid")]
    incident_id: String,
}

impl From<&OpenImpact> for ImpactBody {
    fn from(impact: &OpenImpact) -> Self {
        Self {
            component_id: impact.component.to_string(),
            incident_id: impact.incident.to_string(),
        }
    }
}

/// Number of subscribers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SubscriberCounts)]
struct SubscribersBody {
    /// All subscribers.
    total: u64,
    /// Subscribers that receive messages.
    subscribed: u64,
    /// Subscribers that are not verified.
    pending: u64,
    /// Subscribers whose last message failed for good.
    failing: u64,
}

impl From<SubscriberCounts> for SubscribersBody {
    fn from(counts: SubscriberCounts) -> Self {
        Self {
            total: counts.total,
            subscribed: counts.subscribed,
            pending: counts.pending,
            failing: counts.failing,
        }
    }
}

/// Number of messages to subscribers.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DashboardDeliveries)]
struct DeliveriesBody {
    /// Messages that are still to be sent.
    waiting: u64,
    /// Messages that failed for good in the last 30 days.
    failed: u64,
}

/// A change of the organisation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Change)]
struct ChangeBody {
    /// Identifier, a `UUIDv7`.
    #[schema(format = "uuid")]
    id: String,
    #[serde(serialize_with = "timestamp::serialize")]
    created_at: DateTime<Utc>,
    actor: ActorBody,
    /// What was done, such as `component.created`.
    action: String,
    target: TargetBody,
    /// Value of `X-Request-Id` of the response; null if no request made the change.
    #[schema(required)]
    request_id: Option<String>,
}

impl From<AuditItem> for ChangeBody {
    fn from(item: AuditItem) -> Self {
        Self {
            id: item.id.to_string(),
            created_at: item.created_at,
            actor: ActorBody::of(&item),
            action: item.action.to_string(),
            target: TargetBody::of(&item),
            request_id: item.request_id,
        }
    }
}

impl From<DashboardReport> for DashboardBody {
    fn from(report: DashboardReport) -> Self {
        Self {
            banner: report.banner,
            incidents: report.incidents.iter().map(IncidentBody::from).collect(),
            components: report.components.iter().map(ComponentBody::from).collect(),
            impacts: report.impacts.iter().map(ImpactBody::from).collect(),
            maintenances: report
                .maintenances
                .iter()
                .map(MaintenanceBody::from)
                .collect(),
            subscribers: report.subscribers.into(),
            deliveries: DeliveriesBody {
                waiting: report.waiting,
                failed: report.failed,
            },
            changes: report.changes.into_iter().map(ChangeBody::from).collect(),
        }
    }
}

/// Returns what the operators of the organisation look at first: the headline, what is wrong, what
/// is planned, and the last changes.
#[utoipa::path(
    tag = "dashboard",
    responses((status = 200, body = ApiResponse<DashboardBody>), ErrorResponses),
    security(("bearer" = ["viewer"]))
)]
#[get("/dashboard")]
async fn read(caller: CanRead, dashboard: web::Data<Dashboard>) -> Result<HttpResponse, Problem> {
    let report = dashboard.read(&caller.organisation, caller.role).await?;
    Ok(ApiResponse::new(DashboardBody::from(report)).ok())
}

/// The route `/dashboard`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.service(read);
}
