//! Checks and routing of requests.

mod cors;
mod frames;
mod polling;
mod websocket;

use std::sync::Arc;

use actix_web::http::{Method, header};
use actix_web::{HttpRequest, HttpResponse, web};

use super::connection::Connection;
use super::handler::EngineHandler;
use super::reason::Refusal;
use super::server::Engine;
use crate::settings::Settings;

/// The transports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Polling,
    Websocket,
}

/// The query parameters of Engine.IO. If one is repeated, the last value counts.
#[derive(Default)]
struct Parameters {
    revision: String,
    transport: String,
    sid: String,
}

impl Parameters {
    fn of(request: &HttpRequest) -> Self {
        let mut parameters = Self::default();
        let pairs = web::Query::<Vec<(String, String)>>::from_query(request.query_string());
        for (name, value) in pairs.map(web::Query::into_inner).unwrap_or_default() {
            match name.as_str() {
                "EIO" => parameters.revision = value,
                "transport" => parameters.transport = value,
                "sid" => parameters.sid = value,
                _ => {}
            }
        }
        parameters
    }
}

/// Handles a request to the server's path.
pub(crate) async fn respond<H: EngineHandler>(
    engine: &Arc<Engine<H>>,
    request: &HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let settings = engine.settings();
    if request.method() == Method::OPTIONS
        && let Some(cors) = &settings.cors
    {
        return cors::preflight(cors, request);
    }
    let upgrade = is_upgrade(request);
    let mut response = match route(engine, request, payload, upgrade).await {
        Ok(response) => response,
        Err(refusal) if upgrade => refusal.to_upgrade_response(),
        Err(refusal) => refusal.to_response(),
    };
    if let Some(cors) = &settings.cors {
        cors::allow(cors, request, &mut response);
    }
    response
}

/// The checks of the reference's `verify` and `handshake`, in their order.
async fn route<H: EngineHandler>(
    engine: &Arc<Engine<H>>,
    request: &HttpRequest,
    payload: web::Payload,
    upgrade: bool,
) -> Result<HttpResponse, Refusal> {
    let settings = engine.settings();
    if upgrade && has_body(request) {
        // Its bytes would be read as frames.
        return Err(Refusal::BadRequest);
    }
    let parameters = Parameters::of(request);
    let transport = match parameters.transport.as_str() {
        "polling" if settings.polling => Transport::Polling,
        "websocket" if settings.websocket => Transport::Websocket,
        _ => return Err(Refusal::UnknownTransport),
    };
    if parameters.sid.is_empty() {
        if request.method() != Method::GET {
            return Err(Refusal::BadHandshakeMethod);
        }
        if upgrade != (transport == Transport::Websocket) {
            return Err(Refusal::BadRequest);
        }
        check_handshake(settings, request, &parameters)?;
        return open(engine, transport, request, payload).await;
    }
    let connection = engine.find(&parameters.sid).ok_or(Refusal::UnknownSid)?;
    if upgrade {
        if transport != Transport::Websocket {
            return Err(Refusal::BadRequest);
        }
        engine.admit_upgrade(request)?;
        return websocket::upgrade(connection, request, payload).await;
    }
    if transport != Transport::Polling || connection.session.transport() != transport {
        return Err(Refusal::BadRequest);
    }
    match *request.method() {
        Method::GET => {
            let _waiting = engine.admit_poll(request)?;
            polling::poll(&connection).await
        }
        Method::POST => {
            let most = max_message(&connection);
            let _receiving = engine.admit_body(request, most)?;
            polling::post(&connection, request, payload).await
        }
        _ => {
            let allowed = (header::ALLOW, "GET, POST");
            Ok(HttpResponse::MethodNotAllowed()
                .insert_header(allowed)
                .finish())
        }
    }
}

/// Checks the origin and the protocol revision of a request that opens a session.
fn check_handshake(
    settings: &Settings,
    request: &HttpRequest,
    parameters: &Parameters,
) -> Result<(), Refusal> {
    if !cors::is_allowed(settings, request) {
        return Err(Refusal::Forbidden(None));
    }
    if parameters.revision != "4" {
        return Err(Refusal::UnsupportedProtocol);
    }
    Ok(())
}

async fn open<H: EngineHandler>(
    engine: &Arc<Engine<H>>,
    transport: Transport,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Refusal> {
    let upgrade_response = match transport {
        Transport::Polling => None,
        Transport::Websocket => Some(websocket::handshake(request).await?),
    };
    let Some(connection) = engine.open(transport, engine.admit(request)?) else {
        return Ok(HttpResponse::ServiceUnavailable().force_close().finish());
    };
    match upgrade_response {
        None => polling::poll(&connection).await,
        Some(response) => Ok(websocket::respond(
            response,
            websocket::Stage::Live,
            connection,
            payload,
        )),
    }
}

fn is_upgrade(request: &HttpRequest) -> bool {
    let upgrade = request
        .headers()
        .get(header::UPGRADE)
        .and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|value| value.to_ascii_lowercase().contains("websocket"))
}

fn has_body(request: &HttpRequest) -> bool {
    let headers = request.headers();
    headers.contains_key(header::CONTENT_LENGTH) || headers.contains_key(header::TRANSFER_ENCODING)
}

fn max_message<H: EngineHandler>(connection: &Connection<H>) -> usize {
    let settings: &Settings = &connection.session.settings;
    settings.max_http_buffer_size
}
