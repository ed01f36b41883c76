//! The public page's HTML, with the snapshot put in so that a browser paints without a second request.

use std::hash::{DefaultHasher, Hash, Hasher};

use allclear_application::public::Snapshot;

const TITLE: &str = "<!--allclear:title-->";
const SNAPSHOT: &str = "<!--allclear:snapshot-->";

/// The built page and the places to fill.
#[derive(Debug, Clone)]
pub struct PageTemplate {
    html: String,
    fingerprint: String,
}

impl PageTemplate {
    /// Takes the page as the web app's build made it.
    pub fn new(html: String) -> Self {
        let mut hasher = DefaultHasher::new();
        html.hash(&mut hasher);
        let fingerprint = format!("{:x}", hasher.finish());
        Self { html, fingerprint }
    }

    /// Changes when the page's HTML does.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The page of an organisation. `data` is the snapshot as JSON.
    pub fn page(&self, snapshot: &Snapshot, data: &str) -> String {
        let name = text(&snapshot.organisation.name);
        let title = match snapshot.banner {
            Some(banner) => format!("<title>{name}: {}</title>", text(banner.text)),
            None => format!("<title>{name} status</title>"),
        };
        let script = format!("<script type=\"application/json\" id=\"snapshot\">{}</script>", in_script(data));
        self.html.replacen(TITLE, &title, 1).replacen(SNAPSHOT, &script, 1)
    }

    /// The page where there is no such organisation.
    pub fn unknown(&self) -> String {
        self.html.replacen(TITLE, "<title>Status page not found</title>", 1).replacen(SNAPSHOT, "", 1)
    }
}

/// Text as HTML shows it.
fn text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// JSON that cannot end the script element it stands in, nor begin a comment in it.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use allclear_application::public::PublicOrganisation;
    use chrono::DateTime;

    fn snapshot(name: &str) -> Snapshot {
        Snapshot {
            organisation: PublicOrganisation { id: "org".into(), name: name.into() },
            banner: None,
            components: Vec::new(),
            incidents: Vec::new(),
            maintenances: Vec::new(),
            revision: 1,
            generated_at: DateTime::default(),
        }
    }

    #[test]
    fn text_of_people_stays_text() {
        let template = PageTemplate::new(format!("<head>{TITLE}</head><body>{SNAPSHOT}</body>"));
        let hostile = snapshot("</title></script><script>alert(1)</script><!--allclear:snapshot-->");
        let page = template.page(&hostile, &serde_json::to_string(&hostile).unwrap());
        assert!(!page.contains("<script>"), "{page}");
        assert_eq!(page.matches("</script>").count(), 1, "{page}");
        assert_eq!(page.matches("</title>").count(), 1, "{page}");
    }

    #[test]
    fn an_unknown_organisation_gets_a_page_without_data() {
        let template = PageTemplate::new(format!("<head>{TITLE}</head><body>{SNAPSHOT}</body>"));
        assert_eq!(template.unknown(), "<head><title>Status page not found</title></head><body></body>");
    }
}
