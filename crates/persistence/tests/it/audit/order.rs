//! Items of one millisecond have one order: that in which they were stored.

use std::collections::BTreeSet;
use std::sync::Arc;

use allclear_application::audit::{AuditFilter, AuditItem, AuditStore};
use allclear_application::clock::{Clock, TestClock};
use allclear_application::invitation::{Invitation, InvitingOrganisation};
use allclear_application::organisation::OrganisationStore;
use allclear_application::page::Page;
use allclear_application::secret::SecretToken;
use allclear_domain::id::InvitationId;
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use crate::contract;
use crate::organisation_fixture::OrganisationFixture;

contract!(by url:
    items_of_one_millisecond_are_in_the_order_of_their_changes,
    items_of_a_node_with_a_late_clock_follow_the_others,
);

/// Rounds of changes; each makes items with a revision and items without one.
const ROUNDS: usize = 8;

async fn node(url: &str, clock: &Arc<TestClock>) -> Database {
    let database = Database::connect(url, Arc::clone(clock) as _).await;
    database.unwrap()
}

/// Invites somebody, which makes no revision. Returns the invitation's identifier.
async fn invite(fixture: &OrganisationFixture, clock: &TestClock) -> String {
    let (id, created_at) = (InvitationId(clock.id()), clock.now());
    let invitation = Invitation {
        id,
        organisation: Some(InvitingOrganisation {
            id: fixture.id.clone(),
            name: "Acme".into(),
        }),
        email: "bob@example.com".into(),
        role: Role::Viewer,
        inviter: None,
        created_at,
        expires_at: created_at + TimeDelta::days(7),
    };
    let digest = SecretToken::generate().digest();
    OrganisationStore::add_invitation(&fixture.database, invitation, digest, None)
        .await
        .unwrap();
    id.to_string()
}

/// The log, read in pages of `limit` items, oldest item first.
async fn paged(fixture: &OrganisationFixture, limit: u64) -> Vec<AuditItem> {
    let (mut items, mut before) = (Vec::new(), None);
    loop {
        let page = Page {
            limit: Some(limit),
            before,
        };
        let filter = AuditFilter::default();
        let listed = AuditStore::list(&fixture.database, &fixture.id, &filter, page).await;
        let listed = listed.unwrap();
        assert!(listed.items.len() as u64 <= limit);
        items.extend(listed.items);
        before = listed.next;
        if before.is_none() {
            items.reverse();
            return items;
        }
    }
}

async fn items_of_one_millisecond_are_in_the_order_of_their_changes(url: &str) {
    let clock = TestClock::stopped();
    let database = node(url, &clock).await;
    let mut organisations = Vec::new();
    for id in ["acme", "other"] {
        organisations.push((OrganisationFixture::new(&database, id).await, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (fixture, changed) in &mut organisations {
            changed.push(invite(fixture, &clock).await);
            changed.push(fixture.component("API").await.to_string());
            changed.push(invite(fixture, &clock).await);
            changed.push(invite(fixture, &clock).await);
        }
    }
    let mut ids = BTreeSet::new();
    for (fixture, changed) in &organisations {
        for limit in [1, 2, 3, 500] {
            let items = paged(fixture, limit).await;
            assert!(items.iter().all(|item| item.created_at == clock.now()));
            let targets: Vec<_> = items.iter().map(|item| &item.target_id).collect();
            assert_eq!(
                targets,
                changed.iter().collect::<Vec<_>>(),
                "pages of {limit}"
            );
            ids.extend(items.into_iter().map(|item| item.id));
        }
    }
    assert_eq!(ids.len(), 2 * 4 * ROUNDS);
}

async fn items_of_a_node_with_a_late_clock_follow_the_others(url: &str) {
    let (clock, late) = (TestClock::stopped(), TestClock::stopped());
    late.advance(-TimeDelta::minutes(1));
    let fixture = OrganisationFixture::new(&node(url, &clock).await, "acme").await;
    let other = OrganisationFixture::new(&node(url, &late).await, "acme").await;
    let mut changed = Vec::new();
    for _ in 0..ROUNDS {
        changed.push(fixture.component("API").await.to_string());
        changed.push(invite(&other, &late).await);
    }
    let items = paged(&fixture, 3).await;
    let targets: Vec<_> = items.iter().map(|item| item.target_id.clone()).collect();
    assert_eq!(targets, changed);
    assert!(items.is_sorted_by_key(|item| item.created_at));
}
