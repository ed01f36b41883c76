//! `allclear domain release` while the server is running.

use serde_json::json;

use super::start_with;
use crate::app::assert_status;
use crate::events::Stream;
use crate::process::{command, run};

const HOST: &str = "status.acme.example";

#[tokio::test(flavor = "multi_thread")]
async fn released_domain_can_be_verified_by_another_organisation() {
    let public_url = ["--public-url", "https://status.example.com"];
    let app = start_with(tempfile::tempdir().unwrap(), &public_url).await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    acme.take(HOST).await;
    assert_status(other.claim(HOST), 409).await;
    let data = app.folder.path().join("data");
    let release = async |name: &str| {
        let arguments = [&["domain", "release", name], &public_url[..]].concat();
        run(command(&data, &arguments)).await
    };

    let (code, _, stderr) = release("other.example").await;
    let message = "allclear: no organisation has verified the domain other.example";
    assert_eq!((code, stderr.lines().last()), (Some(1), Some(message)));

    let mut events = Stream::open(&acme, "", None).await;
    let (code, said, stderr) = release("STATUS.acme.example").await;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(said, format!("Acme no longer has the domain {HOST}.\n"));
    let url = format!("https://status.example.com/status/{}", acme.organisation);
    let (event, arguments, _) = events.next().await;
    assert_eq!(event, "organisation-updated");
    assert_eq!(arguments[0]["url"], json!(url));
    assert_eq!(acme.snapshot().await["organisation"]["url"], json!(url));

    let audit = acme.get("/audit?action=organisation.updated").await;
    let item = &audit.body["data"][0];
    assert_eq!(item["actor"]["name"], "Command line");
    assert_eq!(item["before"]["domain"]["name"], HOST);
    assert_eq!(item["after"]["domain"], json!(null));

    other.take(HOST).await;
}
