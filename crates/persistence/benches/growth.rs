//! Measures what 100,000 old incidents cost the status page, a list and an update: the same work
//! among 100 and among 100,000, in turns. Runs on SQLite and, if `ALLCLEAR_TEST_POSTGRES_URL` names
//! a server, on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a bench ends by a panic")]

use allclear_application::clock::{Clock, TestClock};
use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::incident::IncidentStore;
use allclear_application::page::Page;
use allclear_application::status_page::SnapshotStore;
use allclear_application::transition::{CreateTransition, Transition};
use allclear_bench_support::{Bench, postgres};
use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::{IncidentAndNewest, IncidentAndUpdate};
use allclear_domain::update::UpdateDraft;
use allclear_persistence::database::Database;
use sea_orm::{ConnectionTrait, DbBackend};

const FEW: u32 = 100;
const MANY: u32 = 100_000;
const ROUNDS: usize = 200;
/// Maximum cost of the work among many incidents, as a multiple of the cost among few.
const BUDGET: f64 = 1.2;
const BENCH: Bench = Bench("growth");

/// An organisation with old incidents and an open one, in a database of its own.
struct Side {
    database: Database,
    acme: OrganisationId,
    open: IncidentId,
}

impl Side {
    async fn new(url: &str, old: u32) -> Self {
        let database = Database::connect(url, TestClock::system()).await.unwrap();
        let acme = OrganisationId::parse("acme").unwrap();
        let known = NameRecord {
            name: "Acme".into(),
            as_of: TestClock::system().now(),
        };
        database.name_organisation(&acme, known).await.unwrap();
        let draft = ComponentDraft {
            name: "API".into(),
            description: String::new(),
            status: ComponentStatus::default(),
            ..ComponentDraft::default()
        };
        let api: CreateTransition<Component> = Box::new(move |stamp| {
            Ok(Component::create(
                ComponentId(stamp.id),
                draft,
                stamp.zone,
                stamp.committed_at,
            )?)
        });
        let api = allclear_application::component::ComponentStore::insert(
            &database,
            &acme,
            api,
            author(),
        )
        .await
        .unwrap()
        .state
        .component
        .id;
        let connection = sea_orm::Database::connect(url).await.unwrap();
        for rows in old_incidents(connection.get_database_backend(), old) {
            connection.execute_unprepared(&rows).await.unwrap();
        }
        let draft = IncidentDraft {
            title: "Down".into(),
            description: "All of it".into(),
            status: IncidentStatus::Investigating,
            occured_at: None,
            ..Default::default()
        };
        let components = vec![Attachment {
            component_id: api,
            status: ComponentStatus::Degraded,
        }];
        let attached = components.clone();
        let create: CreateTransition<Incident> = Box::new(move |stamp| {
            let id = IncidentId(stamp.id);
            let notify = stamp.notify_by_default;
            Ok(Incident::create(
                id,
                draft,
                &attached,
                notify,
                stamp.committed_at,
            )?)
        });
        let written = IncidentStore::insert(&database, &acme, create, components).await;
        let open = written.unwrap().state.incident.id;
        Self {
            database,
            acme,
            open,
        }
    }

    async fn page(&self) {
        let snapshot = self
            .database
            .snapshot(&self.acme, TestClock::system().now())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(snapshot.incidents.len(), 1);
    }

    async fn list(&self) {
        let page = Page {
            limit: Some(50),
            before: None,
        };
        assert_eq!(
            IncidentStore::list(&self.database, &self.acme, page)
                .await
                .unwrap()
                .items
                .len(),
            50
        );
    }

    async fn record(&self) {
        let draft = UpdateDraft {
            message: "Still looking".into(),
            status: IncidentStatus::Investigating,
            ..Default::default()
        };
        let author = author();
        let rule: Transition<IncidentAndNewest, IncidentAndUpdate> =
            Box::new(move |latest, stamp| {
                let id = IncidentUpdateId(stamp.id);
                let notify = stamp.notify_by_default;
                Ok(latest.record(id, draft, author, notify, stamp.committed_at)?)
            });
        IncidentStore::insert_update(&self.database, &self.acme, self.open, Vec::new(), rule)
            .await
            .unwrap()
            .unwrap();
    }

