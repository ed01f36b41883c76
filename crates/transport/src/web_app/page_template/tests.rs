use super::*;

use allclear_application::status_page::incident::PublicIncident;
use allclear_application::status_page::{PublicComponent, PublicOrganisation};
use allclear_domain::component::ComponentStatus;
use allclear_domain::headline::Banner;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::{Organisation, Revision};
use chrono::DateTime;

const HTML: &str = "<head><!--allclear:head--><link rel=\"icon\" href=\"/favicon.svg\"></head>\
    <body><div id=\"root\"><!--allclear:page--></div><!--allclear:drawn--></body>";

fn template() -> PageTemplate {
    PageTemplate::new(HTML.to_owned(), String::new(), "https://status.example.com")
}

fn snapshot(name: &str) -> Snapshot {
    Snapshot {
        organisation: PublicOrganisation::new(
            Organisation::new(OrganisationId::parse("org").unwrap(), name.into()),
            "https://status.example.com/status/org".into(),
        ),
        groups: Vec::new(),
        banner: None,
        components: Vec::new(),
        incidents: Vec::new(),
        maintenances: Vec::new(),
        past_titles: Vec::new(),
        revision: Revision(1),
        generated_at: DateTime::default(),
    }
}

fn page(snapshot: &Snapshot) -> String {
    template().page(snapshot, "7-a1")
}

#[test]
fn head_and_menu_lead_to_the_feeds() {
    let page = page(&snapshot("A & B"));
    for (kind, file, name) in [
        ("atom", "history.atom", "Atom"),
        ("rss", "history.rss", "RSS"),
    ] {
        let link = format!(
            "<link rel=\"alternate\" type=\"application/{kind}+xml\" \
             href=\"/status/org/{file}\" title=\"A &amp; B Status History - {name} Feed\">"
        );
        assert!(page.contains(&link), "{link}: {page}");
    }
    for file in [
        "history.atom",
        "history.rss",
        "updates.atom",
        "updates.rss",
        "feed.json",
    ] {
        let link = format!("<a href=\"/status/org/{file}\">");
        assert!(page.contains(&link), "{link}: {page}");
    }
}

#[test]
fn page_with_a_domain_has_links_that_work_at_both_addresses() {
    let page = page(&Snapshot {
        organisation: PublicOrganisation::new(
            Organisation::new(OrganisationId::parse("org").unwrap(), "Acme".into()),
            "https://status.acme.example".into(),
        ),
        ..snapshot("Acme")
    });
    for link in [
        "application/atom+xml\" href=\"https://status.acme.example/history.atom\"",
        "<a href=\"https://status.acme.example/feed.json\">",
        "og:image\" content=\"https://status.acme.example/preview-unknown.png\"",
    ] {
        assert!(page.contains(link), "{link}: {page}");
    }
}

fn incident(title: &str, status: IncidentStatus) -> PublicIncident {
    PublicIncident {
        id: "incident".into(),
        code: "0123456789ab".into(),
        title: title.into(),
        description: String::new(),
        description_truncated: false,
        status,
        occured_at: DateTime::default(),
        resolved_at: None,
        created_at: DateTime::default(),
        timeline: Vec::new(),
        timeline_truncated: false,
        components: Vec::new(),
        components_truncated: false,
    }
}

fn with_component(status: ComponentStatus) -> Snapshot {
    let component = PublicComponent {
        id: "component".into(),
        code: "0123456789ab".into(),
        name: "API".into(),
        description: String::new(),
        description_truncated: false,
        status,
        under_maintenance: false,
        group_id: None,
        position: 1,
        start_date: None,
        only_show_when_affected: false,
        uptime: None,
        created_at: DateTime::default(),
    };
    let operational = status == ComponentStatus::Operational;
    let text = if operational {
        "All Systems Operational"
    } else {
        "Some systems are experiencing issues"
    };
    Snapshot {
        banner: Some(Banner { operational, text }),
        components: vec![component],
        ..snapshot("Acme")
    }
}

#[test]
fn text_of_people_is_escaped_in_head_and_data() {
    let hostile = snapshot(
        "</title></script><script>alert(1)</script><!--allclear:drawn-->\"><img src=x>{{7*7}}",
    );
    let page = page(&hostile);
    assert!(
        !page.contains("<script>") && !page.contains("<img"),
        "{page}"
    );
    assert_eq!(page.matches("</script>").count(), 1, "{page}");
    assert_eq!(page.matches("</title>").count(), 1, "{page}");
    let drawn = "<script type=\"application/json\" id=\"drawn\">{\"organisation\":\"org\",\"tag\":\"7-a1\"}</script>";
    assert_eq!(page.matches(drawn).count(), 1, "{page}");
    assert!(page.contains("{{7*7}}"), "{page}");
}

#[test]
fn every_placeholder_is_filled_and_the_title_shows_the_status() {
    let page = page(&with_component(ComponentStatus::MajorOutage));
    assert!(!page.contains("<!--"), "{page}");
    assert!(
        page.contains("<title>Acme: Some systems are experiencing issues</title>"),
        "{page}"
    );
    assert!(page.contains("href=\"/favicon-major.svg\""), "{page}");
    assert!(page.contains("preview-major.png"), "{page}");
}

#[test]
fn preview_names_the_organisation_and_its_incidents() {
    let titles = ["One", "Two \"quoted\"", "Three", "Four"];
    let mut incidents: Vec<_> = titles
        .iter()
        .map(|title| incident(title, IncidentStatus::Identified))
        .collect();
    incidents.push(incident("Over", IncidentStatus::Resolved));
    let page = page(&Snapshot {
        incidents,
        ..with_component(ComponentStatus::Operational)
    });
    for tag in [
        "<meta property=\"og:title\" content=\"Acme\">",
        "<meta property=\"og:url\" content=\"https://status.example.com/status/org\">",
        "<link rel=\"canonical\" href=\"https://status.example.com/status/org\">",
        "<meta property=\"og:image\" content=\"https://status.example.com/preview-operational.png\">",
        "<meta name=\"twitter:card\" content=\"summary_large_image\">",
    ] {
        assert!(page.contains(tag), "{tag}\n{page}");
    }
    let description = "All Systems Operational. One (Identified). Two &quot;quoted&quot; (Identified). \
        Three (Identified). One more incident.";
    for name in ["name=\"description\"", "property=\"og:description\""] {
        assert!(
            page.contains(&format!("<meta {name} content=\"{description}\">")),
            "{page}"
        );
    }
}

#[test]
fn page_without_components_shows_no_status() {
    let page = page(&snapshot("Acme"));
    assert!(
        page.contains("<title>Acme status</title>") && page.contains("href=\"/favicon.svg\""),
        "{page}"
    );
    assert!(page.contains("content=\"The status of Acme.\""), "{page}");
}

#[test]
fn page_for_an_unknown_organisation_explains_and_has_no_data() {
    let page = template().unknown();
    assert!(
        page.contains("<title>Status page not found</title>"),
        "{page}"
    );
    assert!(
        page.contains("There is no status page here") && page.contains("Back to Home"),
        "{page}"
    );
    assert!(
        !page.contains("id=\"drawn\"") && !page.contains("<!--"),
        "{page}"
    );
}
