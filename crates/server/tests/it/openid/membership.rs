//! Accounts and memberships of people who sign in with a provider.

use serde_json::{Value, json};

use super::lying_provider::{LyingProvider, Setup};
use super::{Browser, flags, parameter, start};
use crate::app::{TestApp, send};
use crate::built_in::{Person, mails};
use crate::clerk::fake_clerk::signed;

#[tokio::test(flavor = "multi_thread")]
async fn the_account_of_the_same_proven_address_is_linked_and_its_owner_is_mailed() {
    let setup = Setup::new().await;
    let owner = Person::signed_up(&setup.app, "Grace@Example.com").await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    let session = setup.browser.session().await;
    assert_eq!(session["user"]["id"], owner.id().await);
    assert_eq!(session["user"]["name"], "Ada");
    let notices = |mails: Vec<String>| {
        let is_notice = |mail: &&String| {
            mail.contains("To: Grace@example.com\r\n") && mail.contains("You can sign in with liar")
        };
        mails.iter().filter(is_notice).count()
    };
    crate::app::until(1, async || notices(mails(&setup.app))).await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    assert_eq!(
        setup.browser.session().await["user"]["id"],
        owner.id().await
    );
    assert_eq!(notices(mails(&setup.app)), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_sign_in_ends_the_session_of_the_browser() {
    let setup = Setup::new().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    let first = sessions(&setup).await;
    let acme = setup.browser.organisation().await;
    assert_eq!(setup.sign_in(&json!({})).await, "/dashboard");
    assert_eq!((first, sessions(&setup).await), (1, 1));
    let ended = setup.browser.audit(&acme, "session.deleted").await;
    assert_eq!(ended.len(), 1, "{ended:?}");
    let session = setup.browser.session().await;
    assert_eq!(ended[0]["actor"]["id"], session["user"]["id"]);
}

async fn sessions(setup: &Setup) -> i64 {
    use sea_orm::{ConnectionTrait, Database, Statement};

    let connection = Database::connect(setup.app.database_url()).await.unwrap();
    let statement = Statement::from_string(
        connection.get_database_backend(),
        "SELECT COUNT(*) FROM openid_sessions",
    );
    let row = connection.query_one_raw(statement).await.unwrap().unwrap();
    let count = row.try_get_by_index(0).unwrap();
    connection.close().await.unwrap();
    count
}

/// A server whose provider gives memberships in an organisation.
struct Provided {
    app: TestApp,
    provider: LyingProvider,
    organisation: String,
    admin: crate::app::Operator,
}

impl Provided {
    async fn new(settings: &[&str]) -> Self {
        let first = TestApp::start().await;
        let admin = first.operator("Acme").await;
        let folder = first.stop().await;
        let provider = LyingProvider::start();
        let organisation = format!("organisation={}", admin.organisation);
        let settings = [&[&*organisation], settings].concat();
        let mut flags = flags("liar", &provider.issuer, &settings);
        flags.extend(["--oidc-providers".to_owned(), "liar".to_owned()]);
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        Self {
            app: TestApp::start_in(folder, &flags).await,
            provider,
            organisation: admin.organisation.clone(),
            admin,
        }
    }

    async fn sign_in(&self, browser: &Browser, changes: &Value) -> String {
        let provider_url = browser.begin("liar").await;
        let mut claims = self.provider.claims(&provider_url);
        let changes = changes.as_object().unwrap().clone();
        claims.as_object_mut().unwrap().extend(changes);
        let token = signed(0, &claims);
        self.provider.set(|responses| responses.token = token);
        let state = parameter(&provider_url, "state");
        browser.respond(&[("code", "abc"), ("state", &state)]).await
    }

    async fn role(&self, browser: &Browser) -> Value {
        let session = browser.session().await;
        assert_eq!(
            session["organisations"][0]["id"], *self.organisation,
            "{session}"
        );
        session["organisations"][0]["role"].clone()
    }

    /// Makes the founder leave.
    async fn founder_leaves(&self) {
        let url = |path: &str| format!("{}/api/v1/identity{path}", self.app.url);
        let session = send(self.admin.client.get(url("/session"))).await;
        let id = session.body["data"]["user"]["id"].as_str().unwrap();
        let path = format!("/organisations/{}/members/{id}", self.organisation);
        let left = send(self.admin.client.delete(url(&path))).await;
        assert_eq!(left.status, 200, "{left:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_give_the_role_at_each_sign_in_but_the_last_admin_stays() {
    let provided =
        Provided::new(&["role_claim=groups", "role_admin=ops", "role_editor=staff"]).await;
    let browser = Browser::new(&provided.app);
    let page = provided
        .sign_in(&browser, &json!({"groups": ["ops"]}))
        .await;
    assert_eq!(
        (&*page, provided.role(&browser).await),
        ("/dashboard", json!("admin"))
    );
    provided
        .sign_in(&browser, &json!({"groups": ["staff"]}))
        .await;
    assert_eq!(provided.role(&browser).await, "editor");
    provided
        .sign_in(&browser, &json!({"groups": ["staff", "ops"]}))
        .await;
    assert_eq!(provided.role(&browser).await, "admin");
    provided.founder_leaves().await;
    provided
        .sign_in(&browser, &json!({"groups": ["staff"]}))
        .await;
    assert_eq!(provided.role(&browser).await, "admin");
    let acme = &provided.organisation;
    let changed = browser.audit(acme, "member.role-changed").await;
    assert_eq!(changed.len(), 2, "{changed:?}");
    for item in changed {
        assert_eq!(item["actor"]["type"], "PROVIDER", "{item}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_a_role_is_refused() {
    let provided = Provided::new(&["role_claim=groups", "role_admin=ops"]).await;
    let browser = Browser::new(&provided.app);
    provided
        .provider
        .set(|responses| responses.user = json!({"sub": "grace"}));
    for changes in [
        json!({}),
        json!({"groups": ["staff"]}),
        json!({"groups": "op"}),
    ] {
        let page = provided.sign_in(&browser, &changes).await;
        assert_eq!(
            page, "/login?signInError=no-role&provider=liar",
            "{changes}"
        );
        assert_eq!(browser.session().await, Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_claim_a_new_member_has_the_lowest_role() {
    let provided = Provided::new(&[]).await;
    let browser = Browser::new(&provided.app);
    assert_eq!(provided.sign_in(&browser, &json!({})).await, "/dashboard");
    assert_eq!(
        provided.role(&browser).await,
        allclear_domain::openid::LOWEST_ROLE.as_ref()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_organisation_does_not_prevent_a_sign_in() {
    let provider = LyingProvider::start();
    let app = start(
        "liar",
        &flags("liar", &provider.issuer, &["organisation=org_missing"]),
    )
    .await;
    let browser = Browser::new(&app);
    let provider_url = browser.begin("liar").await;
    let token = signed(0, &provider.claims(&provider_url));
    provider.set(|responses| responses.token = token);
    let state = parameter(&provider_url, "state");
    let page = browser.respond(&[("code", "abc"), ("state", &state)]).await;
    assert_eq!(page, "/dashboard");
    assert_eq!(browser.session().await["organisations"], json!([]));
}
