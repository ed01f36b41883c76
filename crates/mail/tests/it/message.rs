//! What arrives: the headers, and the text as it was written.

use std::sync::Arc;

use allclear_application::mail::{Mail, MailContent, MailHeaders, MailList};
use allclear_application::notice::Notice;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{
    ComponentImpact, IncidentChange, MaintenanceChange, NoticeChange, NoticeContent,
};
use allclear_domain::time_zone::TimeZone;
use allclear_mail::smtp::{Server, SmtpLimits, SmtpMailer};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::mail_server::{MailServer, header, send, sender};

const UNSUBSCRIBE: &str =
    "https://status.example.com/unsubscribe?email=ann%40example.com&orgId=org_1&unsubscribeCode=x";
const MANAGE: &str =
    "https://status.example.com/subscription?subscriberId=1&orgId=org_1&manageCode=x";
const ONE_CLICK: &str = "https://status.example.com/api/v1/subscriber/unsubscribe/one-click?email=ann%40example.com&orgId=org_1&unsubscribeCode=x";

fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

fn incident() -> NoticeContent {
    NoticeContent {
        title: "Database down".into(),
        description: "Writes fail.\nReads are slow.".into(),
        message: Some("A disk is full.\n\nWe are adding one.".into()),
        unnamed_components: 0,
        change: on_components(vec![
            ComponentImpact {
                name: "API".into(),
                status: ComponentStatus::MajorOutage,
            },
            ComponentImpact {
                name: "Website".into(),
                status: ComponentStatus::Degraded,
            },
        ]),
    }
}

fn on_components(components: Vec<ComponentImpact>) -> NoticeChange {
    NoticeChange::Incident {
        change: IncidentChange::Updated,
        status: IncidentStatus::Identified,
        update_status: None,
        shown_at: None,
        occurred_at: at(1_700_000_000),
        resolved_at: None,
        components,
    }
}

fn maintenance() -> NoticeContent {
    NoticeContent {
        title: "New disks".into(),
        description: "The API restarts.".into(),
        message: None,
        unnamed_components: 0,
        change: NoticeChange::Maintenance {
            components: Vec::new(),
            change: MaintenanceChange::Scheduled,
            status: MaintenanceStatus::Scheduled,
            start_at: at(1_700_086_400),
            end_at: None,
        },
    }
}

fn mail(content: NoticeContent, organisation: &str, id: &str, thread: &str) -> Mail {
    let list = MailList {
        id: OrganisationId::parse("org_1").unwrap(),
        name: organisation.to_owned(),
        unsubscribe: ONE_CLICK.to_owned(),
    };
    let notice = Notice {
        id: Uuid::nil(),
        subject: Uuid::nil(),
        at: at(1_700_003_600),
        content,
    };
    Mail {
        to: "ann@example.com".into(),
        content: MailContent::Notice {
            organisation: organisation.to_owned(),
            notice: Arc::new(notice),
            time_zone: TimeZone::default(),
            page: "https://status.example.com/status/org_1".into(),
            manage: MANAGE.into(),
            unsubscribe: UNSUBSCRIBE.into(),
        },
        headers: MailHeaders {
            message_id: Some(id.to_owned()),
            thread: Some(thread.to_owned()),
            list: Some(list),
        },
    }
}

async fn received(mail: Mail) -> Value {
    let mut server = MailServer::start().await;
    send(&server.mailer(), mail).await.unwrap();
    server.mail().await
}

/// Of the message as it was sent: what a program reads before it decodes anything.
fn raw_headers(mail: &Value) -> &str {
    mail["raw"]
        .as_str()
        .unwrap()
        .split_once("\r\n\r\n")
        .unwrap()
        .0
}

#[tokio::test]
async fn a_notice_says_whose_it_is_how_to_leave_and_which_thread_it_is_of() {
    let mail = received(mail(incident(), "Acme", "delivery-2", "delivery-1")).await;
    for (name, value) in [
        ("from", "Acme <mail@example.com>"),
        ("to", "ann@example.com"),
        ("subject", "[Acme] Database down"),
        ("date", "Tue, 14 Nov 2023 22:13:20 +0000"),
        ("message-id", "<delivery-2@status.example.com>"),
        ("in-reply-to", "<delivery-1@status.example.com>"),
        ("references", "<delivery-1@status.example.com>"),
        ("list-id", "\"Acme\" <org_1.status.example.com>"),
        ("list-unsubscribe", &format!("<{ONE_CLICK}>")),
        ("list-unsubscribe-post", "List-Unsubscribe=One-Click"),
        ("auto-submitted", "auto-generated"),
    ] {
        let values: Vec<_> = header(&mail, name)
            .iter()
            .map(|value| value.replace('"', ""))
            .collect();
        assert_eq!(values, [value.replace('"', "")], "{name}");
    }
    assert_eq!(mail["from"], json!("mail@example.com"), "where bounces go");
}

