//! A connection's answers to the requests of the protocol.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    InitializeRequestParams, InitializeResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tokio::runtime::Handle;

use crate::call::{Outcome, Request};
use crate::caller::Caller;
use crate::catalog;
use crate::conversation::Shared;
use crate::host::Host;
use crate::page;
use crate::toolbox::Toolbox;

/// Answers the requests of one connection.
#[derive(Debug, Clone)]
pub struct Server {
    host: Arc<Host>,
    line: Arc<Line>,
}

/// What lies between a client and the host.
#[derive(Debug)]
struct Line {
    host: Arc<Host>,
    /// Whether each request may be on a line of its own, as over HTTP.
    is_http: bool,
    /// The conversation of a line with a lifecycle.
    own: OnceLock<Shared>,
}

impl Server {
    /// For a client at the other end of standard input.
    pub fn over_stdio(host: &Arc<Host>) -> Self {
        Self::new(host, false)
    }

    /// For a session of HTTP, or for one request without a session.
    pub fn over_http(host: &Arc<Host>) -> Self {
        Self::new(host, true)
    }

    fn new(host: &Arc<Host>, is_http: bool) -> Self {
        let line = Line { host: Arc::clone(host), is_http, own: OnceLock::new() };
        Self { host: Arc::clone(host), line: Arc::new(line) }
    }

    fn toolbox(&self, caller: &Caller) -> Arc<Toolbox> {
        self.host.toolboxes.of(self.host.options.dialect, &caller.client)
    }

    /// The conversation of a request.
    fn conversation(&self, caller: &Caller, request: Option<&Request>) -> Shared {
        let host = &self.host;
        let open = || host.conversations.open(host.names.conversation(&caller.client));
        if !self.line.is_http {
            return Arc::clone(self.line.own.get_or_init(open));
        }
        if let Some(own) = self.line.own.get() {
            return Arc::clone(own);
        }
        if let Some(request) = request {
            let lease = request.arguments.get("lease_id").and_then(|lease| lease.as_str());
            if let Some(shared) = lease.and_then(|lease| host.conversations.of_lease(lease)) {
                return shared;
            }
            if request.name == canvas_tools::CHECK_OUT {
                return open();
            }
        }
        host.conversations.of_client(&caller.principal, || host.names.conversation(&caller.client))
    }

    async fn run(&self, caller: &Caller, toolbox: &Toolbox, request: Request) -> CallToolResult {
        let shared = self.conversation(caller, Some(&request));
        let name = request.name.clone();
        let outcome = self.host.call(&shared, toolbox, request).await;
        if let Some(lease) = outcome.reply.lease_id()
            && self.line.is_http
            && self.line.own.get().is_none()
        {
            self.host.conversations.give(lease.to_owned(), &shared);
        }
        result(toolbox, &name, outcome)
    }

    /// All tools that a client may see.
    fn tools(&self, caller: &Caller) -> Vec<Tool> {
        let toolbox = self.toolbox(caller);
        let tools = toolbox.listed(&self.host.engine).iter().cloned();
        if caller.has_pages { tools.collect() } else { tools.map(catalog::without_page).collect() }
    }
}

/// A reply as the protocol has it: the text that models read everywhere, and the same as a value.
pub(crate) fn result(toolbox: &Toolbox, name: &str, outcome: Outcome) -> CallToolResult {
    let Outcome { reply, hidden } = outcome;
    let mut content = vec![ContentBlock::text(toolbox.text(name, &reply))];
    content.extend(hidden.map(ContentBlock::text));
    let mut result = CallToolResult::success(content);
    result.is_error = Some(!reply.is_ok());
    result.structured_content = Some(reply.body().clone());
    result
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let info = Implementation::new("canvas-mcp", env!("CARGO_PKG_VERSION")).with_title("Canvas");
        let toolbox = self.host.toolboxes.of(self.host.options.dialect, "");
        let instructions = toolbox.tools.system_prompt(&self.host.engine);
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(instructions)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let name = self.host.names.conversation(&request.client_info.name);
        context.peer.set_peer_info(request.clone());
        self.line.own.get_or_init(|| self.host.conversations.open(name));
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = Caller::of(&context);
        let (tools, next_cursor) = page::of(self.tools(&caller), request)?;
        Ok(ListToolsResult { next_cursor, ..ListToolsResult::with_all_items(tools) })
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(&context);
        let toolbox = self.toolbox(&caller);
        let request =
            Request { name: params.name.into_owned(), arguments: params.arguments.unwrap_or_default() };
        if !toolbox.has(&request.name) {
            let message = format!("there is no tool {:?}: take one that tools/list names", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let cancelled = context.ct.clone();
        tokio::select! {
            result = self.run(&caller, &toolbox, request) => Ok(result.into()),
            () = cancelled.cancelled() => Err(ErrorData::internal_error(Cow::Borrowed("the call was cancelled"), None)),
        }
    }
}

/// A client that goes gives its lease back.
impl Drop for Line {
    fn drop(&mut self) {
        let (Some(own), Ok(runtime)) = (self.own.take(), Handle::try_current()) else { return };
        let host = Arc::clone(&self.host);
        runtime.spawn(async move { host.leave(&own).await });
    }
}
