//! The icons of the public pages, which the web app's build writes into its pages as one sprite.

const START: &str = "<svg hidden>";
const END: &str = "</svg>";
const SYMBOL: &str = "</symbol>";

/// Marks the place of the sprite.
pub(crate) const SPRITE: &str = "<!--allclear:sprite-->";

/// The symbols of a sprite.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sprite {
    symbols: Vec<Symbol>,
}

#[derive(Debug, Clone)]
struct Symbol {
    /// How an element refers to it.
    reference: String,
    drawing: String,
}

impl Sprite {
    /// Takes the sprite out of a built page, and leaves its mark. The sprite is empty if the page
    /// has none.
    pub(crate) fn cut_from(html: String) -> (String, Self) {
        let parts = html.split_once(START).and_then(|(before, rest)| {
            let (symbols, after) = rest.split_once(END)?;
            Some((before, symbols, after))
        });
        let Some((before, symbols, after)) = parts else {
            return (html, Self::default());
        };
        let symbols = symbols.split_inclusive(SYMBOL).filter_map(Symbol::new);
        let sprite = Self {
            symbols: symbols.collect(),
        };
        (format!("{before}{SPRITE}{after}"), sprite)
    }

    /// The sprite with the symbols that a page refers to.
    pub(crate) fn of(&self, page: &str) -> String {
        let used = self
            .symbols
            .iter()
            .filter(|symbol| page.contains(&symbol.reference));
        let symbols: String = used.map(|symbol| symbol.drawing.as_str()).collect();
        format!("{START}{symbols}{END}")
    }
}

impl Symbol {
    fn new(drawing: &str) -> Option<Self> {
        let (_, rest) = drawing.split_once("id=\"")?;
        let (id, _) = rest.split_once('"')?;
        Some(Self {
            reference: format!("href=\"#{id}\""),
            drawing: drawing.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "<symbol id=\"one\"><path d=\"M1 1\"/></symbol>";
    const TWO: &str = "<symbol id=\"two\"><path d=\"M2 2\"/></symbol>";

    #[test]
    fn page_has_the_symbols_that_it_uses() {
        let (html, sprite) = Sprite::cut_from(format!("<body><svg hidden>{ONE}{TWO}</svg></body>"));
        assert_eq!(html, format!("<body>{SPRITE}</body>"));
        let used = "<svg><use href=\"#two\"></use></svg>";
        assert_eq!(sprite.of(used), format!("<svg hidden>{TWO}</svg>"));
    }

    #[test]
    fn page_without_a_sprite_stays_as_it_is() {
        let (html, sprite) = Sprite::cut_from("<body></body>".to_owned());
        assert_eq!(html, "<body></body>");
        assert_eq!(sprite.of(ONE), "<svg hidden></svg>");
    }
}