#[tokio::test]
async fn subscribers_read_a_name_with_a_dot() {
    let mail = received(mail(incident(), "Dr.Max Pharmacy", "1", "1")).await;
    assert_eq!(mail["subject"], json!("[Dr.Max Pharmacy] Database down"));
    for (name, value) in [
        ("from", "Dr.Max Pharmacy <mail@example.com>"),
        ("list-id", "Dr.Max Pharmacy <org_1.status.example.com>"),
    ] {
        assert_eq!(header(&mail, name)[0].replace('"', ""), value);
    }
    for part in ["text", "html"] {
        let part = mail[part].as_str().unwrap();
        assert!(
            part.contains("Dr.Max Pharmacy has an update on an incident"),
            "{part}"
        );
    }
}

#[tokio::test]
async fn notice_names_the_time_zone_besides_its_ambiguous_abbreviation() {
    let mut mail = mail(incident(), "Acme", "1", "1");
    if let MailContent::Notice { time_zone, .. } = &mut mail.content {
        *time_zone = "Asia/Shanghai".parse().unwrap();
    }
    let mail = received(mail).await;
    for part in ["text", "html"] {
        let part = mail[part].as_str().unwrap();
        assert!(
            part.contains("Nov 15, 2023 06:13:20 AM CST")
                && part.contains("All times are in Asia/Shanghai."),
            "{part}"
        );
    }
}

#[tokio::test]
async fn preview_of_a_notice_is_its_beginning() {
    let content = NoticeContent {
        message: Some("é".repeat(9_000)),
        ..incident()
    };
    let mail = received(mail(content, "Acme", "1", "1")).await;
    let html = mail["html"].as_str().unwrap();
    let (_, hidden) = html.split_once("overflow:hidden\">").unwrap();
    let preview = hidden.split_once("</div>").unwrap().0;
    let beginning = "Identified: ";
    let rest = 150 - beginning.len() - 1;
    assert_eq!(preview, format!("{beginning}{}…", "é".repeat(rest)));
}

#[tokio::test]
async fn addresses_in_texts_are_links() {
    let content = NoticeContent {
        description: "Since https://a.example/x?y=1&z=2.".into(),
        message: Some("See (https://b.example/<b>)\nand more".into()),
        ..incident()
    };
    let mail = received(mail(content, "Acme", "1", "1")).await;
    let html = mail["html"].as_str().unwrap();
    for part in [
        "<a href=\"https://a.example/x?y=1&amp;z=2\" rel=\"nofollow noopener\">https://a.example/x?y=1&amp;z=2</a>.",
        "href=\"https://b.example/\"",
        "&lt;b&gt;)<br>\nand more",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains("See (https://b.example/<b>)"), "{text}");
}

#[tokio::test]
async fn review_is_rendered_in_html_and_stays_markdown_in_text() {
    let mut content = incident();
    content.message = Some("# Cause\n\nA **bad** deploy.\n\n<script>alert(1)</script>".into());
    if let NoticeChange::Incident { change, .. } = &mut content.change {
        *change = IncidentChange::Reviewed;
    }
    let mail = received(mail(content, "Acme", "1", "1")).await;
    let html = mail["html"].as_str().unwrap();
    for part in [
        "<h3>Cause</h3>",
        "<p>A <strong>bad</strong> deploy.</p>",
        "Identified: Cause\nA bad deploy.</div>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!html.contains("alert(1)"), "{html}");
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains("A **bad** deploy."), "{text}");
}

#[tokio::test]
async fn text_begins_where_its_writing_begins() {
    let mail = received(mail(incident(), "Acme", "1", "1")).await;
    let html = mail["html"].as_str().unwrap();
    assert!(
        html.contains("text-align:start") && !html.contains("text-align:left"),
        "{html}"
    );
}

