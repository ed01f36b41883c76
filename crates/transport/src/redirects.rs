//! `/discord` and `/sponsor`: redirects to configured addresses.

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
