//! Measures what 1,000,000 status changes of 100 components cost the status page, a component's
//! history and uptime, and a new change: the same work among 100 and among 1,000,000 changes, in
//! turns. Runs on SQLite and, if `ALLCLEAR_TEST_POSTGRES_URL` names a server, on PostgreSQL. Within
//! the 90 days of the bars, both sides have a hundred changes, and fifty more of one component.
#![expect(clippy::unwrap_used, reason = "a bench ends by a panic")]

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::{Clock, TestClock};
use allclear_application::component::history::{RequestedDays, RequestedPeriods};
use allclear_application::component::{ComponentReport, Components};
use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::error::Error;
use allclear_application::page::Page;
use allclear_application::precondition::Precondition;
use allclear_application::relay::Relay;
use allclear_bench_support::growth::timed;
use allclear_bench_support::{Bench, Limit, percentile, postgres};
use allclear_broadcast::InProcess;
use allclear_domain::author::Author;
use allclear_domain::component::{ComponentDraft, ComponentPatch, ComponentStatus};
use allclear_domain::id::{ComponentId, OrganisationId};
use allclear_persistence::database::Database;
use allclear_transport::status_page::page_cache::PageCache;
use allclear_transport::web_app::WebApp;
use futures_util::FutureExt;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend};

const COMPONENTS: usize = 100;
const OLD: usize = 1_000_000;
const ROUNDS: usize = 100;
/// Maximum cost of the work among many changes, as a multiple of the cost among few.
const BUDGET: f64 = 1.2;
/// Maximum time until the page is drawn after a change, in milliseconds.
const DRAWING: Limit = Limit::AtMost(20.0);
const BENCH: Bench = Bench("changes");

/// An organisation with 100 components whose statuses have changed.
struct Side {
    organisation: OrganisationId,
    components: Components,
    pages: Arc<PageCache>,
    component: ComponentId,
    is_degraded: bool,
}

/// Durations of each piece of work.
#[derive(Default)]
struct Times {
    drawing: Vec<Duration>,
    history: Vec<Duration>,
    uptime: Vec<Duration>,
    change: Vec<Duration>,
}

impl Side {
    async fn new(url: &str, old: usize) -> Self {
        let clock: Arc<dyn Clock> = TestClock::system();
        let store = Arc::new(Database::connect(url, Arc::clone(&clock)).await.unwrap());
        let organisation = OrganisationId::parse("acme").unwrap();
        let known = NameRecord {
            name: "Acme".into(),
            as_of: TestClock::system().now(),
        };
        store.name_organisation(&organisation, known).await.unwrap();
        let broadcast = Arc::new(InProcess::default());
        let relay = Arc::new(Relay::new(Arc::clone(&store) as _, broadcast));
        let components = Components::new(
            Arc::clone(&store) as _,
            Arc::clone(&store) as _,
            Arc::clone(&relay),
            Arc::clone(&clock),
        );
        let reads = store.concurrency_of_one().reads;
        let pages = Arc::new(PageCache::new(
            store,
            relay,
            clock,
            WebApp::page_template("http://localhost"),
            reads,
        ));
        let mut component = None;
        for number in 0..COMPONENTS {
            let draft = ComponentDraft {
                name: format!("Component {number}"),
                ..ComponentDraft::default()
            };
            let created = components.create(&organisation, draft, author()).await;
            component = Some(created.unwrap().component.id);
        }
        let connection = sea_orm::Database::connect(url).await.unwrap();
        store_periods(&connection, 1, Some(60)).await;
        let component = component.unwrap();
        for _ in 0..50 {
            for status in [ComponentStatus::Degraded, ComponentStatus::Operational] {
                set_status(&components, &organisation, component, status)
                    .await
                    .unwrap();
            }
        }
        if old > 0 {
            store_periods(&connection, old / COMPONENTS, None).await;
        }
        connection.execute_unprepared("ANALYZE").await.unwrap();
        Self {
            organisation,
            components,
            pages,
            component,
            is_degraded: false,
        }
    }

