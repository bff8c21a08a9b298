//! Who may ask, and what answers say to browsers.
//!
//! * The name that a request was sent to must be this machine's: a page of another site whose name leads here is refused.
//! * A WebSocket is opened by the page alone, by its `Origin`: frames have none of their own, and other sites another one.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};

/// Where the page and the frames are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins {
    page: u16,
    frame: u16,
}

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const EMBEDDER: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");

/// What no page here needs.
const NOTHING: &str = "accelerometer=(), camera=(), clipboard-read=(), display-capture=(), geolocation=(), gyroscope=(), \
                       magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=()";

impl Origins {
    pub(crate) fn new(page: u16, frame: u16) -> Self {
        Self { page, frame }
    }

    /// The origin of the page.
    pub fn page(&self) -> String {
        format!("http://127.0.0.1:{}", self.page)
    }

    /// The origin of what surfaces show.
    pub fn frame(&self) -> String {
        format!("http://127.0.0.1:{}", self.frame)
    }

    /// Whether a request was sent to the page's listener by a name of it.
    pub(crate) fn is_for_page(&self, headers: &HeaderMap) -> bool {
        is_named(headers, self.page)
    }

    pub(crate) fn is_for_frame(&self, headers: &HeaderMap) -> bool {
        is_named(headers, self.frame)
    }

    /// Whether the page itself asks, and no other.
    pub(crate) fn is_from_page(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(ORIGIN).and_then(|value| value.to_str().ok()) else { return false };
        let host = headers.get(HOST).and_then(|value| value.to_str().ok());
        self.is_for_page(headers) && host.is_some_and(|host| origin == format!("http://{host}"))
    }

    pub(crate) fn page_headers(&self) -> HeaderMap {
        let (port, frame) = (self.page, self.frame());
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' \
             ws://127.0.0.1:{port} ws://localhost:{port}; frame-src {frame}; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        );
        let mut headers = common(&policy);
        headers.insert(OPENER, HeaderValue::from_static("same-origin"));
        headers.insert(EMBEDDER, HeaderValue::from_static("same-origin"));
        headers
    }

    pub(crate) fn frame_headers(&self) -> HeaderMap {
        let (frame, page) = (self.frame(), self.page());
        let localhost = format!("http://localhost:{}", self.page);
        let policy = format!(
            "default-src 'none'; script-src {frame}; style-src {frame} 'unsafe-inline'; img-src {frame} data:; font-src \
             {frame}; connect-src 'none'; form-action 'none'; base-uri 'none'; object-src 'none'; frame-ancestors {page} \
             {localhost}; sandbox allow-scripts"
        );
        let mut headers = common(&policy);
        // A document in a sandbox has no origin, so its modules and fonts are asked for across origins.
        headers.insert("access-control-allow-origin", HeaderValue::from_static("null"));
        headers.insert(EMBEDDER, HeaderValue::from_static("cross-origin"));
        headers.insert("x-dns-prefetch-control", HeaderValue::from_static("off"));
        headers
    }
}

fn is_named(headers: &HeaderMap, port: u16) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_ours = ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{port}"));
    is_ours && hosts.next().is_none()
}

fn common(policy: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let policy = HeaderValue::from_str(policy).expect("a policy has no control characters");
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(PERMISSIONS, HeaderValue::from_static(NOTHING));
    headers
}
