//! Redirects: `/discord` and `/sponsor` to configured addresses, public pages to their path without
//! a slash at the end.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use crate::configuration::Configuration;
use crate::response::problem::Problem;
use crate::web_app::{WebApp, fallback};

/// `GET /discord`.
pub(crate) async fn discord(
    request: HttpRequest,
    configuration: web::Data<Configuration>,
    app: web::Data<WebApp>,
) -> Result<HttpResponse, Problem> {
    redirect(request, configuration.discord_url.as_deref(), app).await
}

/// `GET /sponsor`.
pub(crate) async fn sponsor(
    request: HttpRequest,
    configuration: web::Data<Configuration>,
    app: web::Data<WebApp>,
) -> Result<HttpResponse, Problem> {
    redirect(request, configuration.sponsor_url.as_deref(), app).await
}

/// `GET /status/…/`: the path without the slash. A person or a program has added it.
pub(crate) async fn without_slash(request: HttpRequest) -> HttpResponse {
    let path = request.path().trim_end_matches('/');
    let target = match request.uri().query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    HttpResponse::MovedPermanently()
        .insert_header((header::LOCATION, target))
        .insert_header((header::CACHE_CONTROL, "max-age=300"))
        .finish()
}

/// Redirects to the target, or responds as to an unknown path without one.
async fn redirect(
    request: HttpRequest,
    target: Option<&str>,
    app: web::Data<WebApp>,
) -> Result<HttpResponse, Problem> {
    match target {
        Some(target) => Ok(HttpResponse::Found()
            .insert_header((header::LOCATION, target))
            .finish()),
        None => fallback(request, app).await,
    }
}
