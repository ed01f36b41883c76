//! Measures a page of the audit log of an organisation with 1,000,000 items, in turns with the same
//! page of one with 1,000 items. Runs on SQLite and, if `ALLCLEAR_TEST_POSTGRES_URL` names a
//! server, on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a bench ends by a panic")]

use allclear_application::audit::{AuditFilter, AuditStore};
use allclear_application::clock::{Clock, TestClock};
use allclear_application::directory::{DirectoryStore, NameRecord};
use allclear_application::page::Page;
use allclear_bench_support::{Bench, postgres};
use allclear_domain::id::OrganisationId;
use allclear_persistence::database::Database;
use sea_orm::{ConnectionTrait, DbBackend};
use uuid::Uuid;

const FEW: u32 = 1_000;
const MANY: u32 = 1_000_000;
const ROUNDS: usize = 200;
/// Number of items of a page.
const LIMIT: u64 = 50;
/// Number of different actors, actions and things, each with the same share of the items.
const KINDS: u32 = 10;
/// Maximum cost of a page among many items, as a multiple of the cost among few.
const BUDGET: f64 = 1.2;
const BENCH: Bench = Bench("audit");

/// An organisation with items, in a database of its own.
struct Side {
    database: Database,
    acme: OrganisationId,
    middle: Uuid,
}

impl Side {
    async fn new(url: &str, items: u32) -> Self {
        let database = Database::connect(url, TestClock::system()).await.unwrap();
        let acme = OrganisationId::parse("acme").unwrap();
        let known = NameRecord {
            name: "Acme".into(),
            as_of: TestClock::system().now(),
        };
        database.name_organisation(&acme, known).await.unwrap();
        let connection = sea_orm::Database::connect(url).await.unwrap();
        for rows in old_items(connection.get_database_backend(), items) {
            connection.execute_unprepared(&rows).await.unwrap();
        }
        Self {
            database,
            acme,
            middle: Uuid::from_u128(
                0x0160_0000_0000_7000_8000_0000_0000_0000 + u128::from(items / 2),
            ),
        }
    }

    async fn read(&self, filter: AuditFilter, before: Option<Uuid>) {
        let page = Page {
            limit: Some(LIMIT),
            before,
        };
        let read = AuditStore::list(&self.database, &self.acme, &filter, page).await;
        assert_eq!(read.unwrap().items.len() as u64, LIMIT);
    }

    async fn newest(&self) {
        self.read(AuditFilter::default(), None).await;
    }

    async fn middle(&self) {
        self.read(AuditFilter::default(), Some(self.middle)).await;
    }

    async fn of_a_person(&self) {
        let filter = AuditFilter {
            actor_id: Some("user_3".into()),
            ..AuditFilter::default()
        };
        self.read(filter, None).await;
    }

    async fn of_a_thing(&self) {
        let filter = AuditFilter {
            target_id: Some("thing_3".into()),
            ..AuditFilter::default()
        };
        self.read(filter, Some(self.middle)).await;
    }
}

/// Items of changes made years ago.
fn old_items(backend: DbBackend, count: u32) -> [String; 2] {
    let (series, id) = match backend {
        DbBackend::Sqlite => (
            format!(
                "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
            ),
            "unhex('01600000000070008000' || printf('%012x', n))",
        ),
        _ => (
            format!("generate_series(1, {count}) n"),
            "('01600000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid",
        ),
    };
    let moment = match backend {
        DbBackend::Sqlite => "'2020-01-01T00:00:00+00:00'",
        _ => "TIMESTAMPTZ '2020-01-01T00:00:00+00:00'",
    };
    [
        format!(
            "INSERT INTO audit_items (id, organisation_id, created_at, actor_type, actor_id, actor_name, action, target_type, \
             target_id, target_name, state_before, state_after) \
             SELECT {id}, 'acme', {moment}, 'USER', 'user_' || (n % {KINDS}), 'Ann', 'component.updated', 'COMPONENT', \
             'thing_' || (n % {KINDS}), 'API', '{{\"status\":\"OPERATIONAL\"}}', '{{\"status\":\"DEGRADED\"}}' FROM {series}"
        ),
        "ANALYZE".into(),
    ]
}

/// Runs the same work on both sides in turns.
async fn compare(database: &str, name: &str, sides: (&Side, &Side), work: impl AsyncFn(&Side)) {
    let what = format!("{name} {LIMIT} items, {database}");
    let of = format!("beside {MANY} items, of beside {FEW}");
    BENCH.compare(&what, &of, sides, ROUNDS, BUDGET, work).await;
}

async fn growth(database: &str, few: &str, many: &str) {
    let (few, many) = (Side::new(few, FEW).await, Side::new(many, MANY).await);
    let sides = (&few, &many);
    compare(database, "newest", sides, Side::newest).await;
    compare(database, "middle", sides, Side::middle).await;
    compare(database, "a person's", sides, Side::of_a_person).await;
    compare(database, "a thing's middle", sides, Side::of_a_thing).await;
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    growth("SQLite", &file("few.db"), &file("many.db")).await;
    if let Some(server) = postgres::server() {
        let few = postgres::recreate(&server, "audit_few");
        let many = postgres::recreate(&server, "audit_many");
        growth("PostgreSQL", &few, &many).await;
    }
}
