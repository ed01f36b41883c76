//! The programs of `docs/automate.md`, run against a server.

use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use tokio::process::Command;

use super::{key, program};
use crate::app::{Operator, TestApp};
use crate::other_servers;

const GUIDE: &str = include_str!("../../../../../docs/automate.md");

/// The options that the shell of a step has on GitHub, where the workflow names bash.
const STEP: [&str; 4] = ["--noprofile", "--norc", "-eo", "pipefail"];

/// The first code block below a heading of the guide, with few retries.
fn example(heading: &str) -> String {
    let section = GUIDE.split_once(heading).unwrap().1;
    let (_, block) = section.split_once("\n```").unwrap();
    let (_, block) = block.split_once('\n').unwrap();
    let (block, _) = block.split_once("\n```").unwrap();
    assert!(block.contains("--retry 5"), "{block}");
    block.replace("--retry 5", "--retry 1")
}

/// The script of a step of the workflow.
fn step(name: &str) -> String {
    let workflow = example("## Announce a deployment with GitHub Actions");
    assert!(workflow.contains("shell: bash"), "{workflow}");
    let step = workflow
        .split_once(&format!("- name: {name}\n"))
        .unwrap()
        .1
        .split_once("run: |\n")
        .unwrap()
        .1;
    let lines = step
        .lines()
        .take_while(|line| line.starts_with("          "));
    let lines: Vec<_> = lines.map(str::trim_start).collect();
    lines.join("\n")
}

/// Whether the programs of the guide are installed.
fn is_installed() -> bool {
    ["bash", "curl", "jq"]
        .map(other_servers::installed)
        .iter()
        .all(Option::is_some)
}

/// Runs a script of the guide with bash.
async fn run(script: &str, options: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new("bash")
        .args(options)
        .args(["-c", script])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap()
}

/// A script with what its reader puts in.
fn filled_in(script: &str, app: &TestApp, key: &str, component: &str) -> String {
    script
        .replace("https://allclear.example.com", &app.url)
        .replace("ack_…", key)
        .replace("COMPONENT", component)
}

/// The only item of a list.
async fn only(admin: &Operator, path: &str) -> Value {
    let listed = admin.get(path).await.body;
    let items = listed["data"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{items:?}");
    items[0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn script_opens_and_resolves_an_incident_and_ends_at_the_first_failure() {
    if !is_installed() {
        return;
    }
    let (app, admin) = TestApp::with_operator().await;
    let key = key(&admin, "editor").await;
    let component = admin.component("Checkout").await;
    let script = |key: &str| {
        let script = example("## Open an incident with curl");
        filled_in(&script, &app, key, &component)
    };
    let output = run(&script("ack_unknown"), &[], &[]).await;
    assert!(!output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("401") && !said.contains("404"), "{said}");
    assert_eq!(output.stdout, b"", "it has ended before the update");

    let script = script(key["key"].as_str().unwrap());
    for _ in 0..2 {
        let done = run(&script, &[], &[]).await;
        assert!(done.status.success(), "{done:?}");
        let incident = only(&admin, "/incident/list").await;
        assert_eq!(incident["title"], "Checkout fails");
        assert_eq!(incident["status"], "RESOLVED");
    }
    let periods = format!("/component/{component}/history");
    assert_eq!(only(&admin, &periods).await["status"], "MAJOR_OUTAGE");
}

#[tokio::test(flavor = "multi_thread")]
async fn script_of_an_alert_opens_one_incident_and_resolves_it() {
    if !is_installed() {
        return;
    }
    let (app, admin) = TestApp::with_operator().await;
    let key = key(&admin, "editor").await;
    let component = admin.component("Checkout").await;
    let script = example("## Open an incident when an alert begins");
    let script = filled_in(&script, &app, key["key"].as_str().unwrap(), &component);
    let alert = async |state: &str| {
        let script = format!("set -- {state} 'Checkout \"EU\" is down'\n{script}");
        let done = run(&script, &[], &[]).await;
        assert!(done.status.success(), "{done:?}");
    };
    alert("resolved").await;
    let listed = admin.get("/incident/list").await;
    assert_eq!(listed.body["data"], json!([]), "no alert was active");
    for state in ["firing", "firing", "resolved", "resolved"] {
        alert(state).await;
        let incident = only(&admin, "/incident/list").await;
        assert_eq!(incident["title"], "Checkout \"EU\" is down");
        assert_eq!(incident["status"] == "RESOLVED", state == "resolved");
        let expected = if state == "firing" {
            "MAJOR_OUTAGE"
        } else {
            "OPERATIONAL"
        };
        let found = only(&admin, "/component/list").await;
        assert_eq!(found["status"], expected, "{state}");
    }
    alert("firing").await;
    let listed = admin.get("/incident/list").await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn report_of_a_script_sets_the_status() {
    if !is_installed() {
        return;
    }
    let (app, admin) = TestApp::with_operator().await;
    let key = key(&admin, "editor").await;
    let component = admin.component("Checkout").await;
    let script = example("**A script.**");
    let script = filled_in(&script, &app, key["key"].as_str().unwrap(), &component);
    let done = run(&script, &[], &[]).await;
    assert!(done.status.success(), "{done:?}");
    let found = only(&admin, "/component/list").await;
    assert_eq!(found["status"], "MAJOR_OUTAGE");
}

/// What a step of a job has.
struct Job<'a> {
    app: &'a TestApp,
    output: &'a Path,
    key: &'a str,
}

impl Job<'_> {
    async fn run(&self, script: &str) -> Output {
        let base = self.app.call("");
        let variables = [
            ("BASE", base.as_str()),
            ("KEY", self.key),
            ("GITHUB_RUN_ID", "7"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_OUTPUT", self.output.to_str().unwrap()),
        ];
        run(script, &STEP, &variables).await
    }

    fn output(&self) -> String {
        std::fs::read_to_string(self.output).unwrap_or_default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn workflow_announces_a_deployment_and_ends_if_it_cannot() {
    if !is_installed() {
        return;
    }
    // The bucket of a key has one request, and gets the next one after three seconds.
    let app = TestApp::start_with(&["--limit-api-key", "1/1200"]).await;
    let admin = app.operator("Acme").await;
    let key = key(&admin, "editor").await;
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("output");
    let job = |key| Job {
        app: &app,
        output: &output,
        key,
    };
    let output = job("ack_unknown").run(&step("Begin the maintenance")).await;
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(
        job("").output(),
        "",
        "no identifier, so nothing to complete"
    );

    // The first attempt is refused, so curl writes the output of two attempts into the pipe.
    program(&admin, &key).get("/component/list").await;
    let job = job(key["key"].as_str().unwrap());
    let started = job.run(&step("Begin the maintenance")).await;
    assert!(started.status.success(), "{started:?}");
    let maintenance = only(&admin, "/maintenance/list").await;
    let id = maintenance["id"].as_str().unwrap();
    assert_eq!(job.output(), format!("id={id}\n"));
    assert_eq!(maintenance["title"], "Deployment");
    assert_eq!(maintenance["endAt"], Value::Null);

    let complete = step("Complete the maintenance");
    let complete = complete.replace("${{ steps.begin.outputs.id }}", id);
    let completed = job.run(&complete).await;
    assert!(completed.status.success(), "{completed:?}");
    let maintenance = only(&admin, "/maintenance/list").await;
    assert!(maintenance["endAt"].is_string(), "{maintenance}");
}
