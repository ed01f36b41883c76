//! The mails that subscribers get about incidents and maintenances.

use serde_json::{Value, json};

use super::{ADDRESS, SubscriberSetup, carried};
use crate::app::{Operator, assert_status};
use crate::built_in::mails_in;

impl SubscriberSetup {
    /// A server with one verified subscriber.
    async fn with_a_subscriber() -> (Self, Operator) {
        let setup = Self::start().await;
        let operator = setup.operator("Acme").await;
        setup.subscribe(ADDRESS, &operator.organisation).await;
        let setup = setup.restart_and_drain().await;
        let link = setup.links(ADDRESS, "verify").remove(0);
        assert_eq!(setup.post("/verify", link).await.status, 200);
        let operator = setup.at(&operator);
        (setup, operator)
    }

    /// The notices to the subscriber, the oldest first.
    fn notices(&self) -> Vec<String> {
        let mails = mails_in(self.folder.path()).into_iter();
        mails
            .filter(|mail| {
                mail.contains("List-Id:") && mail.contains(&format!("To: {ADDRESS}\r\n"))
            })
            .collect()
    }
}

/// A header of a mail, its lines as one.
fn header(mail: &str, name: &str) -> String {
    let unfolded = mail.replace("\r\n ", " ").replace("\r\n\t", " ");
    let (head, _) = unfolded.split_once("\r\n\r\n").unwrap();
    let line = head
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("no {name} in {head}"))
        .to_owned()
}

async fn record(operator: &Operator, incident: &str, status: &str, message: &str) {
    let path = format!("/incident/{incident}/updates/create");
    let recorded = operator
        .post(&path, json!({"status": status, "message": message}))
        .await;
    assert_eq!(recorded.status, 201, "{recorded:?}");
}

async fn incident(operator: &Operator, title: &str) -> String {
    let body = json!({"title": title, "description": "All of it", "status": "INVESTIGATING"});
    let created = operator.post("/incident/create", body).await;
    assert_eq!(created.status, 201, "{created:?}");
    created.body["data"]["id"].as_str().unwrap().to_owned()
}

