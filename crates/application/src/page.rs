//! Pages of long lists.

use uuid::Uuid;

/// The requested page of a list. Lists are newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Page {
    /// Maximum number of items; `None` means all.
    pub limit: Option<u64>,
    /// Only items older than the one with this identifier.
    pub before: Option<Uuid>,
}

impl Page {
    /// The largest accepted `limit`.
    pub const MAX_LIMIT: u64 = 500;
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The items, newest first.
    pub items: Vec<T>,
    /// `before` of the next page; `None` on the last page.
    pub next: Option<Uuid>,
}

impl<T> Listed<T> {
    /// Cuts a list that was read with one item more than the limit; the extra item shows that there
    /// is another page.
    pub fn cut(mut items: Vec<T>, page: Page, id: impl Fn(&T) -> Uuid) -> Self {
        let limit = page
            .limit
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(usize::MAX);
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(id) } else { None };
        Self { items, next }
    }

    /// Converts every item, or returns the first error.
    pub fn try_map<U, E>(self, convert: impl FnMut(T) -> Result<U, E>) -> Result<Listed<U>, E> {
        let items = self
            .items
            .into_iter()
            .map(convert)
            .collect::<Result<_, E>>()?;
        Ok(Listed {
            items,
            next: self.next,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_part_begins_after_the_last_item_shown() {
        let ids: Vec<_> = (0..3).map(Uuid::from_u128).collect();
        let page = Page {
            limit: Some(2),
            before: None,
        };
        let listed = Listed::cut(ids.clone(), page, |id| *id);
        assert_eq!(
            listed,
            Listed {
                items: ids[..2].to_vec(),
                next: Some(ids[1])
            }
        );
        assert_eq!(Listed::cut(ids[..2].to_vec(), page, |id| *id).next, None);
        assert_eq!(
            Listed::cut(ids.clone(), Page::default(), |id| *id).items,
            ids
        );
    }
}
