//! How the databases find mails to operators, which is asked once a minute.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::SelectStatement;

use super::{digest, queue, reminder};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// 20,000 incidents, subscribers and mails of 1,000 organisations. About one in a hundred
/// organisations has reminders, and one in a hundred of the other rows needs attention.
const MANY: [&str; 7] = [
    "INSERT INTO organisations (id, code, name, revision, created_at, reminder_hours) \
     SELECT n::text, n::text, 'Acme', 0, now(), CASE WHEN n % 100 = 0 THEN 1 END FROM generate_series(1, 1000) n",
    "INSERT INTO incidents (id, organisation_id, code, title, description, status, occured_at, resolved_at, created_at, updated_at, \
     version) SELECT lpad(to_hex(n), 32, '0')::uuid, (n % 1000 + 1)::text, n::text, 't', 'd', 'RESOLVED', now(), \
     CASE WHEN n % 101 > 0 THEN now() END, now(), now(), 0 FROM generate_series(1, 20000) n",
    "INSERT INTO incident_updates (incident_id, id, status, message, user_id, user_name, created_at, version, display_at) \
     SELECT id, gen_random_uuid(), 'RESOLVED', 'm', 'u', 'U', now(), 0, now() FROM incidents",
    "INSERT INTO subscribers (id, organisation_id, target, target_key, status, is_verified, round, created_at, updated_at, \
     failing_since) SELECT lpad(to_hex(n), 32, '0')::uuid, (n % 1000 + 1)::text, n::text, n::text, 'SUBSCRIBED', TRUE, 0, now(), \
     now(), CASE WHEN n % 101 = 0 THEN TIMESTAMPTZ '2023-01-01' END FROM generate_series(1, 20000) n",
    "INSERT INTO users (id, name, email, email_key, password, administrator, created_at) \
     VALUES (lpad('1', 32, '0')::uuid, 'Ann', 'a', 'a', 'h', FALSE, now())",
    "INSERT INTO operator_mails (id, organisation_id, user_id, content, created_at, due_at, attempts) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, (n % 1000 + 1)::text, lpad('1', 32, '0')::uuid, '{}', now(), \
     CASE WHEN n % 101 = 0 THEN TIMESTAMPTZ '2023-01-01' ELSE now() END, 0 FROM generate_series(1, 20000) n",
    "ANALYZE",
];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// Every query, with the indexes it must use. The first index of a query contains only rows that
/// need attention. `by_id` is how the database finds incidents by their identifiers.
fn queries(by_id: &'static str) -> Vec<(Vec<&'static str>, SelectStatement)> {
    vec![
        (
            vec![
                "organisations_with_reminders",
                "incidents_by_resolution",
                by_id,
            ],
            reminder::open(),
        ),
        (
            vec!["failing_subscribers"],
            digest::with_new_failures(now()),
        ),
        (vec!["operator_mails_by_due"], queue::due(now(), 8)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_only_rows_that_need_attention() {
    let (database, _folder) = sqlite().await;
    for (indexes, query) in queries("SEARCH incidents USING INDEX sqlite_autoindex_incidents_1") {
        let plan = plan(database.read(), &query).await;
        for index in indexes {
            assert!(plan.contains(index), "{index}:\n{plan}");
        }
        let of_table = |line: &&str| !line.contains("(subquery") && !line.ends_with(" numbered");
        let scanned = plan.lines().filter(|line| line.contains("SCAN"));
        for line in scanned.filter(of_table) {
            assert!(line.contains("USING"), "{plan}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_reads_only_rows_that_need_attention() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    for (indexes, query) in queries("incidents_pkey") {
        let plan = plan(database.read(), &query).await;
        for index in indexes {
            assert!(
                !plan.contains("Seq Scan") && plan.contains(index),
                "{index}:\n{plan}"
            );
        }
    }
}
