//! Widths of texts in a badge, by the metrics of a font.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Advance widths of `DejaVu Sans`; `widths.mjs` describes the lines.
const WIDTHS: &str = include_str!("widths.txt");
/// Units of the widths in the font's size.
const UNITS_PER_EM: u32 = 2048;
/// Characters of a line of the table.
const ROW: u32 = 16;
/// Font size of badges, in pixels.
pub(super) const FONT_SIZE: u32 = 11;

/// Characters that are as wide as the font's size (Unicode, UAX 11): ideographs, syllables
/// and pictures.
const WIDE: [(char, char); 10] = [
    ('\u{1100}', '\u{115F}'),
    ('\u{2E80}', '\u{303E}'),
    ('\u{3041}', '\u{A4CF}'),
    ('\u{A960}', '\u{A97C}'),
    ('\u{AC00}', '\u{D7A3}'),
    ('\u{F900}', '\u{FAFF}'),
    ('\u{FE30}', '\u{FE6F}'),
    ('\u{FF00}', '\u{FF60}'),
    ('\u{1F300}', '\u{1FAFF}'),
    ('\u{20000}', '\u{3FFFD}'),
];
/// Characters without a width: marks that combine with the character before, and invisible ones.
const NARROW: [(char, char); 14] = [
    ('\u{0300}', '\u{036F}'),
    ('\u{0483}', '\u{0489}'),
    ('\u{0591}', '\u{05BD}'),
    ('\u{0610}', '\u{061A}'),
    ('\u{064B}', '\u{065F}'),
    ('\u{0E34}', '\u{0E3A}'),
    ('\u{0E47}', '\u{0E4E}'),
    ('\u{200B}', '\u{200F}'),
    ('\u{2060}', '\u{2064}'),
    ('\u{20D0}', '\u{20F0}'),
    ('\u{FE00}', '\u{FE0F}'),
    ('\u{FE20}', '\u{FE2F}'),
    ('\u{1F3FB}', '\u{1F3FF}'),
    ('\u{E0100}', '\u{E01EF}'),
];

/// The lines of the table, by the number of their first character divided by [`ROW`].
static TABLE: LazyLock<HashMap<u32, Vec<u16>>> = LazyLock::new(|| {
    let rows = WIDTHS.lines().filter_map(|line| {
        let (first, widths) = line.split_once(' ')?;
        let first = u32::from_str_radix(first, 16).ok()?;
        let widths = widths.split(' ').map(str::parse).collect::<Result<_, _>>();
        Some((first / ROW, widths.ok()?))
    });
    rows.collect()
});

/// Width of a text of [`FONT_SIZE`], in tenths of a pixel, rounded up.
pub(super) fn tenths(text: &str) -> u32 {
    let units: u32 = text.chars().map(advance).sum();
    (units * FONT_SIZE * 10).div_ceil(UNITS_PER_EM)
}

/// Width of a character in units. A character without a glyph is drawn in another font.
fn advance(character: char) -> u32 {
    let code = u32::from(character);
    let row = TABLE.get(&(code / ROW));
    let width = row.and_then(|row| row.get((code % ROW) as usize));
    match width.copied().unwrap_or(0) {
        _ if is_in(&NARROW, character) => 0,
        0 if is_in(&WIDE, character) => UNITS_PER_EM,
        0 => UNITS_PER_EM * 3 / 5,
        width => width.into(),
    }
}

fn is_in(ranges: &[(char, char)], character: char) -> bool {
    let mut ranges = ranges.iter();
    ranges.any(|(first, last)| (*first..=*last).contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        // The advance of A is 1401 units, that of i 569.
        assert_eq!(tenths("A"), (1401_u32 * 110).div_ceil(2048));
        assert_eq!(tenths("i"), (569_u32 * 110).div_ceil(2048));
        assert_eq!(tenths("Ai"), ((1401 + 569) * 110_u32).div_ceil(2048));
        assert_eq!(tenths(""), 0);
    }

    #[test]
    fn other_scripts_have_their_widths() {
        assert!(tenths("Работает") > tenths("Работ"));
        assert_eq!(tenths("é"), tenths("e\u{301}"), "combining marks have none");
        assert_eq!(tenths("状態"), 2 * FONT_SIZE * 10);
        assert_eq!(tenths("a\u{200b}"), tenths("a"));
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        assert_eq!(TABLE.len(), WIDTHS.lines().count());
        assert!(TABLE.values().all(|row| row.len() == ROW as usize));
    }
}
