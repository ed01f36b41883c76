//! What chats show.

use std::sync::Arc;

use allclear_application::message::MessageKind;
use allclear_domain::channel::Channel;
use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{ComponentImpact, IncidentChange, MaintenanceChange, NoticeChange};
use serde_json::{Value, json};

use crate::content::{MANAGE, about, at, content, notice, state};
use crate::schema::checked;

const LINK: &str = "https://status.acme.example/verify?subscriberId=1&verificationCode=y";

fn incident_url() -> String {
    let code = allclear_domain::id::IncidentId(notice().subject).code();
    format!("https://status.acme.example/incidents/{code}")
}

#[test]
fn slack_shows_an_incident() {
    let (url, manage) = (incident_url(), MANAGE.replace('&', "&amp;"));
    let mrkdwn = |text: &str| json!({"type": "mrkdwn", "text": text, "verbatim": true});
    let section = |text: &str| json!({"type": "section", "text": mrkdwn(text)});
    let expected = json!({
        "text": "[Identified] Elevated API errors",
        "blocks": [
            {"type": "header", "text":
                {"type": "plain_text", "text": "Elevated API errors", "emoji": false}},
            section("🟠 *Identified* · Acme"),
            section("A bad deploy was found."),
            section("*Affected*\n• Edge API: Partial Outage"),
            {"type": "context", "elements": [
                mrkdwn("Began: Mar 5, 2026, 09:00 MST (America/Denver)"),
                mrkdwn("Updated: Mar 5, 2026, 09:22 MST (America/Denver)"),
            ]},
            {"type": "context", "elements": [
                mrkdwn(&format!("<{url}|View incident>")),
                mrkdwn(&format!("<{manage}|Manage subscription>")),
            ]},
        ],
    });
    assert_eq!(checked(Channel::Slack, &about(notice())), expected);
}

#[test]
fn discord_shows_an_incident() {
    let url = incident_url();
    let expected = json!({
        "allowed_mentions": {"parse": []},
        "embeds": [{
            "title": "Elevated API errors",
            "url": url,
            "description": "A bad deploy was found.",
            "color": 15_105_570,
            "timestamp": "2026-03-05T16:22:41.500Z",
            "fields": [
                {"name": "Status", "value": "Identified", "inline": true},
                {"name": "Began", "value": "Mar 5, 2026, 09:00 MST (America/Denver)", "inline": true},
                {"name": "Updated", "value": "Mar 5, 2026, 09:22 MST (America/Denver)", "inline": true},
                {"name": "Affected", "value": "Edge API: Partial Outage", "inline": false},
                {"name": "Links", "inline": false, "value":
                    format!("[View incident]({url}) · [Manage subscription]({MANAGE})")},
            ],
            "footer": {"text": "Acme"},
        }],
    });
    assert_eq!(checked(Channel::Discord, &about(notice())), expected);
}

#[test]
fn teams_shows_an_incident() {
    let body = checked(Channel::Teams, &about(notice()));
    let card = &body["attachments"][0]["content"];
    assert_eq!(card["body"][0]["style"], "warning");
    assert_eq!(
        lines(card),
        [
            "Elevated API errors",
            "Identified · Acme",
            "A bad deploy was found.",
            "Affected",
            "Edge API: Partial Outage",
            "Began: Mar 5, 2026, 09:00 MST (America/Denver)",
            "Updated: Mar 5, 2026, 09:22 MST (America/Denver)",
        ]
    );
    let actions = json!([
        {"type": "Action.OpenUrl", "title": "View incident", "url": incident_url()},
        {"type": "Action.OpenUrl", "title": "Manage subscription", "url": MANAGE},
    ]);
    assert_eq!(card["actions"], actions);
}

#[test]
fn incident_has_the_colour_of_its_worst_impact_or_else_of_its_status() {
    use ComponentStatus::{Degraded, MajorOutage, Operational};
    use IncidentStatus::{Investigating, Monitoring, Resolved};
    let shown = |status, impacts: &[ComponentStatus]| {
        let mut notice = notice();
        if let NoticeChange::Incident {
            status: of_incident,
            components,
            ..
        } = &mut notice.content.change
        {
            *of_incident = status;
            *components = impacts
                .iter()
                .map(|&status| ComponentImpact {
                    name: "Edge API".into(),
                    status,
                })
                .collect();
        }
        let slack = checked(Channel::Slack, &about(notice));
        let line = slack["blocks"][1]["text"]["text"].as_str().unwrap();
        line.chars().next().unwrap()
    };
    assert_eq!(shown(Investigating, &[Degraded]), '🟡');
    assert_eq!(shown(Monitoring, &[Degraded, MajorOutage]), '🔴');
    assert_eq!(shown(Investigating, &[]), '🔴');
    assert_eq!(shown(Monitoring, &[Operational]), '🟡');
    assert_eq!(shown(Resolved, &[MajorOutage]), '🟢');
}

