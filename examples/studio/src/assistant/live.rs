//! A model over the network.

use std::env;

use canvas_examples::live::{Client, ClientOptions, Endpoint};
use canvas_providers::{Provider, UnknownProvider};

use super::AssistantOptions;

/// A provider's model, and the connection to it.
#[derive(Debug)]
pub struct LiveModel {
    pub(super) provider: Provider,
    pub(super) options: ClientOptions,
    pub(super) client: Client,
}

impl LiveModel {
    pub(super) fn open(provider: &str, options: &AssistantOptions) -> Result<Self, String> {
        let provider: Provider = provider.parse().map_err(|UnknownProvider { name }| {
            let names: Vec<_> = Provider::ALL.iter().map(|known| known.name()).collect();
            format!("there is no provider {name:?}: use one of {}", names.join(", "))
        })?;
        let endpoint = Endpoint::of(provider)
            .ok_or_else(|| format!("it is not known where {provider} is reached: choose another provider"))?;
        let key = endpoint.key.and_then(|name| env::var(name).ok()).filter(|key| !key.trim().is_empty());
        if let (Some(name), None, None) = (endpoint.key, &key, &options.base_url) {
            return Err(format!("there is no key: set {name}, or name another host with --base-url"));
        }
        let options = ClientOptions {
            endpoint,
            base_url: options.base_url.clone().unwrap_or_else(|| endpoint.base_url.to_owned()),
            model: options.model.clone().ok_or("there is no model: name one with --model")?,
            key,
            streamed: true,
        };
        let client = Client::new(&options).map_err(|e| format!("{e}: correct it and start again"))?;
        Ok(Self { provider, options, client })
    }
}
