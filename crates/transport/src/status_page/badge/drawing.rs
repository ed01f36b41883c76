//! The drawing of a badge: SVG 1.1 with presentation attributes only, which every policy for
//! scripts and styles allows.

use allclear_domain::tone::Tone;
use maud::{Markup, html};

use super::text_width::{FONT_SIZE, tenths};

/// Height in pixels.
const HEIGHT: u32 = 20;
/// Space on both sides of a text, in pixels.
const PADDING: u32 = 6;
const LABEL_COLOUR: &str = "#30363d";
/// Verdana and `DejaVu Sans` have the widths of the table; other fonts are fitted by `textLength`.
const FONTS: &str = "Verdana,Geneva,DejaVu Sans,sans-serif";

/// Style of a badge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum BadgeStyle {
    /// Round corners and a shade.
    #[default]
    Flat,
    /// Square corners and no shade.
    FlatSquare,
}

/// Background colour of the right part. White text has a contrast of at least 4.5 to 1 on each
/// (WCAG 2.2, 1.4.3).
const fn colour(tone: Tone) -> &'static str {
    match tone {
        Tone::Operational => "#17703f",
        Tone::Maintenance => "#1b62b5",
        Tone::Degraded => "#876200",
        Tone::Partial => "#b34a00",
        Tone::Major => "#c22f34",
        Tone::Neutral => "#566270",
    }
}

/// The content of a badge.
#[derive(Debug)]
pub(super) struct Badge<'a> {
    /// The left part; there is none if it is empty.
    pub(super) label: &'a str,
    /// The right part.
    pub(super) message: &'a str,
    /// Tone of the right part.
    pub(super) tone: Tone,
    pub(super) style: BadgeStyle,
    /// The badge in words.
    pub(super) title: &'a str,
}

/// A part of the badge.
struct Part<'a> {
    text: &'a str,
    /// Left end in pixels.
    start: u32,
    /// Width in pixels.
    width: u32,
    /// Width of the text in tenths of a pixel.
    text_tenths: u32,
}

impl<'a> Part<'a> {
    fn new(text: &'a str, start: u32) -> Self {
        let text_tenths = tenths(text);
        let width = if text.is_empty() {
            0
        } else {
            text_tenths.div_ceil(10) + 2 * PADDING
        };
        Self {
            text,
            start,
            width,
            text_tenths,
        }
    }

    fn draw(&self, is_shaded: bool) -> Markup {
        let start = pixels(self.start * 10 + (self.width * 10 - self.text_tenths) / 2);
        let length = pixels(self.text_tenths);
        html! {
            @if !self.text.is_empty() {
                @if is_shaded {
                    text x=(start) y="15" textLength=(length) fill="#010101" fill-opacity=".3" aria-hidden="true" { (self.text) }
                }
                text x=(start) y="14" textLength=(length) { (self.text) }
            }
        }
    }
}

fn pixels(tenths: u32) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Draws a badge.
pub(super) fn draw(badge: &Badge<'_>) -> Markup {
    let (label, title) = (drawable(badge.label), drawable(badge.title));
    let label = Part::new(&label, 0);
    let message = drawable(badge.message);
    let message = Part::new(&message, label.width);
    let width = label.width + message.width;
    let is_flat = badge.style == BadgeStyle::Flat;
    let corner = if is_flat { "3" } else { "0" };
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(HEIGHT) viewBox={ "0 0 " (width) " " (HEIGHT) }
            role="img" aria-label=(title) {
            title { (title) }
            @if is_flat {
                linearGradient id="allclear-shade" x2="0" y2="100%" {
                    stop offset="0" stop-color="#bbb" stop-opacity=".1" {}
                    stop offset="1" stop-opacity=".1" {}
                }
            }
            rect width=(width) height=(HEIGHT) rx=(corner) fill=(colour(badge.tone)) {}
            @if label.width > 0 { path d=(left(label.width, is_flat)) fill=(LABEL_COLOUR) {} }
            @if is_flat { rect width=(width) height=(HEIGHT) rx=(corner) fill="url(#allclear-shade)" {} }
            g fill="#fff" font-family=(FONTS) font-size=(FONT_SIZE) text-rendering="geometricPrecision" {
                (label.draw(is_flat))
                (message.draw(is_flat))
            }
        }
    }
}

/// The left part, whose right corners are square.
fn left(width: u32, is_round: bool) -> String {
    if is_round {
        format!("M{width} 0H3a3 3 0 0 0-3 3v14a3 3 0 0 0 3 3H{width}z")
    } else {
        format!("M{width} 0H0v20H{width}z")
    }
}

/// A text in one line, without the characters that XML does not allow (XML 1.0, section 2.2).
fn drawable(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|character| match character {
            '\u{FFFE}' | '\u{FFFF}' => '\u{FFFD}',
            control if control.is_control() => ' ',
            other => other,
        })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::VariantArray;

    fn badge<'a>(label: &'a str, message: &'a str, style: BadgeStyle) -> String {
        draw(&Badge {
            label,
            message,
            tone: Tone::Operational,
            style,
            title: "API: Operational",
        })
        .0
    }

    /// Relative luminance (WCAG 2.2).
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    #[test]
    fn white_text_is_readable_on_every_colour() {
        let tones = Tone::VARIANTS.iter().copied();
        for hex in tones.map(colour).chain([LABEL_COLOUR]) {
            let contrast = 1.05 / (luminance(hex) + 0.05);
            assert!(contrast >= 4.5, "{hex}: {contrast}");
        }
    }

    #[test]
    fn parts_are_as_wide_as_their_texts() {
        let drawn = badge("API", "Operational", BadgeStyle::FlatSquare);
        let (label, message) = (tenths("API"), tenths("Operational"));
        let width = label.div_ceil(10) + message.div_ceil(10) + 4 * PADDING;
        assert!(
            drawn.contains(&format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}""#
            )),
            "{drawn}"
        );
        for length in [label, message] {
            let length = format!(r#"textLength="{}""#, pixels(length));
            assert!(drawn.contains(&length), "{length}: {drawn}");
        }
    }

    #[test]
    fn styles_differ_in_corners_and_shade() {
        let flat = badge("API", "Operational", BadgeStyle::Flat);
        let square = badge("API", "Operational", BadgeStyle::FlatSquare);
        assert!(
            flat.contains(r#"rx="3""#) && flat.contains("allclear-shade"),
            "{flat}"
        );
        assert!(
            square.contains(r#"rx="0""#) && !square.contains("allclear-shade"),
            "{square}"
        );
    }

    #[test]
    fn text_is_escaped_and_valid_in_xml() {
        let drawn = badge("<b>&\"\u{1}\u{FFFF}", "x", BadgeStyle::Flat);
        assert!(drawn.contains("&lt;b&gt;&amp;"), "{drawn}");
        assert!(!drawn.contains(['\u{1}', '\u{FFFF}']), "{drawn}");
    }

    #[test]
    fn empty_label_leaves_the_message_alone() {
        let drawn = badge("", "Operational", BadgeStyle::FlatSquare);
        assert_eq!(drawn.matches("<text").count(), 1, "{drawn}");
        assert!(drawn.contains(&format!(
            r#" width="{}""#,
            tenths("Operational").div_ceil(10) + 2 * PADDING
        )));
    }
}
