//! Files that are read while they are sent.

use actix_web::HttpResponse;
use actix_web::http::header::{self, ContentDisposition, DispositionParam, DispositionType};
use actix_web::web::Bytes;
use allclear_application::error::Error;
use allclear_application::page::{Listed, Page};
use futures_util::Stream;
use futures_util::stream::try_unfold;

/// A file that a browser saves under this name.
pub(crate) fn file_download(
    name: &str,
    content_type: &'static str,
    content: impl Stream<Item = Result<Bytes, Error>> + 'static,
) -> HttpResponse {
    let disposition = ContentDisposition {
        disposition: DispositionType::Attachment,
        parameters: vec![DispositionParam::Filename(name.to_owned())],
    };
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, content_type))
        .insert_header(disposition)
        .streaming(content)
}

/// The items of all pages of a list, page by page. A page has at most `limit` of them.
pub(crate) fn pages<T, F>(
    limit: u64,
    read: impl Fn(Page) -> F,
) -> impl Stream<Item = Result<Vec<T>, Error>>
where
    F: Future<Output = Result<Listed<T>, Error>>,
{
    let first = Some(Page {
        limit: Some(limit),
        before: None,
    });
    try_unfold(first, move |page| {
        let reading = page.map(&read);
        async move {
            let Some(reading) = reading else {
                return Ok::<_, Error>(None);
            };
            let listed = reading.await?;
            let next = listed.next.map(|before| Page {
                limit: Some(limit),
                before: Some(before),
            });
            Ok(Some((listed.items, next)))
        }
    })
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use futures_util::TryStreamExt as _;
    use uuid::Uuid;

    use super::*;

    #[actix_web::test]
    async fn pages_follow_each_other_until_the_last_one() {
        let read = |page: Page| {
            assert_eq!(page.limit, Some(2));
            let items = page.before.map_or(3, |before| before.as_u128());
            ready(Ok(Listed {
                items: vec![items],
                next: Some(Uuid::from_u128(items - 1)).filter(|next| !next.is_nil()),
            }))
        };
        let all: Vec<_> = pages(2, read).try_collect().await.unwrap();
        assert_eq!(all, [vec![3], vec![2], vec![1]]);
    }
}
