use super::*;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use allclear_domain::event::{Changed, EventKind};
use tokio::task::yield_now;
use tokio::time::{Instant, timeout};

use super::hosts::HostSettings;
use crate::broadcast::MockBroadcast;
use crate::error::{Error, Resource};
use crate::fixture::{clock, kept_log, log_lines, now, organisation, relay, stamp};
use crate::organisation::MockOrganisationStore;
use crate::outbox::Commit;
use crate::transition::Committed;

fn name(text: &str) -> DomainName {
    text.parse().unwrap()
}

fn other() -> OrganisationId {
    OrganisationId::parse("org_2").unwrap()
}

/// The organisation with a claim to `a.example` whose token is `t1`.
fn claiming() -> Organisation {
    let claim = DomainClaim::new(name("a.example"), "t1".into(), now());
    let acme = Organisation::new(organisation(), "Acme".into());
    acme.claim_domain(claim).state
}

/// A store of one organisation. A read returns `found`, and a rule receives `at_change`.
fn store(found: Organisation, at_change: Organisation) -> MockOrganisationStore {
    let mut store = MockOrganisationStore::new();
    store
        .expect_find()
        .returning(move |_| Ok(Some(found.clone())));
    store.expect_change().returning(move |_, rule| {
        let Changed { state, .. } = rule(at_change.clone(), stamp())?;
        Ok(Some(Committed::unchanged(state)))
    });
    store
}

fn serving(text: Result<&'static str, &'static str>) -> MockDomainProbe {
    let mut probe = MockDomainProbe::new();
    probe.expect_read_tokens().returning(move |_, _| {
        text.map(str::to_owned)
            .map_err(|reason| ProbeFailure(reason.to_owned()))
    });
    probe
}

async fn domains(organisations: MockOrganisationStore, probe: MockDomainProbe) -> Domains {
    let mut store = MockDomainStore::new();
    store
        .expect_verified_domains()
        .returning(|| Ok(vec![(name("taken.example"), other())]));
    store
        .expect_owner_of()
        .returning(|looked_up| Ok((*looked_up == name("taken.example")).then(other)));
    let store = Arc::new(store);
    let settings = HostSettings {
        own: "status.example.com".into(),
        default_organisation: None,
    };
    let hosts = Hosts::load(Arc::clone(&store) as _, settings)
        .await
        .unwrap();
    let ports = DomainPorts {
        organisations: Arc::new(organisations),
        store,
        probe: Arc::new(probe),
        relay: relay(0),
        clock: clock(),
    };
    Domains::new(ports, Arc::new(hosts))
}

#[tokio::test]
async fn a_domain_of_another_organisation_and_the_own_host_are_refused() {
    let acme = Organisation::new(organisation(), "Acme".into());
    let domains = domains(store(acme.clone(), acme), MockDomainProbe::new()).await;
    let id = organisation();
    let claim = |text| domains.claim(&id, name(text));
    let result = claim("taken.example").await;
    assert!(matches!(result, Err(Error::Conflict(_))), "{result:?}");
    let result = claim("status.example.com").await;
    assert!(matches!(result, Err(Error::Invalid(_))), "{result:?}");
    let claimed = claim("a.example").await.unwrap().domain.unwrap();
    assert!(!claimed.is_verified() && claimed.token.len() == 43);
}

#[tokio::test]
async fn a_domain_that_serves_the_token_is_taken() {
    let probe = serving(Ok("t0\nt1\r\nt2\n"));
    let domains = domains(store(claiming(), claiming()), probe).await;
    let verified = domains.verify(&organisation()).await.unwrap();
    assert_eq!(verified.verified_domain(), Some(&name("a.example")));
}

#[tokio::test]
async fn a_domain_that_serves_no_token_is_refused_with_the_reason() {
    for (served, reason) in [
        (Ok("t0\nt11\n"), "without the token"),
        (Ok(""), "without the token"),
        (Err("It took too long"), "It took too long"),
    ] {
        let domains = domains(store(claiming(), claiming()), serving(served)).await;
        let result = domains.verify(&organisation()).await;
        let Err(Error::Conflict(message)) = result else {
            panic!("{result:?}")
        };
        assert!(message.contains(reason), "{message}");
    }
}

#[tokio::test]
async fn a_claim_that_changed_during_the_check_is_not_verified() {
    let claim = DomainClaim::new(name("b.example"), "t2".into(), now());
    let moved = claiming().claim_domain(claim).state;
    let domains = domains(store(claiming(), moved), serving(Ok("t1"))).await;
    let result = domains.verify(&organisation()).await;
    assert!(matches!(result, Err(Error::Conflict(_))), "{result:?}");
}

