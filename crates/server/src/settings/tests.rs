use std::collections::HashMap;

use super::*;

fn parse(flags: &[&str], file: &str) -> Result<Settings, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    std::fs::write(&path, file).unwrap();
    let command = with_file(Settings::augment_args(Command::new("allclear")), &path)?;
    let matches = command
        .try_get_matches_from([&["allclear"], flags].concat())
        .map_err(|error| error.to_string())?;
    Settings::from_arg_matches(&matches).map_err(|error| error.to_string())
}

#[test]
fn without_configuration_the_defaults_stand() {
    let settings = parse(&[], "").unwrap();
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.public_url(8080), "http://localhost:8080");
    assert_eq!(settings.database(), "sqlite:./data/allclear.db");
    assert_eq!(settings.sign_up, SignUpMode::Open);
}

#[test]
fn the_file_gives_defaults_in_either_spelling_and_flags_win() {
    let file =
        "ALLCLEAR_SIGN_UP = 'closed'\nallowed_origins = ['https://a.example', 'https://b.example']";
    let settings = parse(&[], file).unwrap();
    assert_eq!(settings.sign_up, SignUpMode::Closed);
    assert_eq!(
        settings.allowed_origins,
        ["https://a.example", "https://b.example"]
    );
    assert_eq!(
        parse(&["--sign-up", "waitlist"], file).unwrap().sign_up,
        SignUpMode::Waitlist
    );
}

#[test]
fn listed_targets_are_open_to_those_that_may_sign_up() {
    let open = ["--webhook-allow", "10.0.0.0/8"];
    let closed = ["--webhook-allow", "10.0.0.0/8", "--sign-up", "closed"];
    let cases: [(&[&str], bool); 3] = [(&open, true), (&closed, false), (&[], false)];
    for (flags, expected) in cases {
        let settings = parse(flags, "").unwrap();
        assert_eq!(settings.opens_listed_targets(), expected, "{flags:?}");
    }
}

#[test]
fn an_error_in_the_file_has_its_line_and_no_setting_is_given_twice() {
    let error = parse(&[], "sign_up = 'closed'\n\nlisten = 'nowhere").unwrap_err();
    assert!(error.contains("allclear.toml, line 3: "), "{error}");
    let error = parse(&[], "sign_up = 'closed'\nALLCLEAR_SIGN_UP = 'open'").unwrap_err();
    assert!(error.ends_with("are the same setting"), "{error}");
}

#[test]
fn a_bad_value_is_named() {
    for (flag, bad) in [
        ("--listen", "nowhere"),
        ("--public-url", "ftp://x"),
        ("--trusted-proxies", "10.0.0.0/99"),
        ("--audit-days", "0"),
        ("--audit-days", "3651"),
        ("--audit-days", "a year"),
        ("--allowed-origins", "https://a.example/path"),
        ("--allowed-origins", "https://*.a.example"),
        ("--limit-sign-in", "0/5"),
        ("--ping-interval", "0"),
        ("--mail-concurrency", "0"),
        ("--ping-timeout", "20s"),
        ("--public-url", "https://a.example/path"),
        ("--metrics-networks", "10.0.0.0/99"),
        ("--shutdown-delay", "5s"),
        ("--shutdown-delay", "3600001"),
        ("--hsts", "preload"),
        ("--log", "verbose"),
        ("--log", "info,sqlx=loud"),
        ("--limit-writes", "0/5"),
        ("--limit-text", "4294967296"),
        ("--limit-components", "many"),
        ("--sign-up", "maybe"),
    ] {
        let refused = parse(&[flag, bad], "").unwrap_err();
        assert!(refused.contains(flag) && refused.contains(bad), "{refused}");
    }
    assert!(
        parse(&[], "colour = 'red'")
            .unwrap_err()
            .ends_with("there is no setting colour")
    );
    assert!(parse(&[], "sign_up = ").is_err());
}

