//! The connection: an HTTP client, the clock of the system and a little chance.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use canvas_core::lease::Timestamp;
use canvas_providers::{EncodedRequest, Issuer, Provider, Response, ResponseBody, SendError, Transport};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use serde_json::{Map, Value};

use super::endpoint::{Endpoint, framing};

/// How long to wait for a connection, and for the next bytes of an answer: models think for minutes without a word.
const CONNECT: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(300);

/// Who is asked, and how.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Where the provider is reached, and how it is given the key.
    pub endpoint: &'static Endpoint,
    /// The host: the provider's own, or another one that speaks its dialect.
    pub base_url: String,
    /// The model, in the provider's words.
    pub model: String,
    /// The key; `None` where the host wants none.
    pub key: Option<String>,
    /// Whether answers come as streams.
    pub streamed: bool,
}

impl ClientOptions {
    /// Who answers: another host than the provider's own cannot open what that has sealed.
    pub fn issuer(&self, provider: Provider) -> Issuer {
        let official = provider.issuer(&self.model);
        if self.base_url == self.endpoint.base_url {
            return official;
        }
        let host = self.base_url.split_once("://").map_or(self.base_url.as_str(), |(_, rest)| rest);
        Issuer { host: host.split('/').next().unwrap_or(host).to_owned(), ..official }
    }
}

/// The client of one provider's host.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    url: Arc<str>,
    headers: HeaderMap,
    /// What the body says beside the request itself.
    fields: Map<String, Value>,
}

impl Client {
    /// A client that waits 10 seconds for a connection, and 5 minutes for the next bytes of an answer.
    ///
    /// # Errors
    ///
    /// Where the key holds characters that no header takes, or the system gives no connection.
    pub fn new(options: &ClientOptions) -> Result<Self, Box<dyn Error>> {
        // An error says that there is a provider of cryptography already, which will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().connect_timeout(CONNECT).read_timeout(SILENCE).build()?;
        let endpoint = options.endpoint;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in endpoint.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = &options.key {
            let (name, before) = endpoint.key_header;
            let mut value = HeaderValue::from_str(&format!("{before}{}", key.trim()))
                .map_err(|_| "the key holds characters that no header takes: look at the variable")?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        let path = endpoint.path(&options.model, options.streamed);
        let url = format!("{}{path}", options.base_url.trim_end_matches('/')).into();
        Ok(Self { http, url, headers, fields: endpoint.fields(options.streamed) })
    }
}

impl Transport for Client {
    type Body = Bytes;

    async fn send(&self, request: &EncodedRequest) -> Result<Response<Bytes>, SendError> {
        let mut body = request.body.clone();
        if let Value::Object(body) = &mut body {
            body.extend(self.fields.clone());
        }
        let body = serde_json::to_vec(&body).map_err(|e| send_error(&e, false))?;
        let sent = self.http.post(&*self.url).headers(self.headers.clone()).body(body).send().await;
        // The address can be wrong for good, or the host be away for a moment: nobody knows.
        let response = sent.map_err(|e| {
            let retryable = !e.is_builder();
            send_error(&e.without_url(), retryable)
        })?;
        let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        Ok(Response {
            status: response.status().as_u16(),
            retry_after: text(RETRY_AFTER).and_then(seconds),
            framing: text(CONTENT_TYPE).and_then(framing),
            body: Bytes(response),
        })
    }

    fn now(&self) -> Timestamp {
        now()
    }

    async fn sleep_until(&self, until: Timestamp) {
        tokio::time::sleep(until.saturating_duration_since(now())).await;
    }
}

/// A body as it comes.
#[derive(Debug)]
pub struct Bytes(reqwest::Response);

impl ResponseBody for Bytes {
    type Chunk = Vec<u8>;

    async fn next(&mut self) -> Result<Option<Vec<u8>>, SendError> {
        let chunk = self.0.chunk().await.map_err(|e| send_error(&e.without_url(), true))?;
        Ok(chunk.map(|bytes| bytes.to_vec()))
    }
}

/// The system's clock.
pub fn now() -> Timestamp {
    SystemTime::now().into()
}

/// The header `retry-after` in seconds. A date, which no provider is known to send, counts as none.
fn seconds(value: &str) -> Option<Duration> {
    value.trim().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

/// One sentence of an error and its causes.
fn send_error(error: &(dyn Error + 'static), retryable: bool) -> SendError {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.dedup();
    SendError { message: causes.join(": "), retryable }
}