#[test]
fn a_status_set_without_an_update_has_a_text_of_its_own() {
    let mut notice = notice();
    notice.content.message = None;
    if let NoticeChange::Incident { change, status, .. } = &mut notice.content.change {
        *change = IncidentChange::Resolved;
        *status = IncidentStatus::Resolved;
    }
    for channel in [Channel::Slack, Channel::Teams, Channel::Discord] {
        let body = checked(channel, &about(notice.clone())).to_string();
        assert!(body.contains("This incident has been resolved."), "{body}");
        assert!(!body.contains("Requests fail."), "{body}");
    }
}

#[test]
fn a_maintenance_shows_its_times_and_components() {
    let mut notice = notice();
    notice.content.message = None;
    notice.content.change = NoticeChange::Maintenance {
        change: MaintenanceChange::Scheduled,
        status: MaintenanceStatus::Scheduled,
        start_at: at("2026-03-08T08:00:00Z"),
        end_at: Some(at("2026-03-08T11:00:00Z")),
        components: vec!["Edge API".into()],
    };
    let body = checked(Channel::Teams, &about(notice));
    let card = &body["attachments"][0]["content"];
    assert_eq!(
        lines(card),
        [
            "Elevated API errors",
            "Scheduled · Acme",
            "Requests fail.",
            "Affected",
            "Edge API",
            // Clocks in Denver are set forward between the two.
            "Starts: Mar 8, 2026, 01:00 MST (America/Denver)",
            "Ends: Mar 8, 2026, 05:00 MDT (America/Denver)",
            "Posted: Mar 5, 2026, 09:22 MST (America/Denver)",
        ]
    );
    assert_eq!(card["actions"][0]["title"], "View maintenance");
}

#[test]
fn maintenance_without_an_end_says_so() {
    let mut notice = notice();
    notice.content.change = NoticeChange::Maintenance {
        change: MaintenanceChange::Began,
        status: MaintenanceStatus::InProgress,
        start_at: at("2026-03-08T08:00:00Z"),
        end_at: None,
        components: vec!["Edge API".into()],
    };
    let body = checked(Channel::Teams, &about(notice));
    let lines = lines(&body["attachments"][0]["content"]);
    assert!(lines.contains(&"Ends: ---".to_owned()), "{lines:?}");
    assert!(
        lines.contains(&"Edge API: Under Maintenance".to_owned()),
        "{lines:?}"
    );
}

#[test]
fn a_confirmation_leads_to_its_link_and_to_the_end() {
    let link = LINK.to_owned();
    let content = content(state(), MessageKind::Confirmation { link });
    let body = checked(Channel::Teams, &content);
    let card = &body["attachments"][0]["content"];
    let text = lines(card).join("\n");
    assert!(
        text.contains("This channel was subscribed to status updates of Acme."),
        "{text}"
    );
    let actions = json!([
        {"type": "Action.OpenUrl", "title": "Confirm subscription", "url": LINK},
        {"type": "Action.OpenUrl", "title": "End subscription", "url": MANAGE},
    ]);
    assert_eq!(card["actions"], actions);
    for channel in [Channel::Slack, Channel::Discord] {
        let body = checked(channel, &content).to_string();
        let link = LINK.replace(
            '&',
            if channel == Channel::Slack {
                "&amp;"
            } else {
                "&"
            },
        );
        assert!(body.contains(&link), "{body}");
    }
}

#[test]
fn a_test_message_says_so() {
    for channel in [Channel::Slack, Channel::Teams, Channel::Discord] {
        let body = checked(channel, &content(state(), MessageKind::Test)).to_string();
        assert!(body.contains("This is a test message from Acme"), "{body}");
    }
}

