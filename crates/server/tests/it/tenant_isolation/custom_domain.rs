//! On the domain of one organisation there is nothing of another one, and nothing of
//! the installation.

use reqwest::Method;
use reqwest::header::HOST;
use reqwest::redirect::Policy;

use super::document::{Document, Guard};
use super::route::ROUTES;
use super::sample::{SampleOrganisation, operator};
use crate::app::{Operator, client_builder, send};
use crate::custom_domain::{read, start_with};

const HOST_OF_OTHER: &str = "status.other.example";

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_has_no_call_for_operators_and_nothing_of_another_organisation() {
    let app = start_with(tempfile::tempdir().unwrap(), &SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let other: Operator = app.operator("Other").await;
    other.take(HOST_OF_OTHER).await;
    let before = sample.state(&app).await;
    let admin = operator(&app, &sample.admin, &sample.organisation).await;
    let client = client_builder().redirect(Policy::none()).no_proxy();
    let client = client.build().unwrap();
    let document = Document::of(&app).await;
    for route in ROUTES {
        let method = Method::from_bytes(route.method.to_uppercase().as_bytes()).unwrap();
        let mut request = client
            .request(method, app.call(&route.path_in(&sample)))
            .header(HOST, HOST_OF_OTHER)
            .bearer_auth(&admin.token);
        if route.method != "get" {
            request = request.json(&route.body(&sample));
        }
        let response = send(request).await;
        let is_open = document.guard(route) == Guard::Open;
        let is_shared = is_open && route.path.starts_with("/subscriber/");
        if !is_shared {
            assert_eq!(response.status, 404, "{route:?}: {response:?}");
        }
        let text = response.body.to_string();
        for id in sample.identifiers() {
            assert!(!text.contains(id), "{route:?}: {text}");
        }
    }
    let incident = admin.get(&format!("/incident/{}", sample.incident)).await;
    let code = incident.body["data"]["code"].as_str().unwrap();
    let own = format!("/status/{}", sample.organisation);
    for path in [
        own.clone(),
        format!("{own}/history"),
        format!("{own}/uptime"),
        format!("{own}/incidents/{code}"),
        format!("{own}/subscribe"),
        format!("{own}/api/v2/summary.json"),
        format!("/incidents/{code}"),
        format!("/history?component={code}"),
    ] {
        let response = read(&app, HOST_OF_OTHER, &path).await;
        assert_eq!(response.status, 404, "{path}: {response:?}");
        let text = response.body.to_string();
        assert!(
            !text.contains("Down") && !text.contains("Website"),
            "{path}"
        );
    }
    for path in ["/", "/history", "/uptime", "/subscribe"] {
        let response = read(&app, HOST_OF_OTHER, path).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        let text = response.body.to_string();
        assert!(
            !text.contains("Website") && !text.contains(&sample.organisation),
            "{path}"
        );
    }
    assert_eq!(sample.state(&app).await, before);
}