    async fn work(&mut self, times: &mut Times) {
        let status = if self.is_degraded {
            ComponentStatus::Operational
        } else {
            ComponentStatus::Degraded
        };
        self.is_degraded = !self.is_degraded;
        let change = set_status(&self.components, &self.organisation, self.component, status);
        times.change.push(timed(change.map(unwrap)).await);
        let page = self.pages.page(&self.organisation);
        times.drawing.push(timed(page.map(unwrap)).await);
        let page = Page {
            limit: Some(50),
            before: None,
        };
        let history = self.components.history(
            &self.organisation,
            self.component,
            RequestedPeriods::default(),
            page,
        );
        times.history.push(timed(history.map(unwrap)).await);
        let uptime =
            self.components
                .uptime(&self.organisation, self.component, RequestedDays::default());
        times.uptime.push(timed(uptime.map(unwrap)).await);
    }
}

async fn set_status(
    components: &Components,
    organisation: &OrganisationId,
    component: ComponentId,
    status: ComponentStatus,
) -> Result<ComponentReport, Error> {
    let patch = ComponentPatch {
        status: Some(status),
        ..ComponentPatch::default()
    };
    components
        .edit(organisation, component, patch, author(), Precondition::Any)
        .await
}

/// Stores this many periods of a minute for each component: in the days before the last 90, or this
/// many days ago.
async fn store_periods(connection: &DatabaseConnection, each: usize, days_ago: Option<u32>) {
    let backend = connection.get_database_backend();
    let (series, id, start, end) = if backend == DbBackend::Sqlite {
        let at =
            |seconds: &str| format!("strftime('%Y-%m-%dT%H:%M:%S+00:00', {seconds}, 'unixepoch')");
        let now = "strftime('%s', 'now')";
        let start = match days_ago {
            Some(days) => format!("{now} - {days} * 86400"),
            None => format!("{now} - 91 * 86400 - n * 28800"),
        };
        (
            format!(
                "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {each}) SELECT n FROM s)"
            ),
            "randomblob(16)",
            at(&start),
            at(&format!("{start} + 60")),
        )
    } else {
        let start = match days_ago {
            Some(days) => format!("date_trunc('second', now()) - interval '{days} days'"),
            None => {
                "date_trunc('second', now()) - interval '91 days' - n * interval '8 hours'".into()
            }
        };
        (
            format!("generate_series(1, {each}) n"),
            "gen_random_uuid()",
            start.clone(),
            format!("{start} + interval '1 minute'"),
        )
    };
    let insert = format!(
        "INSERT INTO component_periods \
         (id, organisation_id, component_id, status, start_at, end_at, cause_type, user_id, user_name, version) \
         SELECT {id}, 'acme', components.id, 'DEGRADED', {start}, {end}, 'CORRECTION', 'user_1', 'Ann', 0 \
         FROM components, {series}"
    );
    connection.execute_unprepared(&insert).await.unwrap();
}

fn unwrap<T, E: Debug>(result: Result<T, E>) {
    result.unwrap();
}

fn compare(database: &str, name: &str, few: &[Duration], many: &[Duration]) {
    BENCH.growth(
        &format!("{name}, {database}"),
        &format!("beside {OLD} changes, of beside {COMPONENTS}"),
        few,
        many,
        BUDGET,
    );
}

async fn changes(database: &str, few: &str, many: &str) {
    let (mut few, mut many) = (Side::new(few, 0).await, Side::new(many, OLD).await);
    let (mut beside_few, mut beside_many) = (Times::default(), Times::default());
    for _ in 0..ROUNDS {
        few.work(&mut beside_few).await;
        many.work(&mut beside_many).await;
    }
    BENCH.budget(
        &format!("first drawing after a change, {database}, milliseconds, median beside {OLD}"),
        percentile(&beside_many.drawing, 50),
        DRAWING,
    );
    compare(
        database,
        "first drawing after a change",
        &beside_few.drawing,
        &beside_many.drawing,
    );
    compare(
        database,
        "history of a component",
        &beside_few.history,
        &beside_many.history,
    );
    compare(
        database,
        "uptime of a component",
        &beside_few.uptime,
        &beside_many.uptime,
    );
    compare(
        database,
        "change of a status",
        &beside_few.change,
        &beside_many.change,
    );
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    changes("SQLite", &file("few.db"), &file("many.db")).await;
    if let Some(server) = postgres::server() {
        let few = postgres::recreate(&server, "changes_few");
        let many = postgres::recreate(&server, "changes_many");
        changes("PostgreSQL", &few, &many).await;
    }
}

fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}
