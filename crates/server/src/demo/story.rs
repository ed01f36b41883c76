//! Contents of the demo: a year of the organisation Meridian Cloud.

use allclear_application::error::Error;
use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::GroupDisplay;
use allclear_domain::id::{MaintenanceId, OrganisationId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::OrganisationPatch;

use super::clock::DemoClock;
use super::writer::{IncidentStory, Writer};
use super::year;
use crate::app::App;

pub(super) const HOUR: i64 = 60;
pub(super) const DAY: i64 = 24 * HOUR;

const PAGE_DESCRIPTION: &str = "Storage, databases and builds for teams that ship every day.";

/// Components of the page, each group's first one last, because a new component comes first.
const PLATFORM: [(&str, &str); 3] = [
    ("Object storage", "Buckets in every region."),
    (
        "Database clusters",
        "Managed PostgreSQL with point-in-time recovery.",
    ),
    ("API", "REST and streaming interfaces."),
];
const DEVELOPER_TOOLS: [(&str, &str); 2] = [
    ("Webhooks", "Events to your endpoints."),
    ("Build pipeline", "Builds, tests and deployments."),
];
const DASHBOARD: (&str, &str) = ("Dashboard", "The console at console.meridian.example.");

const SUBSCRIBERS: [&str; 5] = [
    "grace@example.com",
    "oncall@borealis.example",
    "status@harbour.example",
    "ops@tidewater.example",
    "platform@juniper.example",
];

/// Fills an empty installation and returns the organisation. Writes in the order of time, because
/// an organisation's commits have growing times.
pub(super) async fn write(app: &App, clock: &DemoClock) -> Result<OrganisationId, Error> {
    let mut writer = Writer::sign_up(app, clock).await?;
    let mut random = year::random();
    page(&mut writer).await?;
    year::write(&writer, &mut random, 364, 47).await?;
    region_without_databases(&writer).await?;
    year::write(&writer, &mut random, 38, 8).await?;
    writer.subscribers(&SUBSCRIBERS).await?;
    delayed_webhooks(&writer).await?;
    failover_exercise(&writer).await?;
    let rotation = certificate_rotation(&writer).await?;
    writer.notify = true;
    errors_of_the_api(&writer).await?;
    half_of_the_certificates(&writer, rotation).await?;
    storage_upgrade(&writer).await?;
    writer.set_time(0);
    Ok(writer.organisation)
}

async fn page(writer: &mut Writer<'_>) -> Result<(), Error> {
    writer.set_time(366 * DAY);
    let settings = OrganisationPatch {
        page_description: Some(Some(PAGE_DESCRIPTION.into())),
        support_url: Some(Some("mailto:support@meridian.example".into())),
        ..OrganisationPatch::default()
    };
    writer.settings(settings).await?;
    let display = GroupDisplay::OpenWhenAffected;
    let tools = writer.group("Developer tools", "", display).await?;
    let description = "What your services run on.";
    let platform = writer
        .group("Platform", description, GroupDisplay::Open)
        .await?;
    writer.components(Some(tools), &DEVELOPER_TOOLS).await?;
    writer.components(Some(platform), &PLATFORM).await?;
    writer.components(None, &[DASHBOARD]).await
}

const DATABASE_REVIEW: &str = "\
## What happened

A routine failover in `eu-central` promoted a standby that was **eleven minutes behind**. The safeguard
that stops such a promotion was switched off during an earlier test and never switched on again.

## Impact

| | |
| --- | --- |
| Clusters without a primary | 212 of 1,940 |
| Longest interruption | 96 minutes |
| Lost transactions | none: the old primaries kept them |

## What we changed

1. The safeguard is part of the configuration that is checked every hour.
2. A failover of more than ten clusters needs a second person.
3. The exercise of the next quarter begins with this case.

Questions? [Write to us](mailto:support@meridian.example).
";

async fn region_without_databases(writer: &Writer<'_>) -> Result<(), Error> {
    let began = writer.days_ago(44, 9 * HOUR + 12);
    let incident = IncidentStory {
        title: "Databases down in eu-central",
        description: "One in nine clusters in eu-central has no primary. Reads work, writes fail.",
        affected: &[
            ("Database clusters", ComponentStatus::MajorOutage),
            ("API", ComponentStatus::PartialOutage),
            ("Dashboard", ComponentStatus::Degraded),
        ],
        updates: &[
            (
                4,
                IncidentStatus::Investigating,
                "Writes fail in eu-central. Other regions are not affected.",
            ),
            (
                22,
                IncidentStatus::Identified,
                "A failover promoted standbys that were behind. We return to the old primaries, so that nothing is lost.",
            ),
            (
                71,
                IncidentStatus::Monitoring,
                "Nine in ten of the affected clusters accept writes again.",
            ),
            (
                96,
                IncidentStatus::Resolved,
                "Every cluster has its primary. No transaction is lost. A review follows.",
            ),
        ],
    };
    let incident = writer.incident(began, 100, &incident).await?;
    writer.set_time(began - 2 * DAY);
    writer.review(incident, DATABASE_REVIEW).await
}

async fn delayed_webhooks(writer: &Writer<'_>) -> Result<(), Error> {
    let incident = IncidentStory {
        title: "Late webhooks",
        description: "Webhooks arrive minutes late. Nothing is lost.",
        affected: &[("Webhooks", ComponentStatus::Degraded)],
        updates: &[
            (
                12,
                IncidentStatus::Investigating,
                "Deliveries are late by up to nine minutes.",
            ),
            (
                41,
                IncidentStatus::Identified,
                "A queue node ran out of disk. Others take its work.",
            ),
            (75, IncidentStatus::Monitoring, "The backlog is delivered."),
            (130, IncidentStatus::Resolved, "Deliveries are on time."),
        ],
    };
    let began = writer.days_ago(5, 13 * HOUR + 41);
    writer.incident(began, 100, &incident).await.map(drop)
}

async fn failover_exercise(writer: &Writer<'_>) -> Result<(), Error> {
    let began = writer.days_ago(2, 9 * HOUR);
    let ended = began - HOUR;
    let maintenance = writer
        .maintenance(
            4 * DAY,
            began,
            Some(ended),
            "Failover exercise",
            "We switch every cluster to its standby and back.",
            &["Database clusters"],
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
    writer
        .maintenance(
            DAY,
            25,
            Some(-50),
            "Certificate rotation",
            "Certificates of all edge nodes are renewed. No interruption is expected.",
            &["Webhooks"],
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
            "Half of the nodes are done.",
        )
        .await
}

async fn errors_of_the_api(writer: &Writer<'_>) -> Result<(), Error> {
    let incident = IncidentStory {
        title: "Elevated API error rates",
        description: "One in eight requests to the API fails. Retries succeed.",
        affected: &[
            ("API", ComponentStatus::PartialOutage),
            ("Dashboard", ComponentStatus::Degraded),
        ],
        updates: &[
            (
                8,
                IncidentStatus::Investigating,
                "Errors come from one zone of the EU region.",
            ),
            (
                31,
                IncidentStatus::Identified,
                "A load balancer sends requests to nodes that are being replaced.",
            ),
        ],
    };
    writer.incident(48, 100, &incident).await.map(drop)
}

async fn storage_upgrade(writer: &Writer<'_>) -> Result<(), Error> {
    let begins = writer.days_ago(-3, 5 * HOUR);
    writer
        .maintenance(
            9,
            begins,
            Some(begins - 2 * HOUR),
            "Object storage upgrade",
            "Storage nodes move to a new release. Uploads may be slower.",
            &["Object storage"],
        )
        .await?;
    Ok(())
}
