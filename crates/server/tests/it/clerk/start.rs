use crate::process::{command, run};

/// `clerk.example.com$`.
const TEST: &str = "pk_test_Y2xlcmsuZXhhbXBsZS5jb20k";

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_or_missing_key_stops_the_start_with_one_clear_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let keys = |publishable: &'static str, secret: &'static str, webhook: &'static str| {
        [
            "--clerk-publishable-key",
            publishable,
            "--clerk-secret-key",
            secret,
            "--clerk-webhook-secret",
            webhook,
        ]
    };
    let mut with_key = keys(TEST, "sk_test_abc", "whsec_YWJj").to_vec();
    with_key.extend(["--clerk-jwt-key", "abc"]);
    let rows: [(&[&str], &str); 6] = [
        (
            &["--clerk-publishable-key", TEST],
            "ALLCLEAR_CLERK_SECRET_KEY",
        ),
        (
            &["--clerk-secret-key", "sk_test_abc"],
            "ALLCLEAR_CLERK_PUBLISHABLE_KEY",
        ),
        (
            &keys("pk_test_nonsense", "sk_test_abc", "whsec_YWJj"),
            "ALLCLEAR_CLERK_PUBLISHABLE_KEY",
        ),
        (
            &keys(TEST, "sk_live_abc", "whsec_YWJj"),
            "ALLCLEAR_CLERK_SECRET_KEY",
        ),
        (
            &keys(TEST, "sk_test_abc", "abc"),
            "ALLCLEAR_CLERK_WEBHOOK_SECRET",
        ),
        (&with_key, "ALLCLEAR_CLERK_JWT_KEY"),
    ];
    for (flags, name) in rows {
        let (ended, _, stderr) = run(command(&data, flags)).await;
        let lines: Vec<_> = stderr
            .lines()
            .filter(|line| line.starts_with("allclear: "))
            .collect();
        assert_eq!((ended, lines.len()), (Some(2), 1), "{flags:?}: {stderr}");
        assert!(
            lines[0].contains(name) && !lines[0].contains("_abc"),
            "{flags:?}: {}",
            lines[0]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_are_invited_in_clerks_dashboard() {
    let folder = tempfile::tempdir().unwrap();
    let mut invite = command(&folder.path().join("data"), &["invite", "bob@example.com"]);
    invite.args([
        "--clerk-publishable-key",
        TEST,
        "--clerk-secret-key",
        "sk_test_abc",
    ]);
    invite.args(["--clerk-webhook-secret", "whsec_YWJj"]);
    let (code, _, stderr) = run(invite).await;
    assert_eq!(code, Some(1));
    assert!(stderr.contains("Clerk's dashboard"), "{stderr}");
}
