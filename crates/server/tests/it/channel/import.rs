use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::{ALLOWED, WebhookSetup};
use crate::api_key::{key, program};
use crate::app::{
    Operator, TestApp, TestResponse, assert_status, founder, operator_of, send, until,
};
use crate::built_in::mails_in;
use crate::process::{Process, command};

/// Imports a file with these parameters.
async fn import(operator: &Operator, query: &str, file: impl Into<reqwest::Body>) -> TestResponse {
    let request = operator.request(Method::POST, &format!("/subscriber/import{query}"));
    send(request.header("content-type", "text/csv").body(file)).await
}

const CONFIRMED: &str = "?dryRun=false&confirmed=true&consent=Asked%20in%20June";

/// Address, status and components of the subscribers, in the order of the addresses.
async fn listed(operator: &Operator) -> Vec<(String, String, Value)> {
    let listed = operator.get("/subscriber/list").await;
    let rows = listed.body["data"].as_array().unwrap().iter();
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let mut rows: Vec<_> = rows
        .map(|row| {
            (
                text(row, "email"),
                text(row, "status"),
                row["components"].clone(),
            )
        })
        .collect();
    rows.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    rows
}

const FILE: &str = "email,components\nann@example.com,\nANN@EXAMPLE.com,\nnobody,\nbob@example.com,API\neve@example.com,Nothing\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_stores_nothing_and_says_what_would_happen() {
    let setup = WebhookSetup::start().await;
    setup.operator.component("API").await;
    let report = |dry_run: bool, added: u64, known: u64| {
        json!({"dryRun": dry_run, "rows": 5, "added": added, "known": known, "failed": 2, "errors": [
            {"line": 4, "message": "Invalid email address"},
            {"line": 6, "message": "There is no component \"Nothing\""},
        ]})
    };
    for query in ["", "?dryRun=true", "?confirmed=true&consent=x"] {
        let dry = import(&setup.operator, query, FILE).await;
        assert_eq!((dry.status, &dry.body["data"]), (200, &report(true, 2, 1)));
        assert!(listed(&setup.operator).await.is_empty(), "{query}");
    }
    let setup = setup.restarted(&ALLOWED).await;
    assert!(mails_in(setup.app.folder.path()).is_empty());

    let imported = import(&setup.operator, "?dryRun=false", FILE).await;
    assert_eq!(imported.body["data"], report(false, 2, 1));
    let again = import(&setup.operator, "?dryRun=false", FILE).await;
    assert_eq!(again.body["data"], report(false, 0, 3));
    let rows = listed(&setup.operator).await;
    let states: Vec<_> = rows.iter().map(|row| (&*row.0, &*row.1)).collect();
    assert_eq!(
        states,
        [
            ("ann@example.com", "PENDING"),
            ("bob@example.com", "PENDING")
        ]
    );
    let setup = setup.restarted(&ALLOWED).await;
    let mails = mails_in(setup.app.folder.path());
    assert_eq!(mails.len(), 2, "each gets one link");
    assert!(mails.iter().all(|mail| mail.contains("/verify?")));
}