#[test]
fn texts_of_people_make_no_mentions_or_markup_and_their_links_show_the_address() {
    let wrong = "<!channel> <@U1> <https://evil.example|Log in> & @everyone [a](https://b.example) **c** :d:";
    let mut notice = notice();
    notice.content.title = wrong.into();
    notice.content.message = Some(wrong.into());
    let content = about(notice);
    let slack = checked(Channel::Slack, &content);
    assert_eq!(
        slack["blocks"][2]["text"]["text"],
        "&lt;!channel&gt; &lt;@U1&gt; &lt;<https://evil.example%7CLog> in&gt; &amp; @everyone [a](<https://b.example>) **c** :d:"
    );
    assert!(slack["text"].as_str().unwrap().contains("&lt;!channel&gt;"));
    let discord = checked(Channel::Discord, &content);
    let escaped = r"\<!channel\> \<\@U1\> \<https\://evil.example\|Log in\> & \@everyone \[a\]\(https\://b.example\) \*\*c\*\* \:d\:";
    assert_eq!(discord["embeds"][0]["title"], escaped);
    let linked = r"\<!channel\> \<\@U1\> \<<https://evil.example|Log> in\> & \@everyone \[a\]\(<https://b.example>\) \*\*c\*\* \:d\:";
    assert_eq!(discord["embeds"][0]["description"], linked);
    // A run of text has no markup.
    let teams = checked(Channel::Teams, &content);
    let card = &teams["attachments"][0]["content"];
    assert_eq!(lines(card)[2], wrong);
}

#[test]
fn address_in_a_text_is_a_link_with_its_own_characters() {
    let mut notice = notice();
    notice.content.message = Some("Logs: https://acme.example/a_b?c=1&d=*2*.".into());
    let content = about(notice);
    let slack = checked(Channel::Slack, &content);
    assert_eq!(
        slack["blocks"][2]["text"]["text"],
        "Logs: <https://acme.example/a_b?c=1&amp;d=*2*>."
    );
    let discord = checked(Channel::Discord, &content);
    assert_eq!(
        discord["embeds"][0]["description"],
        r"Logs\: <https://acme.example/a_b?c=1&d=*2*>."
    );
}

#[test]
fn chats_show_a_review_without_its_markup() {
    let mut notice = notice();
    notice.content.message = Some("# Cause\n\nA **bad** deploy".into());
    if let NoticeChange::Incident { change, .. } = &mut notice.content.change {
        *change = IncidentChange::Reviewed;
    }
    let discord = checked(Channel::Discord, &about(notice));
    assert_eq!(discord["embeds"][0]["description"], "Cause\nA bad deploy");
}

#[test]
fn chats_say_that_an_incident_is_open_again_and_that_times_changed() {
    let mut reopened = notice();
    if let NoticeChange::Incident { change, .. } = &mut reopened.content.change {
        *change = IncidentChange::Reopened;
    }
    let mut moved = notice();
    moved.content.change = NoticeChange::Maintenance {
        change: MaintenanceChange::Rescheduled,
        status: MaintenanceStatus::Scheduled,
        start_at: at("2026-03-08T08:00:00Z"),
        end_at: None,
        components: Vec::new(),
    };
    for (notice, status) in [(reopened, "Reopened"), (moved, "Times changed")] {
        let discord = checked(Channel::Discord, &about(notice));
        assert_eq!(discord["embeds"][0]["fields"][0]["value"], status);
    }
}

#[test]
fn lines_of_a_text_stay_lines() {
    let mut notice = notice();
    notice.content.message = Some("one\n\ntwo\r\nthree".into());
    let content = content(state(), MessageKind::Notice(Arc::new(notice)));
    let teams = checked(Channel::Teams, &content);
    let card = &teams["attachments"][0]["content"];
    assert_eq!(lines(card)[2..5], ["one", "two", "three"]);
    let slack = checked(Channel::Slack, &content);
    assert_eq!(slack["blocks"][2]["text"]["text"], "one\n\ntwo\r\nthree");
}

/// The lines of an Adaptive Card.
pub(crate) fn lines(card: &Value) -> Vec<String> {
    let elements = card["body"].as_array().unwrap().iter();
    let blocks = elements.flat_map(|element| match element["items"].as_array() {
        Some(items) => items.iter().collect(),
        None => vec![element],
    });
    let line = |block: &Value| {
        let runs = block["inlines"].as_array().unwrap().iter();
        runs.map(|run| run["text"].as_str().unwrap()).collect()
    };
    blocks.map(line).collect()
}
