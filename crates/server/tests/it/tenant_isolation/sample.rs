//! What an intruder would like to get at: an organisation with one of everything.

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Operator, PASSWORD, TestApp, assert_status, cookie_client, send};
use crate::built_in::Person;

/// An organisation with one of everything, and its people.
pub(super) struct SampleOrganisation {
    pub(super) admin: Person,
    pub(super) member: Person,
    pub(super) admin_id: String,
    pub(super) member_id: String,
    pub(super) operator: Operator,
    pub(super) organisation: String,
    pub(super) component: String,
    pub(super) spare_component: String,
    pub(super) component_group: String,
    /// The period that lasts of the component.
    pub(super) period: String,
    pub(super) incident: String,
    pub(super) incident_update: String,
    pub(super) maintenance: String,
    pub(super) maintenance_update: String,
    pub(super) subscriber: String,
    pub(super) api_key: String,
    pub(super) invitation: String,
    /// A person on the waitlist of the installation.
    pub(super) waiting: String,
}

impl SampleOrganisation {
    /// The flags a server starts with, so that there is a waitlist and limits stay out of the way.
    pub(super) const FLAGS: [&'static str; 6] = [
        "--sign-up",
        "waitlist",
        "--limit-invite",
        "1000/1000",
        "--limit-sign-in",
        "1000/1000",
    ];

    /// Makes it, as the first to sign up and so with the installation's administrator in it.
    pub(super) async fn create(app: &TestApp) -> Self {
        let admin = Person::signed_up(app, "ada@example.com").await;
        let organisation = admin.organisation().await;
        let member =
            Person::member(app, &admin, &organisation, "member@example.com", "member").await;
        let operator = operator(app, &admin, &organisation).await;
        let component = operator.component("Website").await;
        let spare_component = operator.component("Spare").await;
        let group = json!({"name": "Core"});
        let component_group = created(&operator, "/component-group/create", group).await;
        let attached = json!([{"componentId": component, "status": "DEGRADED"}]);
        let incident = json!({"title": "Down", "description": "All of it", "components": attached});
        let incident = created(&operator, "/incident/create", incident).await;
        let review = operator.request(Method::PUT, &format!("/incident/{incident}/review"));
        assert_status(send(review.json(&json!({"body": "Why"}))), 200).await;
        let history = operator
            .get(&format!("/component/{component}/history"))
            .await;
        let period = history.body["data"][0]["id"].as_str().unwrap().to_owned();
        let update = json!({"status": "IDENTIFIED", "message": "Found"});
        let incident_update = created(
            &operator,
            &format!("/incident/{incident}/updates/create"),
            update,
        )
        .await;
        let maintenance = json!({"title": "Works", "description": "On all of it", "startAt": "2029-01-01T00:00:00Z",
            "components": [component]});
        let maintenance = created(&operator, "/maintenance/create", maintenance).await;
        let update = json!({"status": "IDENTIFIED", "message": "Planned"});
        let maintenance_update = created(
            &operator,
            &format!("/maintenance/{maintenance}/updates/create"),
            update,
        )
        .await;
        let subscriber = created(
            &operator,
            "/subscriber",
            json!({"email": "reader@example.com"}),
        )
        .await;
        let key = json!({"name": "Deploys", "role": "editor"});
        let api_key = created(&operator, "/api-key/create", key).await;
        let invited = json!({"email": "invited@example.com", "role": "member"});
        let invited = admin
            .post(
                &format!("/organisations/{organisation}/invitations"),
                invited,
            )
            .await;
        let invitation = invited.body["data"]["id"].as_str().unwrap().to_owned();
        let waiting = Person::new(app, "waiting@example.com");
        assert_eq!(waiting.sign_up(PASSWORD).await.status, 202);
        let waitlist = admin.get("/waitlist").await;
        let waiting = waitlist.body["data"][0]["id"].as_str().unwrap().to_owned();
        let (admin_id, member_id) = (admin.id().await, member.id().await);
        Self {
            admin,
            member,
            admin_id,
            member_id,
            operator,
            organisation,
            component,
            spare_component,
            component_group,
            period,
            incident,
            incident_update,
            maintenance,
            maintenance_update,
            subscriber,
            api_key,
            invitation,
            waiting,
        }
    }

    /// Everything of the organisation that a call could change, as its admin reads it.
    pub(super) async fn state(&self, app: &TestApp) -> Value {
        let operator = operator(app, &self.admin, &self.organisation).await;
        let mut state = Vec::new();
        for path in [
            "/component/list".to_owned(),
            "/component-group/list".to_owned(),
            "/component/order".to_owned(),
            "/organisation".to_owned(),
            format!("/incident/{}/review", self.incident),
            "/incident/list".to_owned(),
            format!("/incident/{}/updates/list", self.incident),
            format!("/incident/{}/components/list", self.incident),
            "/maintenance/list".to_owned(),
            format!("/maintenance/{}/updates/list", self.maintenance),
            "/subscriber/list".to_owned(),
            "/api-key/list".to_owned(),
        ] {
            let response = operator.get(&path).await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            state.push(response.body);
        }
        for path in ["members", "invitations"] {
            let response = self
                .admin
                .get(&format!("/organisations/{}/{path}", self.organisation))
                .await;
            assert_eq!(response.status, 200, "{path}: {response:?}");
            state.push(response.body);
        }
        state.push(self.admin.get("/waitlist").await.body);
        state.push(self.operator.snapshot().await["revision"].take());
        Value::Array(state)
    }

    /// The identifiers of everything in the organisation.
    pub(super) fn identifiers(&self) -> [&str; 12] {
        [
            &self.organisation,
            &self.component,
            &self.spare_component,
            &self.component_group,
            &self.incident,
            &self.incident_update,
            &self.maintenance,
            &self.maintenance_update,
            &self.subscriber,
            &self.api_key,
            &self.invitation,
            &self.member_id,
        ]
    }
}

/// A token of a person for an organisation.
pub(super) async fn operator(app: &TestApp, person: &Person, organisation: &str) -> Operator {
    let token = person.token(organisation).await;
    Operator {
        url: app.url.clone(),
        organisation: organisation.to_owned(),
        token,
        client: cookie_client(),
    }
}

/// Creates something and returns its identifier.
async fn created(operator: &Operator, path: &str, body: Value) -> String {
    let created = operator.create(path, body).await;
    created["id"].as_str().unwrap().to_owned()
}
