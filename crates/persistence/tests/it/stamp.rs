//! Revisions, identifiers and creation times are in one order, whatever the clocks of the
//! nodes say.

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use allclear_application::incident::IncidentStore;
use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::page::Page;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use futures_util::future::join_all;
use serde_json::Value;

use crate::organisation_fixture::OrganisationFixture;
use crate::{contract, maintenance};

contract!(by url: nodes_with_wrong_clocks_create_in_one_order);

/// How many of each kind a node creates.
const EACH: usize = 8;

struct Node {
    fixture: OrganisationFixture,
    clock: Arc<TestClock>,
}

impl Node {
    async fn new(url: &str, seconds: i64) -> Self {
        let clock = TestClock::system();
        clock.advance(TimeDelta::seconds(seconds));
        let database = Database::connect(url, Arc::clone(&clock) as _)
            .await
            .unwrap();
        Self {
            fixture: OrganisationFixture::new(&database, "acme").await,
            clock,
        }
    }

    /// Creates one of each kind after the other. Half-way the clock is set back by a minute.
    async fn create(&self) {
        for number in 0..EACH {
            if number == EACH / 2 {
                self.clock.advance(-TimeDelta::minutes(1));
            }
            self.fixture.component("API").await;
            let incident = self.fixture.open("Down", &[]).await.id;
            let status = IncidentStatus::Identified;
            self.fixture.record(incident, status, "Found it").await;
            let (database, acme) = (&self.fixture.database, &self.fixture.id);
            let start = self.clock.now() + TimeDelta::days(1);
            let maintenance = maintenance::create(database, acme, start, None).await.id;
            maintenance::record(database, acme, maintenance, "Soon").await;
        }
    }

    /// What was created, in the order of the revisions: its identifier and its creation time.
    async fn created(&self) -> Vec<(String, String)> {
        let backlog = self
            .fixture
            .database
            .after(&self.fixture.id, Revision(0), 10_000)
            .await;
        let Backlog::Commits(commits) = backlog.unwrap() else {
            panic!("nothing was pruned");
        };
        let creates = |name: &str| name.starts_with("new-") || name.contains("timeline-updated");
        let field = |value: &Value, name: &str| value[0][name].as_str().unwrap().to_owned();
        commits
            .iter()
            .flat_map(|commit| &commit.events)
            .filter(|event| creates(&event.name))
            .map(|event| serde_json::from_str(event.args.get()).unwrap())
            .map(|args| (field(&args, "id"), field(&args, "createdAt")))
            .collect()
    }
}

async fn nodes_with_wrong_clocks_create_in_one_order(url: &str) {
    let mut nodes = Vec::new();
    for seconds in [3600, 0, -3600] {
        nodes.push(Node::new(url, seconds).await);
    }
    join_all(nodes.iter().map(Node::create)).await;
    let node = &nodes[0];
    let created = node.created().await;
    assert_eq!(created.len(), nodes.len() * EACH * 5);
    let unordered: Vec<_> = created
        .windows(2)
        .filter(|pair| pair[0].0 >= pair[1].0 || pair[0].1 > pair[1].1)
        .collect();
    assert!(unordered.is_empty(), "{unordered:?}");

    let listed = IncidentStore::list(&node.fixture.database, &node.fixture.id, Page::default())
        .await
        .unwrap()
        .items;
    assert!(listed.is_sorted_by(|newer, older| {
        newer.incident.id > older.incident.id
            && newer.incident.created_at >= older.incident.created_at
    }));
}
