//! How the databases find mails to operators, which is asked once a minute.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::SelectStatement;

use super::{digest, queue, reminder};
use crate::query_plan::{plan, sqlite};

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// Every query, with the indexes it must use. The first index of a query contains only rows that need attention.
fn queries() -> Vec<(Vec<&'static str>, SelectStatement)> {
    vec![
        (
            vec![
                "organisations_with_reminders",
                "incidents_by_resolution",
                "SEARCH incidents USING INDEX sqlite_autoindex_incidents_1",
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
    for (indexes, query) in queries() {
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