#[tokio::test]
async fn hosts_belong_to_the_installation_to_one_organisation_or_to_the_default_one() {
    for default in [None, Some("org_1".to_owned())] {
        let mut store = MockDomainStore::new();
        store
            .expect_verified_domains()
            .returning(|| Ok(vec![(name("a.example"), other())]));
        store
            .expect_find_by_id_or_code()
            .returning(|_| Ok(Some(organisation())));
        let settings = HostSettings {
            own: "status.example.com".into(),
            default_organisation: default.clone(),
        };
        let hosts = Hosts::load(Arc::new(store), settings).await.unwrap();
        let table = hosts.table();
        assert_eq!(table.organisation("a.example"), Some(&other()));
        assert_eq!(table.organisation("status.example.com"), None);
        let of_unknown = default.map(|_| organisation());
        assert_eq!(table.organisation("b.example"), of_unknown.as_ref());
        assert!(table.is_served("a.example") && table.is_served("status.example.com"));
        assert!(!table.is_served("b.example"));
    }
}

#[tokio::test(start_paused = true)]
async fn domains_that_cannot_be_read_are_logged_once_a_minute() {
    let mut store = MockDomainStore::new();
    let mut reads = 0;
    store.expect_verified_domains().returning(move || {
        reads += 1;
        if reads == 1 {
            Ok(Vec::new())
        } else {
            Err(Error::Unavailable("unavailable".into()))
        }
    });
    let hosts = Hosts::load(Arc::new(store), HostSettings::default());
    let hosts = hosts.await.unwrap();
    let (_sender, receiver) = tokio::sync::mpsc::channel(1);
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_subscribe().return_once(move || receiver);
    let (_guard, log) = kept_log();
    let running = timeout(Duration::from_secs(90), hosts.run(&broadcast)).await;
    assert!(running.is_err());
    assert_eq!(log_lines(&log).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn domains_are_read_when_another_node_has_changed_an_organisation() {
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let mut store = MockDomainStore::new();
    store.expect_verified_domains().returning(move || {
        // At the start, and at the first of the regular reads.
        let is_early = counted.fetch_add(1, Ordering::Relaxed) < 2;
        let verified = (name("a.example"), other());
        Ok(if is_early { Vec::new() } else { vec![verified] })
    });
    let hosts = Hosts::load(Arc::new(store), HostSettings::default());
    let hosts = Arc::new(hosts.await.unwrap());
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_subscribe().return_once(move || receiver);
    let following = Arc::clone(&hosts);
    tokio::spawn(async move { following.run(&broadcast).await });
    let start = Instant::now();
    while reads.load(Ordering::Relaxed) < 2 {
        yield_now().await;
    }
    let send = async |kind| {
        let commit = Arc::new(Commit::example("org", 1, &[kind]));
        sender.send(commit).await.unwrap();
        yield_now().await;
    };
    send(EventKind::NewComponent).await;
    assert_eq!(reads.load(Ordering::Relaxed), 2);
    send(EventKind::OrganisationUpdated).await;
    assert_eq!(hosts.table().organisation("a.example"), Some(&other()));
    assert_eq!(Instant::now(), start);
}

#[tokio::test]
async fn only_a_verified_domain_is_released() {
    let verified = claiming().verify_domain("t1", now()).unwrap().state;
    let organisations = store(verified.clone(), verified);
    let mut domains = MockDomainStore::new();
    let owned = name("a.example");
    domains
        .expect_owner_of()
        .returning(move |looked_up| Ok((*looked_up == owned).then(organisation)));
    let released = release(&organisations, &domains, &name("a.example")).await;
    assert_eq!(released.unwrap().domain, None);
    let unknown = release(&organisations, &domains, &name("b.example")).await;
    assert!(
        matches!(unknown, Err(Error::NotFound(Resource::Domain))),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn another_domain_that_was_claimed_meanwhile_is_not_removed() {
    let claim = DomainClaim::new(name("b.example"), "t2".into(), now());
    let changed = claiming().claim_domain(claim).state;
    let domains = domains(store(claiming(), changed), serving(Ok(""))).await;
    let removed = domains.remove(&organisation()).await;
    assert!(
        matches!(removed, Err(Error::NotFound(Resource::Domain))),
        "{removed:?}"
    );
}
