//! An organisation with one of everything public, whose texts all contain one word.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::app::{Operator, client, send};

/// An organisation of a shared installation.
pub(crate) struct Tenant {
    pub(crate) operator: Operator,
    /// A word that is part of every text.
    pub(crate) word: &'static str,
    component: String,
    incident: String,
    maintenance: String,
    /// Identifiers and codes of everything in it.
    identifiers: BTreeSet<String>,
}

impl Tenant {
    /// Fills an organisation whose name contains the word.
    pub(crate) async fn create(operator: Operator, word: &'static str) -> Self {
        let named = |text: &str| format!("{word} {text}");
        let group = json!({"name": named("group"), "description": named("about")});
        let group = operator.create("/component-group/create", group).await;
        let component = json!({
            "name": named("component"), "description": named("about"), "groupId": group["id"],
        });
        let component = operator.create("/component/create", component).await;
        let attached = json!([{"componentId": component["id"], "status": "PARTIAL_OUTAGE"}]);
        let incident = json!({
            "title": named("incident"), "description": named("broke"), "components": attached,
        });
        let incident = operator.create("/incident/create", incident).await;
        let path = format!("/incident/{}/updates/create", id(&incident));
        let update = json!({"status": "IDENTIFIED", "message": named("cause")});
        operator.create(&path, update).await;
        let mut maintenances = Vec::new();
        for start in ["2026-01-01T00:00:00Z", "2029-01-01T00:00:00Z"] {
            let maintenance = json!({
                "title": named("maintenance"), "description": named("works"), "startAt": start,
                "components": [component["id"]],
            });
            maintenances.push(operator.create("/maintenance/create", maintenance).await);
        }
        let path = format!("/maintenance/{}/updates/create", id(&maintenances[0]));
        let update = json!({"status": "IDENTIFIED", "message": named("begun")});
        operator.create(&path, update).await;
        let mut tenant = Self {
            word,
            component: code(&component),
            incident: code(&incident),
            maintenance: code(&maintenances[0]),
            identifiers: BTreeSet::from([operator.organisation.clone()]),
            operator,
        };
        tenant
            .find_identifiers(&id(&incident), &id(&maintenances[0]))
            .await;
        tenant
    }

    async fn find_identifiers(&mut self, incident: &str, maintenance: &str) {
        for path in [
            "/organisation",
            "/component/list",
            "/component-group/list",
            "/incident/list",
            &format!("/incident/{incident}/updates/list"),
            "/maintenance/list",
            &format!("/maintenance/{maintenance}/updates/list"),
        ] {
            let response = self.operator.get(path).await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            collect(&response.body, &mut self.identifiers);
        }
        for name in ["summary", "incidents", "scheduled-maintenances"] {
            let path = format!("/status/{}/api/v2/{name}.json", self.operator.organisation);
            let url = format!("{}{path}", self.operator.url);
            let response = send(client().get(url)).await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            collect(&response.body, &mut self.identifiers);
        }
        assert!(self.identifiers.len() > 15, "{:?}", self.identifiers);
    }

    /// A path of the table with the codes of this organisation in it.
    pub(super) fn fill(&self, path: &str) -> String {
        let code = if path.starts_with("/maintenances") {
            &self.maintenance
        } else {
            &self.incident
        };
        path.replace("{code}", code)
            .replace("{component}", &self.component)
            .replace("{organisation}", &self.operator.organisation)
    }

    /// The text or identifier of this organisation that occurs in a text.
    pub(crate) fn named_in(&self, text: &str) -> Option<&str> {
        let lower = text.to_lowercase();
        let identifiers = self.identifiers.iter().map(String::as_str);
        let mut names = identifiers.chain([self.word]);
        names.find(|name| lower.contains(&name.to_lowercase()))
    }
}

fn id(created: &Value) -> String {
    created["id"].as_str().unwrap().to_owned()
}

fn code(created: &Value) -> String {
    created["code"].as_str().unwrap().to_owned()
}

/// Collects every identifier and code of a document.
fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if let (true, Some(text)) = (name == "id" || name == "code", value.as_str()) {
                    found.insert(text.to_owned());
                }
                collect(value, found);
            }
        }
        _ => {}
    }
}