async fn counts(operator: &Operator) -> Value {
    let response = operator.get("/subscriber/deliveries").await;
    assert_eq!(response.status, 200, "{response:?}");
    response.body["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verified_subscriber_is_mailed_of_an_incident_in_one_thread_and_in_order() {
    let (setup, operator) = SubscriberSetup::with_a_subscriber().await;
    let down = incident(&operator, "Down").await;
    for (status, message) in [
        ("IDENTIFIED", "A cable was cut"),
        ("RESOLVED", "It is mended"),
    ] {
        record(&operator, &down, status, message).await;
    }
    let setup = setup.restart_and_drain().await;
    let mails = setup.notices();
    assert_eq!(mails.len(), 3);
    for (mail, words) in mails
        .iter()
        .zip(["All of it", "A cable was cut", "It is mended"])
    {
        assert!(
            header(mail, "Subject").contains("Down") && mail.contains(words),
            "{mail}"
        );
        assert_eq!(
            header(mail, "List-Unsubscribe-Post"),
            "List-Unsubscribe=One-Click"
        );
    }
    let root = header(&mails[0], "Message-ID");
    assert!(!mails[0].contains("References:"), "{}", mails[0]);
    for later in &mails[1..] {
        assert_eq!(header(later, "References"), root);
    }
    let mut ids: Vec<_> = mails
        .iter()
        .map(|mail| header(mail, "Message-ID"))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);

    let operator = setup.at(&operator);
    let expected = json!({"waiting": 0, "sent": 4, "givenUp": 0, "reasons": [], "retrying": [],
        "days": 30});
    assert_eq!(counts(&operator).await, expected);
    let other = setup.operator("Acme").await;
    assert_eq!(counts(&other).await["sent"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriber_unsubscribed_by_a_mails_link_gets_no_more_mail() {
    let (setup, operator) = SubscriberSetup::with_a_subscriber().await;
    incident(&operator, "Down").await;
    let setup = setup.restart_and_drain().await;
    let leave = carried(&setup.notices()[0], "unsubscribe");
    assert_eq!(setup.post("/unsubscribe", leave).await.status, 200);
    incident(&setup.at(&operator), "Down again").await;
    let setup = setup.restart_and_drain().await;
    assert_eq!(setup.notices().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maintenance_is_mailed_when_it_is_planned_and_called_off() {
    let (setup, operator) = SubscriberSetup::with_a_subscriber().await;
    let body =
        json!({"title": "Move", "description": "All of it", "startAt": "2999-01-01T00:00:00.000Z"});
    let planned = operator.post("/maintenance/create", body).await;
    assert_eq!(planned.status, 201, "{planned:?}");
    let path = format!(
        "/maintenance/{}",
        planned.body["data"]["id"].as_str().unwrap()
    );
    assert_status(operator.patch(&path, json!({"title": "Move all"})), 200).await;
    assert_status(operator.patch(&path, json!({"status": "CANCELLED"})), 200).await;
    let setup = setup.restart_and_drain().await;
    let subjects: Vec<_> = setup
        .notices()
        .iter()
        .map(|mail| header(mail, "Subject"))
        .collect();
    assert_eq!(
        subjects.len(),
        2,
        "a corrected title causes no mail: {subjects:?}"
    );
    assert!(subjects[1].contains("Move all"), "{subjects:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_do_not_notify_are_mailed_to_nobody() {
    let (setup, operator) = SubscriberSetup::with_a_subscriber().await;
    let past = json!({"title": "Past", "description": "d", "status": "RESOLVED",
        "occuredAt": "2020-01-01T00:00:00.000Z", "resolvedAt": "2020-01-02T00:00:00.000Z"});
    let created = operator.post("/incident/create", past.clone()).await;
    assert_eq!(created.status, 201, "{created:?}");
    let quiet = json!({"title": "Quiet", "description": "d", "startAt": "2999-01-01T00:00:00.000Z", "notify": false});
    for kind in ["incident", "maintenance"] {
        let created = operator
            .post(&format!("/{kind}/create"), quiet.clone())
            .await;
        assert_eq!(created.status, 201, "{created:?}");
        // Operators see the choice that is kept for the beginning and the end.
        let kept = (kind == "maintenance").then_some(&json!(false));
        assert_eq!(created.body["data"].get("notify"), kept);
        let path = format!("/{kind}/{}", created.body["data"]["id"].as_str().unwrap());
        let update = json!({"message": "Quiet", "status": "IDENTIFIED", "notify": false});
        let recorded = operator
            .post(&format!("{path}/updates/create"), update.clone())
            .await;
        assert_eq!(recorded.status, 201, "{recorded:?}");
        let id = recorded.body["data"]["id"].as_str().unwrap();
        let edit = json!({"status": "MONITORING", "notify": false});
        let one = format!("{path}/updates/{id}");
        assert_eq!(operator.patch(&one, edit).await.status, 200);
        let change = match kind {
            "incident" => json!({"status": "INVESTIGATING", "notify": false}),
            _ => json!({"startAt": "2999-01-02T00:00:00.000Z", "notify": false}),
        };
        assert_eq!(operator.patch(&path, change).await.status, 200);
        for bad in [json!(null), json!("no")] {
            let calls = [
                (format!("/{kind}/create"), true),
                (format!("{path}/updates/create"), true),
                (path.clone(), false),
                (one.clone(), false),
            ];
            for (call, is_new) in calls {
                let mut body = if is_new { quiet.clone() } else { json!({}) };
                body["message"] = json!("m");
                body["notify"] = bad.clone();
                let response = if is_new {
                    operator.post(&call, body).await
                } else {
                    operator.patch(&call, body).await
                };
                assert_eq!(response.status, 422, "{call}: {response:?}");
                assert_eq!(response.body["errors"][0]["field"], "notify");
            }
        }
    }
    assert!(!operator.snapshot().await.to_string().contains("notify"));
    let mut loud = past;
    loud["title"] = json!("Loud");
    loud["notify"] = json!(true);
    assert_eq!(operator.post("/incident/create", loud).await.status, 201);
    let setup = setup.restart_and_drain().await;
    let subjects: Vec<_> = setup
        .notices()
        .iter()
        .map(|mail| header(mail, "Subject"))
        .collect();
    assert!(
        subjects.len() == 1 && subjects[0].contains("Loud"),
        "{subjects:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_a_deleted_update_takes_back_is_mailed_as_chosen() {
    let (setup, operator) = SubscriberSetup::with_a_subscriber().await;
    for (title, notify) in [("Quiet", false), ("Loud", true)] {
        let draft =
            json!({"title": title, "description": "d", "status": "INVESTIGATING", "notify": false});
        let created = operator.create("/incident/create", draft).await;
        let path = format!("/incident/{}/updates", created["id"].as_str().unwrap());
        let mut newest = Value::Null;
        for status in ["IDENTIFIED", "RESOLVED"] {
            let update = json!({"message": "m", "status": status, "notify": false});
            newest = operator.create(&format!("{path}/create"), update).await;
        }
        let deletion = json!({"incidentUpdateIds": [newest["id"]], "notify": notify});
        assert_status(operator.post(&format!("{path}/delete"), deletion), 200).await;
    }
    let setup = setup.restart_and_drain().await;
    let subjects: Vec<_> = setup
        .notices()
        .iter()
        .map(|mail| header(mail, "Subject"))
        .collect();
    assert!(
        subjects.len() == 1 && subjects[0].contains("Loud"),
        "{subjects:?}"
    );
}
