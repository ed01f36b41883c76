//! `allclear rotate-keys` while the server is running.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use crate::app::{assert_status, client, eventually, operator_of, send, token};
use crate::process::{Process, command, run};

/// The name of the key that signed a token.
pub(crate) fn key_of(token: &str) -> String {
    let header = URL_SAFE_NO_PAD
        .decode(token.split('.').next().unwrap())
        .unwrap();
    let header: Value = serde_json::from_slice(&header).unwrap();
    header["kid"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_signs_on_a_running_node_and_tokens_of_the_old_one_count_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let process = Process::serve(command(&data, &[])).await;
    let operator = operator_of(&process.url, "ada@example.com", "Acme").await;
    let old = key_of(&operator.token);

    let (code, stdout, stderr) = run(command(&data, &["rotate-keys"])).await;
    assert_eq!(code, Some(0), "{stderr}");
    let new = stdout.split_whitespace().next().unwrap().to_owned();
    assert_ne!(new, old);

    let issued = eventually("a running node learns of the key", async || {
        let token = token(&operator.client, &process.url, &operator.organisation).await;
        (key_of(&token) != old).then_some(token)
    });
    let issued = issued.await;
    assert_eq!(key_of(&issued), new);
    for token in [&operator.token, &issued] {
        let list = format!("{}/api/v1/component/list", process.url);
        assert_status(send(client().get(list).bearer_auth(token)), 200).await;
    }
    let keys = send(client().get(format!("{}/.well-known/jwks.json", process.url))).await;
    let names = keys.body["keys"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|key| key["kid"].as_str().unwrap()).collect();
    assert_eq!(names, [new, old]);
}
