//! An upload that does not fit in one request: it is put where the server says, and the server told of it.

use std::time::Duration;

use prevet_domain::kind::Kind;
use prevet_wire::session::{LargeUpload, PlaceResponse, UploadResponse};
use reqwest::RequestBuilder;

use super::{Client, Upload, failure, upload};
use crate::connection::is_loopback;
use crate::error::CommandError;

const PUTTING: &str = "putting the diff into the server's bucket";

impl Client {
    /// `route` is that of the session's uploads.
    pub(super) async fn upload_by_place(
        &self,
        route: RequestBuilder,
        upload: &Upload,
    ) -> Result<UploadResponse, CommandError> {
        let unclonable = || CommandError::new(Kind::Internal, "a request cannot be made twice");
        let again = route.try_clone().ok_or_else(unclonable)?;
        let ask = LargeUpload::Place { body_bytes: upload.packed().len() as u64 };
        let seconds = self.waits.session_seconds;
        let place = self.send(route.json(&ask), seconds, "asking for a place for the diff").await?;
        self.put(&place, upload).await?;
        let told = LargeUpload::Placed {
            place: place.place,
            content_type: upload.content_type(),
            content_encoding: Some(upload::ENCODING.to_owned()),
        };
        self.send(again.json(&told), self.waits.upload_seconds, "uploading the diff").await
    }

    /// Without the key, which is the server's alone.
    async fn put(&self, place: &PlaceResponse, upload: &Upload) -> Result<(), CommandError> {
        let host = host_of(&place.url);
        // Nobody is led to send the diff in the clear, or to an address of their own machine.
        let is_own = is_loopback(&self.endpoint.url) && is_loopback(&place.url);
        if !place.url.starts_with("https://") && !is_own {
            let text = format!("{PUTTING}: {} says to send it to {host} without https", self.endpoint.url);
            return Err(CommandError::new(Kind::Unavailable, text));
        }
        let seconds = self.waits.upload_seconds;
        let mut call = self.http.put(&place.url).timeout(Duration::from_secs(seconds));
        for (name, value) in &place.headers {
            call = call.header(name, value);
        }
        let answer = call.body(upload.packed()).send().await.map_err(|error| {
            // The address is the permission, and is not for messages.
            let error = error.without_url();
            let seconds = if error.is_connect() { self.waits.connect_seconds } else { seconds };
            failure::unreachable(&host, PUTTING, seconds, &error)
        })?;
        if answer.status().is_success() {
            return Ok(());
        }
        let text = format!("{PUTTING}: {host} answered {}", answer.status().as_u16());
        Err(CommandError::new(Kind::Unavailable, text))
    }
}

fn host_of(url: &str) -> String {
    let parsed = reqwest::Url::parse(url).ok();
    let host = parsed.as_ref().and_then(reqwest::Url::host_str).unwrap_or("an address that is none");
    host.to_owned()
}
