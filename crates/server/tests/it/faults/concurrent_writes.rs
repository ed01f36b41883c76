//! Operators record updates, reorder the page and edit histories as fast as the server acknowledges
//! them; every acknowledged write must be stored.

mod correction;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::app::{Operator, operator_of, token};
use crate::process::Process;
use correction::Correction;

const OPERATORS: usize = 8;
const STATUSES: [&str; 3] = ["INVESTIGATING", "IDENTIFIED", "MONITORING"];

/// An organisation with an incident for each operator, over several processes of the server.
pub(super) struct ConcurrentWrites {
    operator: Operator,
    incidents: Vec<String>,
    /// The acknowledged updates of each incident.
    acknowledged: Vec<Vec<String>>,
    /// The writers of the page order and of histories.
    corrections: Vec<Correction>,
    /// The revision before the first concurrent write.
    begin: u64,
}

/// Operators that are writing, and the updates acknowledged to them.
pub(super) struct Writing {
    updates: mpsc::UnboundedReceiver<(usize, String)>,
    writers: Vec<tokio::task::JoinHandle<()>>,
    correctors: Vec<tokio::task::JoinHandle<Correction>>,
}

impl ConcurrentWrites {
    pub(super) async fn new(process: &Process) -> Self {
        let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
        let mut incidents = Vec::new();
        for number in 0..OPERATORS {
            let incident = json!({
                "title": format!("Incident {number}"), "description": "All of it", "status": "INVESTIGATING",
                "occuredAt": "2026-01-01T10:00",
            });
            let created = operator.post("/incident/create", incident).await;
            assert_eq!(created.status, 201, "{created:?}");
            incidents.push(created.body["data"]["id"].as_str().unwrap().to_owned());
        }
        // The component whose history is edited belongs to the page that is reordered.
        let history = Correction::of_history(&operator).await;
        let order = Correction::of_order(&operator).await;
        let begin = operator.snapshot().await["revision"].as_u64().unwrap();
        Self {
            operator,
            incidents,
            acknowledged: vec![Vec::new(); OPERATORS],
            corrections: vec![history, order],
            begin,
        }
    }

    /// Continues at another process of the server, with a new token: a token lasts five minutes, a
    /// session longer.
    pub(super) async fn at(&mut self, process: &Process) {
        self.operator.url.clone_from(&process.url);
        self.operator.token = token(
            &self.operator.client,
            &process.url,
            &self.operator.organisation,
        )
        .await;
    }

    /// Every operator writes until the server ends or responds with 503.
    pub(super) fn write(&mut self) -> Writing {
        let (sender, updates) = mpsc::unbounded_channel();
        let writer = |(number, incident): (usize, &String)| {
            let (operator, sender) = (self.operator.clone(), sender.clone());
            let path = format!("/incident/{incident}/updates/create");
            tokio::spawn(async move {
                for count in 0.. {
                    let update = json!({"message": format!("Update {count}"), "status": STATUSES[count % 3]});
                    let request = operator.request(reqwest::Method::POST, &path).json(&update);
                    let Ok(response) = request.send().await else {
                        return;
                    };
                    let status = response.status();
                    let Ok(body) = response.json::<Value>().await else {
                        return;
                    };
                    if status == 503 {
                        return;
                    }
                    assert_eq!(status, 201, "{body}");
                    sender
                        .send((number, body["data"]["id"].as_str().unwrap().to_owned()))
                        .unwrap();
                }
            })
        };
        let correctors = self.corrections.drain(..);
        Writing {
            updates,
            writers: self.incidents.iter().enumerate().map(writer).collect(),
            correctors: correctors
                .map(|correction| tokio::spawn(correction.write(self.operator.clone())))
                .collect(),
        }
    }

    /// Records the next `count` acknowledged updates.
    pub(super) async fn note(&mut self, writing: &mut Writing, count: usize) {
        for _ in 0..count {
            let (number, id) = writing.updates.recv().await.expect("an operator writes");
            self.acknowledged[number].push(id);
        }
    }

    /// Records the acknowledged updates up to the end.
    pub(super) async fn note_the_rest(&mut self, mut writing: Writing) {
        for writer in writing.writers {
            writer.await.unwrap();
        }
        for corrector in writing.correctors {
            self.corrections.push(corrector.await.unwrap());
        }
        while let Some((number, id)) = writing.updates.recv().await {
            self.acknowledged[number].push(id);
        }
    }

    /// Asserts that every acknowledged write is stored, and no write in part. `ended` processes
    /// have ended, each with at most one unacknowledged write per operator.
    pub(super) async fn is_whole(&mut self, ended: usize) {
        let (mut stored, mut noted) = (0, 0);
        for (incident, acknowledged) in self.incidents.iter().zip(&self.acknowledged) {
            let updates = self
                .operator
                .get(&format!("/incident/{incident}/updates/list"))
                .await
                .body["data"]
                .clone();
            let updates = updates.as_array().unwrap();
            let is_stored = |id: &String| updates.iter().any(|update| update["id"] == **id);
            assert!(
                acknowledged.iter().all(is_stored),
                "every acknowledged update is stored"
            );
            let state = self
                .operator
                .get(&format!("/incident/{incident}"))
                .await
                .body["data"]
                .clone();
            let status = updates
                .first()
                .map_or(&json!("INVESTIGATING"), |newest| &newest["status"])
                .clone();
            assert_eq!(
                state["status"], status,
                "an update and its incident are stored together"
            );
            stored += updates.len();
            noted += acknowledged.len();
        }
        assert!(stored <= noted + ended * OPERATORS, "{stored} of {noted}");
        for correction in &mut self.corrections {
            stored += correction.is_whole(&self.operator).await;
        }
        let revision = self.operator.snapshot().await["revision"].clone();
        assert_eq!(
            revision,
            self.begin + u64::try_from(stored).unwrap(),
            "a write and its revision are stored together"
        );
    }
}
