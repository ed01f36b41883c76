//! Operators who record updates as fast as they are answered, and what of it has to be found afterwards.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::app::{Operator, operator_of, token};
use crate::process::Process;

const OPERATORS: usize = 8;
const STATUSES: [&str; 3] = ["INVESTIGATING", "IDENTIFIED", "MONITORING"];

/// An organisation with an incident for each operator, over many lives of the server.
pub(super) struct Storm {
    operator: Operator,
    incidents: Vec<String>,
    /// The updates each incident was answered to have.
    acknowledged: Vec<Vec<String>>,
}

/// Writes on their way.
pub(super) struct Writing {
    answers: mpsc::UnboundedReceiver<(usize, String)>,
    writers: Vec<tokio::task::JoinHandle<()>>,
}

impl Storm {
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
        Self {
            operator,
            incidents,
            acknowledged: vec![Vec::new(); OPERATORS],
        }
    }

    /// Goes on at another life of the server. Tokens last five minutes, sessions longer.
    pub(super) async fn at(&mut self, process: &Process) {
        self.operator.url.clone_from(&process.url);
        self.operator.token = token(
            &self.operator.client,
            &process.url,
            &self.operator.organisation,
        )
        .await;
    }

    /// Everybody writes until the server is gone, or says that it is going.
    pub(super) fn write(&self) -> Writing {
        let (told, answers) = mpsc::unbounded_channel();
        let writer = |(number, incident): (usize, &String)| {
            let (operator, told) = (self.operator.clone(), told.clone());
            let path = format!("/incident/{incident}/updates/create");
            tokio::spawn(async move {
                for count in 0.. {
                    let update = json!({"message": format!("Update {count}"), "status": STATUSES[count % 3]});
                    let request = operator.request(reqwest::Method::POST, &path).json(&update);
                    let Ok(answer) = request.send().await else {
                        return;
                    };
                    let status = answer.status();
                    let Ok(body) = answer.json::<Value>().await else {
                        return;
                    };
                    if status == 503 {
                        return;
                    }
                    assert_eq!(status, 201, "{body}");
                    told.send((number, body["data"]["id"].as_str().unwrap().to_owned()))
                        .unwrap();
                }
            })
        };
        Writing {
            answers,
            writers: self.incidents.iter().enumerate().map(writer).collect(),
        }
    }

    /// Notes answers until there are so many.
    pub(super) async fn note(&mut self, writing: &mut Writing, count: usize) {
        for _ in 0..count {
            let (number, id) = writing.answers.recv().await.expect("somebody writes");
            self.acknowledged[number].push(id);
        }
    }

    /// Notes what was answered up to the end.
    pub(super) async fn note_the_rest(&mut self, mut writing: Writing) {
        for writer in writing.writers {
            writer.await.unwrap();
        }
        while let Some((number, id)) = writing.answers.recv().await {
            self.acknowledged[number].push(id);
        }
    }

    /// Every answered write is there, and no write is there by half. So many lives have ended with a write of each operator on
    /// its way.
    pub(super) async fn is_whole(&self, ended: usize) {
        let (mut stored, mut answered) = (0, 0);
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
                "what was acknowledged is there"
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
                "an update and its incident go together"
            );
            stored += updates.len();
            answered += acknowledged.len();
        }
        assert!(
            stored <= answered + ended * OPERATORS,
            "{stored} of {answered}"
        );
        let revision = self.operator.snapshot().await["revision"].clone();
        assert_eq!(
            revision,
            stored + OPERATORS,
            "a write and its revision go together"
        );
    }
}