#[test]
fn reason_of_a_bad_value_says_what_to_write() {
    for (flag, bad, reason) in [
        ("--public-url", "", "it is empty"),
        (
            "--public-url",
            "status",
            "it must begin with http:// or https://",
        ),
        (
            "--redis-url",
            "redis://cache/abc",
            "the number of a database",
        ),
        ("--ping-timeout", "0", "1 or more"),
        ("--limit-sign-in", "0/5", "both at least 1"),
        ("--limit-writes", "0/5", "or 0 for no limit"),
    ] {
        let refused = parse(&[flag, bad], "").unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
    let refused = parse(&[], "trusted_proxies = [3]").unwrap_err();
    assert!(refused.contains("'3'"), "{refused}");
    let smtp = parse(&["--smtp-url", "smtp://ann:hunter2/@mail.example.com"], "");
    let refused = smtp.unwrap().check().unwrap_err();
    assert!(
        refused.contains("must be percent-encoded") && !refused.contains("hunter2"),
        "{refused}"
    );
}

#[test]
fn help_has_the_defaults_of_rate_limits_that_the_guide_has() {
    let guide = include_str!("../../../../docs/configuration.md");
    let mut command = with_value_names(Settings::augment_args(Command::new("allclear")));
    let help = command.render_long_help().to_string();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut count = 0;
    for row in guide.lines().filter_map(|line| line.strip_prefix("| `")) {
        let (name, rest) = row.split_once("` | `").unwrap_or_default();
        let (default, _) = rest.split_once('`').unwrap_or_default();
        if default.contains('/') && name.starts_with("ALLCLEAR_LIMIT_") {
            let (_, text) = help.split_once(&format!("<{name}>")).unwrap();
            let (text, _) = text.split_once("[env:").unwrap();
            let rest = &help[help.find(&format!("<{name}>")).unwrap()..];
            let (_, after) = rest.split_once("[env:").unwrap();
            let (after, _) = after.split_once(" --").unwrap_or((after, ""));
            let shown = format!("[default: {default}]");
            assert!(text.contains(&shown) || after.contains(&shown), "{name}");
            count += 1;
        }
    }
    assert_eq!(count, 12);
}

#[test]
fn shutdown_waits_behind_a_balancer_or_as_long_as_is_set() {
    let delay = |flags: &[&str]| parse(flags, "").unwrap().shutdown_delay().as_millis();
    assert_eq!(delay(&[]), 0);
    assert_eq!(delay(&["--trusted-proxies", "10.0.0.1"]), 5000);
    assert_eq!(delay(&["--shutdown-delay", "700"]), 700);
    assert_eq!(
        delay(&["--trusted-proxies", "10.0.0.1", "--shutdown-delay", "0"]),
        0
    );
}

#[test]
fn short_metrics_token_is_refused_and_not_printed() {
    let settings = parse(&["--metrics-token", "hunter2"], "").unwrap();
    let refused = settings.metrics.access().unwrap_err();
    assert!(
        refused.starts_with("ALLCLEAR_METRICS_TOKEN") && !refused.contains("hunter2"),
        "{refused}"
    );
    assert!(!format!("{settings:?}").contains("hunter2"));
}

#[test]
fn a_password_is_never_printed() {
    for (flag, bad, reason) in [
        (
            "--database-url",
            "mysql://ann:hunter2@x",
            "it must begin with",
        ),
        ("--redis-url", "http://:hunter2@x", "it must begin with"),
        (
            "--database-url",
            "postgres://ann:hunter2/@x",
            "must be percent-encoded",
        ),
        (
            "--redis-url",
            "redis://ann:hunter2@[",
            "must be percent-encoded",
        ),
    ] {
        let refused = parse(&[flag, bad], "").unwrap_err();
        assert!(
            refused.contains(flag) && refused.contains(reason),
            "{refused}"
        );
        assert!(!refused.contains("hunter2"), "{refused}");
        let key = flag.trim_start_matches('-').replace('-', "_");
        let refused = parse(&[], &format!("{key} = '{bad}'")).unwrap_err();
        assert!(!refused.contains("hunter2"), "{refused}");
    }
    let file = "database_url = 'postgres://ann:hunter2@x'\nredis_url = 'redis://:hunter2@x'\n\
        smtp_url = 'smtps://ann:hunter2@x'\nclerk_secret_key = 'hunter2'\nclerk_webhook_secret = 'hunter2'";
    let help = parse(&["--help"], file).unwrap_err();
    assert!(
        help.contains("ALLCLEAR_REDIS_URL") && !help.contains("hunter2"),
        "{help}"
    );
    let database = parse(&[], "database_url = 'postgres://ann:hunter2@x'").unwrap();
    assert_eq!(database.database(), "postgres://ann:hunter2@x");
    assert!(!format!("{database:?}").contains("hunter2"));
}

#[test]
fn the_guide_has_every_setting() {
    let guide = include_str!("../../../../docs/configuration.md");
    for setting in Settings::augment_args(Command::new("allclear")).get_arguments() {
        let Some(name) = setting.get_env().and_then(std::ffi::OsStr::to_str) else {
            continue;
        };
        assert!(guide.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn help_has_each_setting_under_the_heading_of_the_guide() {
    let guide = include_str!("../../../../docs/configuration.md");
    let mut heading = "";
    let mut headings = HashMap::new();
    for line in guide.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            heading = title;
        } else if let Some(row) = line.strip_prefix("| `") {
            let (name, _) = row.split_once('`').unwrap();
            headings.insert(name, heading);
        }
    }
    for setting in Settings::augment_args(Command::new("allclear")).get_arguments() {
        if let Some(name) = setting.get_env().and_then(OsStr::to_str) {
            let expected = headings.get(name).copied();
            assert_eq!(setting.get_help_heading(), expected, "{name}");
        }
    }
}

#[test]
fn providers_are_read_from_the_file_and_flags_win() {
    let file = "oidc_providers = ['okta']\nALLCLEAR_OIDC_OKTA_ISSUER = 'https://a.example'\noidc_okta_client_id = 'abc'\n\
        oidc_okta_client_secret = 'hunter2'\noidc_okta_domains = ['a.example', 'b.example']";
    let settings = parse(&[], file).unwrap();
    let providers = settings.openid.providers(false).unwrap();
    assert_eq!(providers[0].issuer.as_str(), "https://a.example");
    assert!(providers[0].domains.contains("ann@b.example"));
    assert!(!format!("{settings:?}").contains("hunter2"));
    let help = parse(&["--help"], file).unwrap_err();
    assert!(help.contains("ALLCLEAR_OIDC_PROVIDERS") && !help.contains("hunter2"));
    assert!(parse(&["--passwords", "maybe"], "").is_err());
    assert!(parse(&["--limit-oidc", "0/5"], "").is_err());
}

#[test]
fn variables_that_are_no_settings_are_found() {
    let command = Settings::augment_args(Command::new("allclear"));
    let names = [
        "ALLCLEAR_SING_UP",
        "ALLCLEAR_SIGN_UP",
        "ALLCLEAR_SMTP_URL",
        "ALLCLEAR_LOG_LEVEL",
        "ALLCLEAR_OIDC_PROVIDERS",
        "ALLCLEAR_OIDC_OKTA_ISSUER",
        "ALLCLEAR_TEST_POSTGRES_URL",
        "ALLCLEAR_PORT_8080_TCP_ADDR",
        "ALLCLEAR_SERVICE_HOST",
        "PATH",
    ];
    assert_eq!(
        unknown_variables(&command, names.iter().map(ToString::to_string)),
        ["ALLCLEAR_LOG_LEVEL", "ALLCLEAR_SING_UP"]
    );
}
