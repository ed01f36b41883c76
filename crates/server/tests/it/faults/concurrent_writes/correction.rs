//! Writes of the page order and of a component's history, one after the other.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::app::Operator;

/// What is written. No other writer touches it.
enum Target {
    /// The order of components and groups on the page.
    Order,
    /// The periods of the component with this identifier.
    History(String),
}

/// A writer with what its acknowledged writes have left.
pub(super) struct Correction {
    target: Target,
    /// The state after the last stored write.
    stored: Value,
    /// The state after the write that was sent and not acknowledged.
    pending: Option<Value>,
    /// The stored writes.
    count: usize,
}

impl Correction {
    /// A writer of the page order.
    pub(super) async fn of_order(operator: &Operator) -> Self {
        let group = operator.create("/component-group/create", json!({"name": "Europe"}));
        let group = group.await["id"].clone();
        for (name, group) in [("A", &Value::Null), ("B", &group), ("C", &group)] {
            let component = json!({"name": format!("Component {name}"), "groupId": group});
            operator.create("/component/create", component).await;
        }
        Self::new(Target::Order, operator).await
    }

    /// A writer of the history of a new component, which has one period.
    pub(super) async fn of_history(operator: &Operator) -> Self {
        let component = operator.component("API").await;
        let path = format!("/component/{component}/history/create");
        operator
            .create(&path, period("DEGRADED", 2024, 1, 11))
            .await;
        Self::new(Target::History(component), operator).await
    }

    async fn new(target: Target, operator: &Operator) -> Self {
        let mut correction = Self {
            target,
            stored: Value::Null,
            pending: None,
            count: 0,
        };
        let read = correction.read(operator).await.expect("the server runs");
        correction.stored = correction.state(&read);
        correction
    }

    /// Writes until the server ends or responds with 503.
    pub(super) async fn write(mut self, operator: Operator) -> Self {
        while let Some(read) = self.read(&operator).await {
            let (request, after) = self.next(&operator, &read);
            self.pending = Some(after);
            let Ok(response) = request.send().await else {
                break;
            };
            let status = response.status();
            let Ok(body) = response.json::<Value>().await else {
                break;
            };
            if status == 503 {
                break;
            }
            assert!(status.is_success(), "{body}");
            self.stored = self.pending.take().expect("a write was sent");
            self.count += 1;
        }
        self
    }

    /// Asserts that each write is stored whole or, if it was not acknowledged, not at all. Returns
    /// the number of stored writes.
    pub(super) async fn is_whole(&mut self, operator: &Operator) -> usize {
        let read = self.read(operator).await.expect("the server runs");
        let state = self.state(&read);
        if let Some(pending) = self.pending.take()
            && pending == state
        {
            self.stored = pending;
            self.count += 1;
        }
        assert_eq!(state, self.stored);
        if matches!(self.target, Target::Order) {
            let ordered = components(&state).cloned().collect::<Vec<_>>();
            let snapshot = operator.snapshot().await;
            let shown = snapshot["components"].as_array().unwrap();
            let shown = shown.iter().map(|component| component["id"].clone());
            assert_eq!(shown.collect::<Vec<_>>(), ordered);
        }
        self.count
    }

    /// Reads what is written; `None` if the server has ended.
    async fn read(&self, operator: &Operator) -> Option<Value> {
        let path = match &self.target {
            Target::Order => "/component/order".to_owned(),
            Target::History(component) => format!("/component/{component}/history"),
        };
        let response = operator.request(Method::GET, &path).send().await.ok()?;
        let body = response.json::<Value>().await.ok()?;
        (!body["data"].is_null()).then(|| body["data"].clone())
    }

    /// What a response says without the identifiers that the server chooses.
    fn state(&self, read: &Value) -> Value {
        match &self.target {
            Target::Order => read["groups"].clone(),
            Target::History(_) => read.as_array().unwrap().iter().map(fields).collect(),
        }
    }

    /// The next write, and the state that it makes of what was read.
    fn next(&self, operator: &Operator, read: &Value) -> (RequestBuilder, Value) {
        let Target::History(component) = &self.target else {
            let after = rotated(&read["groups"]);
            let request = operator.request(Method::POST, "/component/order");
            return (request.json(&json!({"groups": after})), after);
        };
        let path = format!("/component/{component}/history");
        let (newest, lasting) = match read.as_array().unwrap().as_slice() {
            [newest, lasting] => (newest, fields(lasting)),
            [lasting] => {
                let month = self.count % 12 + 1;
                let added = period("PARTIAL_OUTAGE", 2025, month, 11);
                let request = operator.request(Method::POST, &format!("{path}/create"));
                return (request.json(&added), json!([added, fields(lasting)]));
            }
            periods => panic!("{periods:?}"),
        };
        let path = format!("{path}/{}", newest["id"].as_str().unwrap());
        if newest["status"] == "MAJOR_OUTAGE" {
            return (operator.request(Method::DELETE, &path), json!([lasting]));
        }
        let mut changed = fields(newest);
        changed["status"] = json!("MAJOR_OUTAGE");
        changed["endAt"] = json!(changed["endAt"].as_str().unwrap().replace("T11", "T12"));
        let request = operator.request(Method::PUT, &path).json(&changed);
        (request, json!([changed, lasting]))
    }
}

fn period(status: &str, year: usize, month: usize, end: usize) -> Value {
    json!({
        "status": status,
        "startAt": format!("{year}-{month:02}-01T10:00:00.000Z"),
        "endAt": format!("{year}-{month:02}-01T{end}:00:00.000Z"),
    })
}

fn fields(period: &Value) -> Value {
    json!({"status": period["status"], "startAt": period["startAt"], "endAt": period["endAt"]})
}

fn components(groups: &Value) -> impl Iterator<Item = &Value> {
    let groups = groups.as_array().unwrap().iter();
    groups.flat_map(|group| group["components"].as_array().unwrap())
}

/// The order in which every component and every group has moved by one place.
fn rotated(groups: &Value) -> Value {
    let mut moved = components(groups).cloned().collect::<Vec<_>>();
    moved.rotate_left(1);
    let mut moved = moved.into_iter();
    let mut groups = groups.as_array().unwrap().clone();
    for group in &mut groups {
        let count = group["components"].as_array().unwrap().len();
        group["components"] = moved.by_ref().take(count).collect();
    }
    groups.rotate_left(1);
    groups.into()
}