#[tokio::test(flavor = "multi_thread")]
async fn report_lists_the_first_hundred_errors() {
    let (_app, operator) = TestApp::with_operator().await;
    let rows: Vec<_> = (0..101).map(|number| format!("nobody{number}\n")).collect();
    let file = format!("email\n{}", rows.concat());
    let mut report = import(&operator, "", file).await.body["data"].take();
    let errors = report["errors"].take();
    let errors = errors.as_array().unwrap();
    assert_eq!(errors.len(), 100);
    let message = "Invalid email address";
    assert_eq!(errors[0], json!({"line": 2, "message": message}));
    assert_eq!(errors[99], json!({"line": 101, "message": message}));
    assert_eq!(
        report,
        json!({"dryRun": true, "rows": 101, "added": 0, "known": 0, "failed": 101, "errors": null})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cell_of_separators_does_not_mean_everything() {
    let (_app, operator) = TestApp::with_operator().await;
    let many = ";".repeat(100_000);
    let file = format!("email,components\nann@example.com,;\nbob@example.com,{many}\n");
    let report = import(&operator, "", file).await.body["data"].take();
    assert_eq!(report["added"], 0, "{report}");
    assert_eq!(
        report["errors"],
        json!([
            {"line": 2, "message": "Names no component"},
            {"line": 3, "message": "Names more than 200 components"},
        ])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmed_addresses_need_a_statement_which_the_audit_log_keeps() {
    let setup = WebhookSetup::start().await;
    let api = setup
        .operator
        .create("/component/create", json!({"name": "API"}))
        .await;
    let web = setup.operator.component("Web").await;
    let code = api["code"].as_str().unwrap();
    let file = format!("email,components\nann@example.com,Web; {code}\nbob@example.com,\n");
    for query in [
        "?dryRun=false&confirmed=true",
        "?dryRun=false&confirmed=true&consent=%20",
    ] {
        let response = import(&setup.operator, query, file.clone()).await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!("consent"))
        );
        assert!(listed(&setup.operator).await.is_empty());
    }
    let imported = import(&setup.operator, CONFIRMED, file).await;
    assert_eq!(imported.body["data"]["added"], 2, "{imported:?}");
    assert_eq!(
        listed(&setup.operator).await,
        [
            (
                "ann@example.com".to_owned(),
                "SUBSCRIBED".to_owned(),
                json!([web, api["id"]])
            ),
            (
                "bob@example.com".to_owned(),
                "SUBSCRIBED".to_owned(),
                Value::Null
            ),
        ]
    );
    let log = setup.operator.get("/audit?limit=1").await.body["data"].clone();
    let organisation = setup.operator.get("/organisation").await.body["data"].clone();
    assert_eq!(log[0]["action"], "subscriber.imported", "{log}");
    assert_eq!(
        log[0]["after"],
        json!({"text": "2 added. Consent: Asked in June"})
    );
    assert_eq!(
        log[0]["target"],
        json!({"type": "ORGANISATION", "id": organisation["id"], "name": organisation["name"]})
    );

    // They receive messages about later changes, and were sent no link.
    setup.incident("Down").await;
    let setup = setup.restarted(&ALLOWED).await;
    let mails = mails_in(setup.app.folder.path());
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("To: bob@example.com\r\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_malformed_file_is_refused() {
    let setup = WebhookSetup::start().await;
    let path = "/subscriber/import?dryRun=false";
    for kind in ["application/json", "text/plain", "multipart/form-data"] {
        let request = setup.operator.request(Method::POST, path);
        let response = send(
            request
                .header("content-type", kind)
                .body("email\na@example.com\n"),
        );
        assert_eq!(response.await.status, 415, "{kind}");
    }
    for (query, file, field) in [
        ("", "", "email"),
        ("", "ann@example.com\nbob@example.com\n", "email"),
        ("", "name,components\nann,\n", "email"),
        ("?dryRun=no", "email\n", "dryRun"),
        ("?confirmed=1", "email\n", "confirmed"),
    ] {
        let response = import(&setup.operator, query, file).await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!(field)),
            "{query}: {file}"
        );
    }
    let limit = 16 * 1024 * 1024;
    let row = "email,note\nann@example.com,";
    let largest = format!("{row}{}", "x".repeat(limit - row.len()));
    let taken = import(&setup.operator, "?dryRun=false", largest.clone()).await;
    assert_eq!(taken.body["data"]["added"], 1, "{taken:?}");
    let response = import(&setup.operator, "?dryRun=false", format!("{largest}\n")).await;
    assert_eq!(response.status, 413, "{response:?}");
    assert_eq!(listed(&setup.operator).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_read_by_an_import_and_has_no_formulas() {
    let setup = WebhookSetup::start().await;
    let names = ["API", "=1+1", "Web, \"the\" site", "One;two"];
    let mut ids = Vec::new();
    for name in names {
        ids.push(setup.operator.component(name).await);
    }
    let add = async |body: Value| setup.operator.create("/subscriber", body).await;
    add(json!({"email": "ann@example.com", "components": [ids[0], ids[2], ids[3]]})).await;
    add(json!({"email": "+bob@example.com", "components": [ids[1]]})).await;
    add(json!({"email": "-eve@example.com"})).await;
    let hook = setup.receiver.url("/hook");
    add(json!({"channel": "webhook", "target": hook})).await;

    let exported = setup.operator.get("/subscriber/export").await;
    assert_eq!(exported.headers["content-type"], "text/csv; charset=utf-8");
    let disposition = exported.headers["content-disposition"].to_str().unwrap();
    assert!(disposition.starts_with("attachment"), "{disposition}");
    let file = exported.body.as_str().unwrap().to_owned();
    let lines: Vec<_> = file.lines().collect();
    assert_eq!(lines[0], "email,components,status,isVerified,createdAt");
    assert_eq!(lines.len(), 1 + 3, "webhooks are left out: {file}");
    for (line, start) in lines[1..].iter().zip([
        "'-eve@example.com,,PENDING,false,2",
        "'+bob@example.com,'=1+1,PENDING,false,2",
        "ann@example.com,",
    ]) {
        assert!(line.starts_with(start), "{line}");
    }

    for query in ["", "?dryRun=false"] {
        let again = import(&setup.operator, query, file.clone()).await;
        let (known, failed) = (&again.body["data"]["known"], &again.body["data"]["failed"]);
        assert_eq!((known, failed), (&json!(3), &json!(0)), "{again:?}");
    }
    let before = listed_mails(&setup.operator).await;
    for row in &before {
        let path = format!("/subscriber/{}", row["id"].as_str().unwrap());
        assert_eq!(setup.operator.delete(&path).await.status, 200);
    }
    let imported = import(&setup.operator, "?dryRun=false", file).await;
    assert_eq!(imported.body["data"]["added"], 3, "{imported:?}");
    let what = |rows: &[Value]| {
        let mut rows: Vec<_> = rows
            .iter()
            .map(|row| {
                let mut components: Vec<_> = match &row["components"] {
                    Value::Array(ids) => ids.iter().map(ToString::to_string).collect(),
                    _ => Vec::new(),
                };
                components.sort_unstable();
                (
                    row["email"].to_string(),
                    row["scope"].to_string(),
                    components,
                )
            })
            .collect();
        rows.sort_unstable();
        rows
    };
    let after = listed_mails(&setup.operator).await;
    assert_eq!(what(&after), what(&before));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_has_the_subscribers_that_the_parameters_select() {
    let (_app, operator) = TestApp::with_operator().await;
    let confirmed = import(&operator, CONFIRMED, "email\nann@example.com\n").await;
    assert_eq!(confirmed.body["data"]["added"], 1, "{confirmed:?}");
    let pending = import(&operator, "?dryRun=false", "email\nbob@example.com\n").await;
    assert_eq!(pending.body["data"]["added"], 1, "{pending:?}");
    let exported = async |query: &str| {
        let response = operator.get(&format!("/subscriber/export{query}")).await;
        assert_eq!(response.status, 200, "{response:?}");
        let file = response.body.as_str().unwrap();
        let addresses = file.lines().skip(1).map(|line| line.split(',').next());
        addresses
            .map(|address| address.unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let (ann, bob) = ("ann@example.com", "bob@example.com");
    assert_eq!(exported("").await, [bob, ann]);
    assert_eq!(exported("?status=SUBSCRIBED&email=").await, [ann]);
    assert_eq!(exported("?email=BOB&channel=email").await, [bob]);
    assert!(exported("?failing=true").await.is_empty());
    let unknown = operator.get("/subscriber/export?status=x").await;
    assert_eq!(
        (unknown.status, &unknown.body["errors"][0]["field"]),
        (422, &json!("status"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_says_how_many_mails_may_be_sent_today() {
    let app = TestApp::start_with(&["--limit-mail-account", "2"]).await;
    let operator = app.operator("Acme").await;
    operator
        .create("/subscriber", json!({"email": "ann@example.com"}))
        .await;
    let file = "email;components\nbob@example.com;\neve@example.com;\n";
    let checked = import(&operator, "", file).await;
    assert_eq!(
        checked.body["data"],
        json!({"dryRun": true, "rows": 2, "added": 2, "known": 0, "failed": 0, "errors": []})
    );
    assert_eq!(checked.body["meta"], json!({"mailsLeft": 1}));
    let confirmed = import(&operator, "?confirmed=true&consent=x", file).await;
    assert_eq!(confirmed.body.get("meta"), None);
    let imported = import(&operator, "?dryRun=false", file).await;
    let report = &imported.body["data"];
    assert_eq!(
        (&report["added"], &report["failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(report["errors"][0]["line"], 3);
    let reason = report["errors"][0]["message"].as_str().unwrap();
    assert!(reason.contains("ALLCLEAR_LIMIT_MAIL_ACCOUNT"), "{reason}");
    assert_eq!(imported.body.get("meta"), None);
}

/// The subscribers by mail.
async fn listed_mails(operator: &Operator) -> Vec<Value> {
    let listed = operator.get("/subscriber/list").await;
    let rows = listed.body["data"].as_array().unwrap().iter();
    rows.filter(|row| row["channel"] == "email")
        .cloned()
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn api_keys_of_all_organisations_of_an_account_import_one_file_at_a_time() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let second = founder(acme.client.clone(), &app.url, "Acme Labs").await;
    let slow = program(&acme, &key(&acme, "editor").await);
    let address = app.url.trim_start_matches("http://");
    let mut connection = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /api/v1/subscriber/import HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
         content-type: text/csv\r\ncontent-length: 100\r\n\r\nemail",
        slow.token
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let second = program(&second, &key(&second, "editor").await);
    let status = async || import(&second, "", "email\n").await.status;
    until(429, status).await;
    let other = program(&other, &key(&other, "editor").await);
    assert_status(import(&other, "", "email\n"), 200).await;
    drop(connection);
    until(200, status).await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_rows_are_imported_in_little_memory() {
    const ROWS: usize = 100_000;
    let folder = tempfile::tempdir().unwrap();
    let process = Process::serve(command(&folder.path().join("data"), &[])).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let rows: Vec<_> = (0..ROWS)
        .map(|number| format!("person{number}@example.com,\n"))
        .collect();
    let file = format!("email,components\n{}", rows.concat());
    let small = import(&operator, "", "email\nann@example.com\n").await;
    assert_eq!(small.status, 200, "{small:?}");
    let before = process.peak_memory();
    let imported = import(&operator, CONFIRMED, file).await;
    assert_eq!(imported.status, 200, "{imported:?}");
    assert_eq!(
        imported.body["data"],
        json!({"dryRun": false, "rows": ROWS, "added": ROWS, "known": 0, "failed": 0, "errors": []})
    );
    let exported = operator.get("/subscriber/export").await;
    assert_eq!(exported.body.as_str().unwrap().lines().count(), 1 + ROWS);
    let grown = process.peak_memory() - before;
    assert!(grown < 120 * 1024, "the peak grew by {grown} KiB");
}
