//! The year before the demo's last weeks: recurring incidents and maintenances.

use allclear_application::error::Error;
use allclear_domain::component::ComponentStatus::{Degraded, MajorOutage, PartialOutage};
use allclear_domain::incident::IncidentStatus::{Identified, Investigating, Monitoring, Resolved};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::story::{DAY, HOUR};
use super::writer::{IncidentStory, MaintenanceStory, Writer};

/// Seed of the random numbers, so that every demo shows the same year.
const SEED: u64 = 365;

/// Days between two incidents.
const DAYS_BETWEEN: std::ops::RangeInclusive<i64> = 7..=16;

/// Number of incidents after which a maintenance follows.
const INCIDENTS_PER_MAINTENANCE: usize = 3;

const INCIDENTS: &[IncidentStory<'_>] = &[
    IncidentStory {
        title: "Slow API",
        description: "Requests take two to five seconds. They succeed.",
        affected: &[("API", Degraded)],
        updates: &[
            (
                6,
                Investigating,
                "Response times rose within a few minutes. We are looking for the cause.",
            ),
            (
                24,
                Identified,
                "A cache was restarted and is cold. It fills by itself.",
            ),
            (58, Resolved, "Response times are back to normal."),
        ],
    },
    IncidentStory {
        title: "Builds wait",
        description: "New builds start up to twenty minutes late. Running builds are not affected.",
        affected: &[("Build pipeline", Degraded)],
        updates: &[
            (
                9,
                Investigating,
                "The queue grows faster than it is worked off.",
            ),
            (
                35,
                Identified,
                "Half of the build machines did not register after an update. We are adding them by hand.",
            ),
            (80, Monitoring, "All machines work. The queue gets shorter."),
            (126, Resolved, "Builds start at once."),
        ],
    },
    IncidentStory {
        title: "Uploads fail in one region",
        description: "Uploads to the region eu-west end with status 503. Downloads work.",
        affected: &[("Object storage", PartialOutage)],
        updates: &[
            (5, Investigating, "One in three uploads to eu-west fails."),
            (
                21,
                Identified,
                "A network link lost packets. Traffic takes another route now.",
            ),
            (44, Monitoring, "Uploads succeed. We watch the new route."),
            (
                95,
                Resolved,
                "The link is repaired and carries traffic again.",
            ),
        ],
    },
    IncidentStory {
        title: "Sign-in to the dashboard fails",
        description: "People cannot sign in to the dashboard. The API and running services are not affected.",
        affected: &[("Dashboard", MajorOutage)],
        updates: &[
            (
                4,
                Investigating,
                "Sign-in ends with an error page for everybody.",
            ),
            (
                13,
                Identified,
                "A certificate of the sign-in service has expired. A new one is on its way.",
            ),
            (
                31,
                Resolved,
                "Sign-in works. An alarm now warns two weeks before a certificate expires.",
            ),
        ],
    },
    IncidentStory {
        title: "Database connections fail",
        description: "Some clusters refuse new connections. Open ones stay.",
        affected: &[("Database clusters", PartialOutage), ("API", Degraded)],
        updates: &[
            (
                7,
                Investigating,
                "About a tenth of the clusters refuses connections.",
            ),
            (
                29,
                Identified,
                "A proxy ran out of ports after a rollout. We are rolling it back.",
            ),
            (52, Monitoring, "The rollback is complete."),
            (73, Resolved, "Every cluster accepts connections."),
        ],
    },
    IncidentStory {
        title: "Webhooks are delivered twice",
        description: "Some webhooks arrive twice with the same identifier.",
        affected: &[("Webhooks", Degraded)],
        updates: &[
            (
                15,
                Identified,
                "Two workers took the same queue after a network fault.",
            ),
            (
                49,
                Resolved,
                "Each webhook is delivered once. Endpoints can skip identifiers that they know.",
            ),
        ],
    },
];

const MAINTENANCES: &[MaintenanceStory<'_>] = &[
    MaintenanceStory {
        title: "Minor upgrade of PostgreSQL",
        description: "Clusters restart one after the other. Expect one reconnect of a few seconds.",
        affected: &["Database clusters"],
        begun: "The first region restarts.",
        ended: "All clusters run the new release.",
    },
    MaintenanceStory {
        title: "New build machines",
        description: "We replace the build machines by larger ones. Builds may wait for a few minutes.",
        affected: &["Build pipeline"],
        begun: "The old machines finish their builds.",
        ended: "All builds run on the new machines.",
    },
    MaintenanceStory {
        title: "Network work",
        description: "Switches are replaced in pairs. No interruption is expected.",
        affected: &["API", "Object storage"],
        begun: "The first pair is out of service.",
        ended: "All switches are replaced.",
    },
];

/// The random numbers of the demo.
pub(super) fn random() -> StdRng {
    StdRng::seed_from_u64(SEED)
}

/// Writes the days between `first` and `last`, in days before now.
pub(super) async fn write(
    writer: &Writer<'_>,
    random: &mut StdRng,
    first: i64,
    last: i64,
) -> Result<(), Error> {
    let mut day = first;
    for count in 1.. {
        day -= random.random_range(DAYS_BETWEEN);
        if day <= last {
            break;
        }
        let began = writer.days_ago(day, 7 * HOUR + random.random_range(0..DAY / 2));
        let stretch = random.random_range(60..=170);
        if let Some(incident) = INCIDENTS.choose(random) {
            writer.incident(began, stretch, incident).await?;
        }
        let maintenance = MAINTENANCES.choose(random);
        if let Some(maintenance) = maintenance.filter(|_| count % INCIDENTS_PER_MAINTENANCE == 0) {
            let began = writer.days_ago(day - 5, 4 * HOUR);
            writer
                .past_maintenance(began, 2 * HOUR, maintenance)
                .await?;
        }
    }
    Ok(())
}
