//! Contents of the demo: three weeks of the organisation Meridian Cloud.

use allclear_application::error::Error;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{MaintenanceId, OrganisationId};
use allclear_domain::incident::IncidentStatus;

use super::clock::DemoClock;
use super::writer::Writer;
use crate::app::App;

const HOUR: i64 = 60;
const DAY: i64 = 24 * HOUR;

const COMPONENTS: [(&str, &str); 6] = [
    (
        "Object storage",
        "Buckets, uploads and downloads in every region.",
    ),
    ("Build pipeline", "Builds, tests and deployments."),
    ("Webhooks", "Delivery of events to your endpoints."),
    (
        "Database clusters",
        "Managed PostgreSQL with point-in-time recovery.",
    ),
    ("Dashboard", "The console at console.meridian.example."),
    ("API", "REST and streaming interfaces."),
];

/// Fills an empty installation and returns the organisation. Writes in the order of time, because an organisation's commits
/// have growing times.
pub(super) async fn write(app: &App, clock: &DemoClock) -> Result<OrganisationId, Error> {
    let mut writer = Writer::sign_up(app, clock).await?;
    writer.components(21 * DAY, &COMPONENTS).await?;
    delayed_webhooks(&writer).await?;
    failover_exercise(&writer).await?;
    let rotation = certificate_rotation(&writer).await?;
    errors_of_the_api(&writer).await?;
    half_of_the_certificates(&writer, rotation).await?;
    storage_upgrade(&writer).await?;
    clock.set_back(0);
    Ok(writer.organisation)
}

async fn delayed_webhooks(writer: &Writer<'_>) -> Result<(), Error> {
    let began = 5 * DAY + 3 * HOUR;
    let incident = writer
        .incident(
            began,
            "Delayed webhook deliveries",
            "Some webhooks arrive minutes late. Nothing is lost: deliveries are queued.",
            &[("Webhooks", ComponentStatus::Degraded)],
        )
        .await?;
    for (minutes_ago, status, message) in [
        (
            began - 12,
            IncidentStatus::Investigating,
            "Deliveries are late by up to nine minutes.",
        ),
        (
            began - 41,
            IncidentStatus::Identified,
            "A queue node ran out of disk. We are moving its work elsewhere.",
        ),
        (
            began - 75,
            IncidentStatus::Monitoring,
            "The backlog is delivered. We keep watching the queue.",
        ),
        (
            began - 130,
            IncidentStatus::Resolved,
            "Deliveries have been on time for an hour.",
        ),
    ] {
        writer
            .update(incident, minutes_ago, status, message)
            .await?;
    }
    Ok(())
}

async fn failover_exercise(writer: &Writer<'_>) -> Result<(), Error> {
    let (began, ended) = (2 * DAY + HOUR, 2 * DAY);
    let maintenance = writer
        .maintenance(
            4 * DAY,
            began,
            Some(ended),
            "Database failover exercise",
            "We switch every cluster to its standby and back. Expect reconnects of a few seconds.",
        )
        .await?;
    writer
        .maintenance_update(
            maintenance,
            began,
            IncidentStatus::Monitoring,
            "The first clusters run on standby.",
        )
        .await?;
    writer
        .maintenance_update(
            maintenance,
            ended,
            IncidentStatus::Resolved,
            "Every cluster is back on its primary.",
        )
        .await
}

async fn certificate_rotation(writer: &Writer<'_>) -> Result<MaintenanceId, Error> {
    writer.maintenance(
        DAY,
        25,
        Some(-50),
        "Certificate rotation",
        "Certificates of all edge nodes are renewed, one after the other. No interruption is expected.",
    )
    .await
}

async fn half_of_the_certificates(
    writer: &Writer<'_>,
    maintenance: MaintenanceId,
) -> Result<(), Error> {
    writer
        .maintenance_update(
            maintenance,
            11,
            IncidentStatus::Monitoring,
            "Half of the edge nodes are done.",
        )
        .await
}

async fn errors_of_the_api(writer: &Writer<'_>) -> Result<(), Error> {
    let affected = [
        ("API", ComponentStatus::PartialOutage),
        ("Dashboard", ComponentStatus::Degraded),
    ];
    let incident = writer
        .incident(
            48,
            "Elevated error rates in the EU region",
            "About one in eight requests to the API fails with status 502. Retries succeed.",
            &affected,
        )
        .await?;
    writer
        .update(
            incident,
            40,
            IncidentStatus::Investigating,
            "We see errors from one availability zone.",
        )
        .await?;
    let cause = "A load balancer sends requests to nodes that are being replaced. We are taking it out of service.";
    writer
        .update(incident, 17, IncidentStatus::Identified, cause)
        .await
}

async fn storage_upgrade(writer: &Writer<'_>) -> Result<(), Error> {
    let begins = -(2 * DAY + 5 * HOUR);
    writer.maintenance(
        9,
        begins,
        Some(begins - 2 * HOUR),
        "Object storage upgrade",
        "Storage nodes move to a new release. Uploads may be slower; downloads are not affected.",
    )
    .await?;
    Ok(())
}
