//! Contents at and beyond the limits of the products.

use std::sync::Arc;

use allclear_application::message::MessageKind;
use allclear_domain::channel::Channel;
use allclear_domain::component::ComponentStatus;
use allclear_domain::notice::{ComponentImpact, NoticeChange};

use crate::bodies::lines;
use crate::content::{about, content, notice, state};
use crate::schema::checked;

const CHATS: [Channel; 3] = [Channel::Slack, Channel::Teams, Channel::Discord];
const FAMILY: &str = "👨‍👩‍👧‍👦";

fn with_components(count: usize) -> allclear_application::notice::Notice {
    let mut notice = notice();
    if let NoticeChange::Incident { components, .. } = &mut notice.content.change {
        *components = (0..count)
            .map(|number| ComponentImpact {
                name: format!("Component number {number}"),
                status: ComponentStatus::MajorOutage,
            })
            .collect();
    }
    notice
}

#[test]
fn a_thousand_components_are_counted() {
    for channel in CHATS {
        let body = checked(channel, &about(with_components(1000))).to_string();
        assert!(body.contains("Component number 0: Major Outage"), "{body}");
        let after = body.split("and 9").nth(1).unwrap();
        assert_eq!(&after[2..7], " more", "{body}");
    }
}

#[test]
fn components_that_a_notice_does_not_name_are_counted() {
    let mut notice = with_components(2);
    notice.content.unnamed_components = 900;
    for channel in CHATS {
        let body = checked(channel, &about(notice.clone())).to_string();
        assert!(body.contains("Component number 1: Major Outage"), "{body}");
        assert!(body.contains("and 900 more"), "{body}");
    }
}

#[test]
fn the_sum_of_the_longest_texts_is_within_the_limit() {
    for piece in ["&", "*", "字", "\u{1F600}"] {
        // The longest URLs that Discord and Slack show.
        for longest in [300, 440, 950] {
            let mut notice = with_components(1000);
            notice.content.title = piece.repeat(200);
            notice.content.message = Some(piece.repeat(10_000));
            if let NoticeChange::Incident { components, .. } = &mut notice.content.change {
                for component in components {
                    component.name = piece.repeat(200);
                }
            }
            let mut state = state();
            state.organisation.page_title = Some(piece.repeat(200));
            state.organisation.time_zone = "America/Argentina/ComodRivadavia".parse().unwrap();
            state.url = format!("https://status.acme.example/{}", "x".repeat(longest - 28));
            let mut content = content(state, MessageKind::Notice(Arc::new(notice)));
            content.manage = format!("{}&{}", content.manage, "y".repeat(longest - 84));
            for channel in CHATS {
                checked(channel, &content);
            }
        }
    }
}

#[test]
fn fifty_one_components_are_no_fifty_one_blocks() {
    let slack = checked(Channel::Slack, &about(with_components(51)));
    assert_eq!(slack["blocks"].as_array().unwrap().len(), 6);
    let discord = checked(Channel::Discord, &about(with_components(51)));
    assert_eq!(discord["embeds"][0]["fields"].as_array().unwrap().len(), 5);
}

#[test]
fn a_long_text_ends_with_a_link_to_the_rest() {
    let mut notice = notice();
    notice.content.message = Some("word ".repeat(2000));
    let content = about(notice);
    let slack = checked(Channel::Slack, &content);
    let last = slack["blocks"][4]["text"]["text"].as_str().unwrap();
    assert!(
        last.contains("… <https://status.acme.example/incidents/"),
        "{last}"
    );
    assert!(last.ends_with("|Read the rest>"), "{last}");
    let discord = checked(Channel::Discord, &content);
    let description = discord["embeds"][0]["description"].as_str().unwrap();
    assert!(
        description.contains("… [Read the rest](https://status.acme.example/incidents/"),
        "{description}"
    );
    let mut notice = crate::content::notice();
    notice.content.message = Some("line\n".repeat(200));
    let teams = checked(Channel::Teams, &about(notice));
    let lines = lines(&teams["attachments"][0]["content"]);
    assert_eq!(lines[41], "line… (“View incident” leads to the rest)");
}

#[test]
fn a_text_of_6001_characters_fits_into_an_embed() {
    let mut notice = notice();
    notice.content.message = Some("x".repeat(6001));
    let discord = checked(Channel::Discord, &about(notice));
    let description = discord["embeds"][0]["description"].as_str().unwrap();
    assert!(description.contains("xxx… ["), "{description}");
}

#[test]
fn ten_thousand_characters_fit_into_a_card() {
    let mut notice = notice();
    notice.content.message = Some("x".repeat(10_000));
    let teams = checked(Channel::Teams, &about(notice.clone()));
    assert_eq!(
        lines(&teams["attachments"][0]["content"])[2],
        "x".repeat(10_000)
    );
    notice.content.message = Some("字".repeat(10_000));
    let teams = checked(Channel::Teams, &about(notice));
    let text = lines(&teams["attachments"][0]["content"]).remove(2);
    assert!(text.chars().count() > 5900, "{}", text.chars().count());
}

#[test]
fn an_emoji_is_whole_or_absent() {
    for before in 0..12 {
        let mut notice = notice();
        let text = "x".repeat(before) + &FAMILY.repeat(1400);
        notice.content.title = "y".repeat(before) + &FAMILY.repeat(27);
        notice.content.message = Some(text);
        for channel in CHATS {
            let body = checked(channel, &about(notice.clone())).to_string();
            let families = body.replace(FAMILY, "");
            assert!(families.len() < body.len());
            for part in ["👨", "👩", "👧", "👦", "\u{200d}"] {
                assert!(!families.contains(part), "{channel} {before}: {families}");
            }
        }
    }
}

#[test]
fn a_title_of_escapes_is_cut_between_them() {
    let mut notice = notice();
    notice.content.title = "&".repeat(200);
    let slack = checked(Channel::Slack, &about(notice.clone()));
    let title = &slack["blocks"][0]["text"]["text"];
    assert_eq!(*title, format!("{}…", "&amp;".repeat(29)));
    notice.content.title = "*".repeat(200);
    let discord = checked(Channel::Discord, &about(notice));
    let title = &discord["embeds"][0]["title"];
    assert_eq!(*title, format!(r"{}…", r"\*".repeat(127)));
}
