//! What events and the outbox take, in bytes.

use allclear_application::outbox::{Backlog, Outbox};
use allclear_application::status_page::size::EVENT_BYTES;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::Value;

use crate::backend::clock;
use crate::contract;
use crate::organisation_fixture::OrganisationFixture;

contract!(by url: the_outbox_stays_under_ten_times_the_text);

const UPDATES: usize = 60;
const MESSAGE: usize = 10_000;

/// Letters and digits that no compression makes much smaller (xorshift).
fn random_text(seed: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ (seed as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(LETTERS[usize::try_from(state >> 58).unwrap()])
    };
    std::iter::repeat_with(letter).take(MESSAGE).collect()
}

async fn the_outbox_stays_under_ten_times_the_text(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let fixture = OrganisationFixture::new(&database, "acme").await;
    let incident = fixture.open("Down", &[]).await.id;
    for number in 0..UPDATES {
        let message = random_text(number);
        fixture
            .record(incident, IncidentStatus::Investigating, &message)
            .await;
    }

    let stored = outbox_bytes(url).await;
    let text = UPDATES * MESSAGE;
    println!("{text} bytes of text, {stored} bytes of outbox");
    assert!(stored < 10 * text, "{stored} bytes for {text}");

    let backlog = database
        .after(&fixture.id, Revision(0), 10_000)
        .await
        .unwrap();
    let Backlog::Commits(commits) = backlog else {
        panic!("nothing was pruned");
    };
    let events = || commits.iter().flat_map(|commit| &commit.events);
    let largest = events().map(|event| event.args.get().len()).max().unwrap();
    assert!(
        largest <= EVENT_BYTES && largest > EVENT_BYTES / 2,
        "{largest}"
    );
    // Commits are read up to about a MiB at a time, so these are the first ones.
    let mut updates = events().filter(|event| event.name == "incident-updated");
    let args: Value = serde_json::from_str(updates.next_back().unwrap().args.get()).unwrap();
    let timeline = args[0]["IncidentTimeline"].as_array().unwrap();
    assert_eq!(
        (timeline.len(), &args[0]["timelineTruncated"]),
        (6, &Value::Bool(true))
    );
    assert!(timeline.is_sorted_by(|newer, older| newer["id"].as_str() > older["id"].as_str()));
}

async fn outbox_bytes(url: &str) -> usize {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let sum = "SELECT CAST(SUM(OCTET_LENGTH(events) + COALESCE(OCTET_LENGTH(packed), 0)) AS BIGINT) AS bytes FROM outbox";
    let statement = Statement::from_string(connection.get_database_backend(), sum);
    let row = connection.query_one_raw(statement).await.unwrap().unwrap();
    usize::try_from(row.try_get::<i64>("", "bytes").unwrap()).unwrap()
}