#[tokio::test]
async fn first_mail_of_a_thread_refers_to_no_other() {
    let mail = received(mail(incident(), "Acme", "delivery-1", "delivery-1")).await;
    assert_eq!(
        header(&mail, "message-id"),
        ["<delivery-1@status.example.com>"]
    );
    assert!(header(&mail, "in-reply-to").is_empty() && header(&mail, "references").is_empty());
}

#[tokio::test]
async fn a_mail_to_one_person_is_no_list_but_automatic() {
    let mail = received(crate::mail_server::mail("bob@example.com")).await;
    assert_eq!(header(&mail, "from"), ["Allclear <mail@example.com>"]);
    assert_eq!(header(&mail, "auto-submitted"), ["auto-generated"]);
    for name in [
        "list-id",
        "list-unsubscribe",
        "list-unsubscribe-post",
        "in-reply-to",
    ] {
        assert!(header(&mail, name).is_empty(), "{name}");
    }
}

#[tokio::test]
async fn incident_mail_has_text_and_html() {
    let mail = received(mail(incident(), "Acme", "1", "1")).await;
    let text = mail["text"].as_str().unwrap().replace("\r\n", "\n");
    let expected = format!(
        "Acme has an update on an incident.

Database down
Status: Identified

A disk is full.

We are adding one.

Affected components:
- API: Major Outage
- Website: Degraded Performance

About this incident:
Writes fail.
Reads are slow.

Began: Nov 14, 2023 10:13:20 PM UTC
Updated: Nov 14, 2023 11:13:20 PM UTC
All times are in UTC.

View incident:
https://status.example.com/status/org_1/incidents/3zld6hogdjl7

Status page:
https://status.example.com/status/org_1

You get this mail because this address is subscribed to the status
updates of Acme. Manage subscription:
{MANAGE}

Unsubscribe:
{UNSUBSCRIBE}
"
    );
    assert_eq!(text.trim_end(), expected.trim_end());
    let html = mail["html"].as_str().unwrap();
    for part in [
        "A disk is full.<br>",
        "We are adding one.",
        "Reads are slow.",
        "API",
        "Major Outage",
        "Nov 14, 2023 11:13:20 PM UTC",
        "href=\"https://status.example.com/status/org_1/incidents/3zld6hogdjl7\"",
        "href=\"https://status.example.com/status/org_1\"",
        &format!("href=\"{}\"", MANAGE.replace('&', "&#38;")),
        &format!("href=\"{}\"", UNSUBSCRIBE.replace('&', "&#38;")),
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
}

#[tokio::test]
async fn mail_about_a_backdated_update_shows_its_status_and_time() {
    let NoticeChange::Incident { components, .. } = incident().change else {
        unreachable!("it is an incident");
    };
    let late = NoticeContent {
        change: NoticeChange::Incident {
            change: IncidentChange::Updated,
            status: IncidentStatus::Resolved,
            update_status: Some(IncidentStatus::Monitoring),
            shown_at: Some(at(1_700_001_800)),
            occurred_at: at(1_700_000_000),
            resolved_at: None,
            components,
        },
        ..incident()
    };
    let mail = received(mail(late, "Acme", "1", "1")).await;
    let text = mail["text"].as_str().unwrap().replace("\r\n", "\n");
    for part in [
        "\nStatus: Monitoring\n",
        "\nUpdated: Nov 14, 2023 10:43:20 PM UTC\n",
        "\nAffected components:\n- API\n- Website\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[tokio::test]
async fn mail_counts_the_components_that_it_does_not_name() {
    let content = NoticeContent {
        unnamed_components: 900,
        ..incident()
    };
    let mail = received(mail(content, "Acme", "1", "1")).await;
    let text = mail["text"].as_str().unwrap().replace("\r\n", "\n");
    assert!(
        text.contains("\nAnd 900 more.\n\nAbout this incident:\n"),
        "{text}"
    );
    let html = mail["html"].as_str().unwrap();
    assert!(html.contains(">And 900 more.</td>"), "{html}");
}

#[tokio::test]
async fn maintenance_mail_has_text_and_html() {
    let mail = received(mail(maintenance(), "Acme", "1", "1")).await;
    let text = mail["text"].as_str().unwrap().replace("\r\n", "\n");
    assert!(
        text.starts_with(
            "Acme has scheduled a maintenance.

New disks
Status: Scheduled

The API restarts.

Starts: Nov 15, 2023 10:13:20 PM UTC
Ends: ---
"
        ),
        "{text}"
    );
    assert!(
        !text.contains("About this maintenance") && !text.contains("\n\n\n"),
        "{text}"
    );
    let html = mail["html"].as_str().unwrap();
    assert!(
        html.contains("Scheduled") && html.contains("Nov 15, 2023 10:13:20 PM UTC"),
        "{html}"
    );
}

#[tokio::test]
async fn notice_says_that_an_incident_is_open_again_or_that_times_changed() {
    let mut reopened = incident();
    if let NoticeChange::Incident { change, .. } = &mut reopened.change {
        *change = IncidentChange::Reopened;
    }
    let mut moved = maintenance();
    if let NoticeChange::Maintenance { change, .. } = &mut moved.change {
        *change = MaintenanceChange::Rescheduled;
    }
    for (content, lead) in [
        (reopened, "Acme has reopened an incident"),
        (moved, "Acme has changed the times of a maintenance"),
    ] {
        let mail = received(mail(content, "Acme", "1", "1")).await;
        for part in ["text", "html"] {
            let part = mail[part].as_str().unwrap();
            assert!(part.contains(lead), "{part}");
        }
    }
}

#[tokio::test]
async fn text_from_people_adds_no_header_and_no_markup() {
    let evil = "Acme\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u{202e}\u{2028}=?utf-8?q?hidden?=";
    let content = NoticeContent {
        title: evil.into(),
        description: evil.into(),
        message: Some(evil.into()),
        unnamed_components: 0,
        change: on_components(vec![ComponentImpact {
            name: evil.into(),
            status: ComponentStatus::Operational,
        }]),
    };
    let mail = received(mail(content, evil, "1", "1")).await;
    assert!(header(&mail, "bcc").is_empty());
    let headers = raw_headers(&mail);
    assert!(
        headers.is_ascii() && !headers.to_lowercase().contains("\r\nbcc"),
        "{headers}"
    );
    let line = "Acme Bcc: eve@example.com <script>alert(1)</script> = ?utf-8?q?hidden?=";
    assert_eq!(mail["subject"], json!(format!("[{line}] {line}")));
    let html = mail["html"].as_str().unwrap();
    assert!(
        !html.contains("<script>") && html.contains("&#60;script&#62;"),
        "{html}"
    );
    assert!(
        mail["text"]
            .as_str()
            .unwrap()
            .contains("<script>alert(1)</script>")
    );
}

#[tokio::test]
async fn any_writing_arrives_as_it_was_written() {
    let title = format!(
        "{} 🔥 база данных مشكلة 障害",
        "sehr großer Ausfall ".repeat(8).trim()
    );
    let organisation = "Überwachung \"Süd\" 🚨, Büro";
    let message = "Wir prüfen 🔎\nنحن نتحقق\n.\n. Punkt am Anfang";
    let content = NoticeContent {
        title: title.clone(),
        message: Some(message.into()),
        ..incident()
    };
    let mail = received(mail(content, organisation, "1", "1")).await;
    assert_eq!(mail["subject"], json!(format!("[{organisation}] {title}")));
    assert!(header(&mail, "from")[0].contains("mail@example.com"));
    assert!(header(&mail, "list-id")[0].contains("<org_1.status.example.com>"));
    assert!(
        mail["text"]
            .as_str()
            .unwrap()
            .replace("\r\n", "\n")
            .contains(message)
    );
    assert!(mail["html"].as_str().unwrap().contains("نحن نتحقق<br>"));
    let raw = mail["raw"].as_str().unwrap();
    assert!(raw.is_ascii(), "every server takes it");
    assert!(
        raw.split("\r\n")
            .all(|line| line.len() <= 998 && !line.contains('\n')),
        "RFC 5322, section 2.1.1"
    );
}

#[tokio::test]
async fn addresses_are_written_in_ascii_and_the_local_part_as_typed() {
    let mut server = MailServer::start().await;
    let from = sender("Störung <Status@Beispiel-Ü.example>");
    let mailer = SmtpMailer::new(
        Server::parse(&server.url(), None).unwrap(),
        SmtpLimits::default(),
        from,
    );
    send(&mailer, crate::mail_server::mail("O'Neil+Acme@exämple.com"))
        .await
        .unwrap();
    let mail = server.mail().await;
    let raw = raw_headers(&mail);
    assert!(
        raw.contains("\r\nTo: O'Neil+Acme@xn--exmple-cua.com\r\n"),
        "{raw}"
    );
    assert!(raw.contains("<Status@xn--beispiel--y9a.example>"), "{raw}");
}
