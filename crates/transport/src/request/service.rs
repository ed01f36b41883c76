//! The services of the app that extractors and middleware use.

use std::any::type_name;

use actix_web::{HttpRequest, web};
use allclear_application::error::Error;

use crate::response::problem::Problem;

/// A service of the app.
///
/// # Errors
/// 500 if the app has no such service, which is a defect of the wiring.
pub(crate) fn service<T: ?Sized + 'static>(request: &HttpRequest) -> Result<web::Data<T>, Problem> {
    let service = request.app_data::<web::Data<T>>().cloned();
    let missing = || Error::internal(format!("{} is not configured", type_name::<T>()));
    Ok(service.ok_or_else(missing)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::test::TestRequest;

    #[test]
    fn service_is_found_by_its_type() {
        let request = TestRequest::default()
            .app_data(web::Data::new(7_u8))
            .to_http_request();
        assert_eq!(service::<u8>(&request).map(|found| **found).ok(), Some(7));
        let missing = service::<u16>(&request).err();
        assert_eq!(missing.map(|error| error.status_code().as_u16()), Some(500));
    }
}