    async fn resolve_and_reopen(&self) {
        for status in [IncidentStatus::Resolved, IncidentStatus::Investigating] {
            let patch = IncidentPatch {
                status: Some(status),
                ..Default::default()
            };
            let rule: Transition<Incident> = Box::new(move |incident, stamp| {
                Ok(incident.edit(patch, stamp.notify_by_default, stamp.committed_at)?)
            });
            IncidentStore::change(&self.database, &self.acme, self.open, rule)
                .await
                .unwrap()
                .unwrap();
        }
    }
}

/// Incidents resolved years ago, with three updates each, that all affected the organisation's
/// one component.
fn old_incidents(backend: DbBackend, count: u32) -> Vec<String> {
    let (series, id, other) = match backend {
        DbBackend::Sqlite => (
            format!(
                "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
            ),
            "unhex('01600000000070008000' || printf('%012x', n))",
            "unhex('0160000000017000800' || k || lower(hex(substr(id, 11))))",
        ),
        _ => (
            format!("generate_series(1, {count}) n"),
            "('01600000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
            "('01600000-0001-7000-800' || k || '-' || right(id::text, 12))::uuid",
        ),
    };
    let moment = "'2020-01-01T00:00:00+00:00'";
    let moment = if backend == DbBackend::Sqlite {
        moment.to_owned()
    } else {
        format!("TIMESTAMPTZ {moment}")
    };
    let mut statements = vec![
        format!(
            "INSERT INTO incidents (id, organisation_id, title, description, status, occured_at, resolved_at, created_at, \
             updated_at, version, code) SELECT {id}, 'acme', 'Down', 'All of it', 'RESOLVED', {moment}, {moment}, {moment}, \
             {moment}, 0, CAST(n AS text) FROM {series}"
        ),
        format!(
            "INSERT INTO incident_updates (incident_id, id, status, message, user_id, user_name, created_at, version, \
             display_at) SELECT id, {other}, 'RESOLVED', 'Over', 'u', 'U', {moment}, 0, {moment} \
             FROM incidents, (SELECT 1 AS k UNION SELECT 2 UNION SELECT 3) ks"
        ),
        "INSERT INTO incident_components SELECT incidents.id, components.id, 'DEGRADED' FROM incidents, components"
            .into(),
    ];
    // PostgreSQL does so by itself, and SQLite never: with statistics, its plans would not be those
    // of the product.
    if backend == DbBackend::Postgres {
        statements.push("ANALYZE".into());
    }
    statements
}

/// Runs the same work on both sides in turns.
async fn compare(database: &str, name: &str, sides: (&Side, &Side), work: impl AsyncFn(&Side)) {
    let what = format!("{name}, {database}");
    let of = format!("beside {MANY} old incidents, of beside {FEW}");
    BENCH.compare(&what, &of, sides, ROUNDS, BUDGET, work).await;
}

async fn growth(database: &str, few: &str, many: &str) {
    let (few, many) = (Side::new(few, FEW).await, Side::new(many, MANY).await);
    let sides = (&few, &many);
    compare(database, "status page", sides, Side::page).await;
    compare(database, "list of 50", sides, Side::list).await;
    compare(database, "update", sides, Side::record).await;
    compare(
        database,
        "resolve and reopen",
        sides,
        Side::resolve_and_reopen,
    )
    .await;
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    growth("SQLite", &file("few.db"), &file("many.db")).await;
    if let Some(server) = postgres::server() {
        let few = postgres::recreate(&server, "growth_few");
        let many = postgres::recreate(&server, "growth_many");
        growth("PostgreSQL", &few, &many).await;
    }
}

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}
