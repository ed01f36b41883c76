//! Subscribers that are stored as confirmed, for tests of many.

use allclear_application::clock::Clock;
use allclear_application::subscriber::SubscriberStore;
use allclear_application::subscriber::import::{ImportBatch, Imported};
use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::{OrganisationId, SubscriberId};
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_persistence::database::Database;
use allclear_server::clock::SystemClock;

/// Stores confirmed subscribers with these targets.
pub(super) async fn subscribe(
    database: &Database,
    organisation: &str,
    channel: Channel,
    targets: &[String],
) {
    let organisation = OrganisationId::parse(organisation).unwrap();
    for some in targets.chunks(500) {
        let batch = ImportBatch {
            subscribers: some.iter().map(|text| confirmed(channel, text)).collect(),
            consent: Some("agreed in a test".to_owned()),
        };
        let stored = database.import(&organisation, batch).await.unwrap();
        assert!(stored.iter().all(|one| *one == Imported::Added));
    }
}

fn confirmed(channel: Channel, text: &str) -> Subscriber {
    let target = Target::parse(channel, text).unwrap();
    let draft = SubscriberDraft::of_everything(target);
    let now = SystemClock.now();
    Subscriber::create(SubscriberId(SystemClock.id()), draft, now)
        .verify(now + Subscriber::VERIFICATION_LIFETIME, now)
        .unwrap()
}
