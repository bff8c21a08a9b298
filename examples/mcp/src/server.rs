//! A connection's answers to the requests of the protocol.

#![expect(
    deprecated,
    reason = "clients of 2025-11-25 subscribe and set levels in ways that 2026-07-28 leaves out"
)]

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use canvas_core::CanvasId;
use futures_util::future::join_all;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorData, ExtensionCapabilities,
    GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{AbortHandle, JoinSet};

use crate::action::{self, SURFACE_ACTION};
use crate::app;
use crate::call::{Outcome, Request};
use crate::caller::{Caller, PAGE, UI};
use crate::catalog::{self, object};
use crate::conformance;
use crate::conversation::{Shared, inherit};
use crate::files;
use crate::follow::Follower;
use crate::host::Host;
use crate::page;
use crate::params;
use crate::prompts::prompts;
use crate::resources::{missing, templates};
use crate::toolbox::{Naming, Toolbox};
use crate::trace;
use crate::uri::CanvasUri;

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
    /// Followers that were made before a subscription was acknowledged, for when it runs.
    prepared: Mutex<Vec<Follower>>,
    /// What an older client has subscribed to, by URI; the list of canvases by the empty one.
    subscriptions: Mutex<HashMap<String, AbortHandle>>,
}

/// Resources that one client follows.
const SUBSCRIPTIONS: usize = 1_024;

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
        let (own, prepared, subscriptions) = Default::default();
        let line = Line { host: Arc::clone(host), is_http, own, prepared, subscriptions };
        Self { host: Arc::clone(host), line: Arc::new(line) }
    }

    fn toolbox(&self, caller: &Caller) -> Arc<Toolbox> {
        self.host.toolboxes.of(self.host.options.dialect, &caller.client)
    }

    /// How a model of this client uses the tools.
    fn instructions(&self, client: &str) -> String {
        let toolbox = self.host.toolboxes.of(self.host.options.dialect, client);
        let mut text = self.host.system_prompt(&toolbox);
        if toolbox.naming == Naming::Document {
            let lease = if self.host.options.proposes { "" } else { ", each with a lease of its own" };
            text += &format!(
                "\nSeveral documents are served{lease}: name one with each call, as canvas_list_documents lists them."
            );
        }
        text
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
        if !self.line.is_http || self.line.own.get().is_some() {
            return result(toolbox, &name, self.host.call(&shared, toolbox, request).await);
        }
        // What one conversation of a client was told, the client knows.
        let client = self.conversation(caller, None);
        inherit(&client, &shared).await;
        let outcome = self.host.call(&shared, toolbox, request).await;
        inherit(&shared, &client).await;
        if let Some(lease) = outcome.reply.lease_id() {
            self.host.conversations.give(lease.to_owned(), &shared);
        }
        result(toolbox, &name, outcome)
    }

    /// All tools that a client may see.
    fn tools(&self, caller: &Caller) -> Vec<Tool> {
        let toolbox = self.toolbox(caller);
        let mut tools = toolbox.listed(&self.host.engine).to_vec();
        if self.host.options.tools.surface {
            tools.push(action::tool());
        }
        if toolbox.naming == Naming::Document {
            tools.push(files::tool());
        }
        if self.host.conformance.is_some() {
            tools.extend(conformance::tools());
        }
        if caller.has_pages {
            tools.extend(app::tools());
            return tools;
        }
        tools.into_iter().map(catalog::without_page).collect()
    }

    async fn answer(
        &self,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = Caller::of(context);
        let toolbox = self.toolbox(&caller);
        if let Some(asking) = &self.host.conformance
            && let Some(answer) = conformance::call(asking, &params, context).await
        {
            return answer;
        }
        let name = &*params.name;
        if toolbox.has(name) {
            let arguments = params.arguments.unwrap_or_default();
            let request = Request { name: params.name.into_owned(), arguments };
            return Ok(self.run(&caller, &toolbox, request).await.into());
        }
        if name == files::LIST && toolbox.naming == Naming::Document {
            let listed = self.host.list_documents(params.arguments.unwrap_or_default()).await;
            return Ok(action::with_answer(listed).into());
        }
        if name == SURFACE_ACTION && self.host.options.tools.surface {
            let shared = self.conversation(&caller, None);
            return self.host.action(&caller, &shared, params, context).await;
        }
        if caller.has_pages && app::has(name) {
            let shared = self.conversation(&caller, None);
            let arguments = params.arguments.unwrap_or_default();
            return Ok(self.host.act_for_page(&caller, &shared, name, arguments).await.into());
        }
        let shown: String = name.chars().take(100).collect();
        let message = format!("there is no tool {shown:?}: take one that tools/list names");
        Err(ErrorData::invalid_params(message, None))
    }

    /// Sends what becomes of a resource to an older client, until it has had enough.
    async fn follow(&self, uri: String, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if self.host.conformance.is_some() && conformance::follows(&uri) {
            return Ok(());
        }
        let parsed = CanvasUri::parse(&uri).ok_or_else(|| missing(&uri))?;
        let mut follower = self.host.follow.canvas(&self.host.engine, &parsed.canvas).await;
        let (peer, told) = (context.peer.clone(), uri.clone());
        let task = tokio::spawn(async move {
            while let Some(change) = follower.next().await {
                if change.contains(&parsed) {
                    let told = ResourceUpdatedNotificationParam::new(told.clone());
                    if peer.notify_resource_updated(told).await.is_err() {
                        return;
                    }
                }
            }
        });
        self.line.subscribe(uri, task.abort_handle())
    }
}

impl Line {
    fn subscribe(&self, uri: String, task: AbortHandle) -> Result<(), ErrorData> {
        let mut subscriptions = self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner);
        if subscriptions.len() >= SUBSCRIPTIONS && !subscriptions.contains_key(&uri) {
            task.abort();
            let message =
                format!("one client follows {SUBSCRIPTIONS} resources at most: unsubscribe from one");
            return Err(ErrorData::invalid_request(message, None));
        }
        if let Some(before) = subscriptions.insert(uri, task) {
            before.abort();
        }
        Ok(())
    }

    fn prepared(&self, canvas: &CanvasId) -> Option<Follower> {
        let mut waiting = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let place = waiting.iter().position(|follower| follower.canvas() == canvas)?;
        Some(waiting.swap_remove(place))
    }

    fn unsubscribe(&self, uri: &str) {
        let mut subscriptions = self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = subscriptions.remove(uri) {
            task.abort();
        }
    }
}

/// A client that goes gives its lease back.
impl Drop for Line {
    fn drop(&mut self) {
        let subscriptions = self.subscriptions.get_mut().unwrap_or_else(PoisonError::into_inner);
        subscriptions.values().for_each(AbortHandle::abort);
        let (Some(own), Ok(runtime)) = (self.own.take(), Handle::try_current()) else { return };
        let host = Arc::clone(&self.host);
        runtime.spawn(async move { host.leave(&own).await });
    }
}

/// A reply as the protocol has it: the text that models read everywhere, and the same as a value.
fn result(toolbox: &Toolbox, name: &str, outcome: Outcome) -> CallToolResult {
    let Outcome { reply, hidden } = outcome;
    let mut content = vec![ContentBlock::text(toolbox.text(name, &reply))];
    content.extend(hidden.map(ContentBlock::text));
    let mut result = CallToolResult::success(content);
    result.is_error = Some(!reply.is_ok());
    result.structured_content = Some(reply.body().clone());
    result
}

/// The error of a call whose client wants no answer any more. It is not sent.
fn cancelled() -> ErrorData {
    ErrorData::internal_error(Cow::Borrowed("the request was cancelled"), None)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let pages = json!({"mimeTypes": [PAGE]});
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_extensions_with(ExtensionCapabilities::from([(UI.to_owned(), object(pages))]))
            .build();
        if self.host.conformance.is_some() {
            capabilities.logging = Some(object(json!({})));
        }
        let info = Implementation::new("canvas-mcp", env!("CARGO_PKG_VERSION")).with_title("Canvas");
        ServerConfig::new(capabilities).with_server_info(info).with_instructions(self.instructions(""))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let name = self.host.names.conversation(&request.client_info.name);
        context.peer.set_peer_info(request.clone());
        self.line.own.get_or_init(|| self.host.conversations.open(name));
        let instructions = self.instructions(&request.client_info.name);
        Ok(self.negotiate_initialize(&request)?.with_instructions(instructions))
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let info = self.get_info().with_instructions(self.instructions(&Caller::of(&context).client));
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    /// An older client is told of new canvases without having asked.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (mut list, peer) = (self.host.follow.list(), context.peer);
        let task = tokio::spawn(async move {
            while !matches!(list.recv().await, Err(RecvError::Closed)) {
                if peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
            }
        });
        drop(self.line.subscribe(String::new(), task.abort_handle()));
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (tools, next_cursor) = page::of(self.tools(&Caller::of(&context)), request)?;
        Ok(ListToolsResult { next_cursor, ..ListToolsResult::with_all_items(tools) })
    }

    /// The tool whose arguments a header may repeat. Only fixtures have such.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.host.conformance.as_ref().and_then(|_| conformance::find(name))
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match self.host.conformance {
            // Its one tool that logs does so at the level of all tests.
            Some(_) => Ok(()),
            None => Err(params::no_method("logging/setLevel")),
        }
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let is_fixture = self.host.conformance.is_some() && conformance::find(&params.name).is_some();
        // A fixture tells of its progress itself.
        let progress = context.meta.get_progress_token().filter(|_| !is_fixture);
        if let Some(token) = &progress {
            let begun = ProgressNotificationParam::new(token.clone(), 0.0).with_total(1.0);
            drop(context.peer.notify_progress(begun).await);
        }
        let answered = tokio::select! {
            answered = trace::within(&context.meta, self.answer(params, &context)) => answered,
            () = context.ct.cancelled() => Err(cancelled()),
        };
        if let Some(token) = progress {
            let done = ProgressNotificationParam::new(token, 1.0).with_total(1.0);
            drop(context.peer.notify_progress(done).await);
        }
        answered
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut prompts = prompts(self.host.files.are_several());
        if self.host.conformance.is_some() {
            prompts.extend(conformance::prompts());
        }
        let (prompts, next_cursor) = page::of(prompts, request)?;
        Ok(ListPromptsResult { next_cursor, ..ListPromptsResult::with_all_items(prompts) })
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if let Some(asking) = &self.host.conformance
            && let Some(answer) = conformance::get_prompt(asking, &params)
        {
            return answer;
        }
        let caller = Caller::of(&context);
        let (shared, toolbox) = (self.conversation(&caller, None), self.toolbox(&caller));
        let arguments = params.arguments.unwrap_or_default();
        let prompt = self.host.prompt(&shared, &toolbox, &params.name, &arguments);
        Ok(trace::within(&context.meta, prompt).await?.into())
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::new(self.host.complete(&params).await?))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let is_first = cursor.is_none();
        let (mut resources, next_cursor) = self.host.resources(&Caller::of(&context), cursor).await?;
        if is_first && self.host.conformance.is_some() {
            resources.extend(conformance::resources());
        }
        Ok(ListResourcesResult { next_cursor, ..ListResourcesResult::with_all_items(resources) })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut templates = templates();
        if self.host.conformance.is_some() {
            templates.push(conformance::template());
        }
        let (templates, next_cursor) = page::of(templates, request)?;
        Ok(ListResourceTemplatesResult {
            next_cursor,
            ..ListResourceTemplatesResult::with_all_items(templates)
        })
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let fixture = self.host.conformance.as_ref().and_then(|_| conformance::read_resource(&params.uri));
        let contents = match fixture {
            Some(contents) => contents,
            None => {
                let shared = self.conversation(&Caller::of(&context), None);
                let read = async {
                    let contents = self.host.read(&params.uri).await?;
                    self.host.has_read_resource(&shared, &params.uri).await;
                    Ok::<_, ErrorData>(contents)
                };
                trace::within(&context.meta, read).await?
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::builder().resources_list_changed();
        if let Some(uris) = &requested.resource_subscriptions {
            let known = uris.iter().filter(|uri| CanvasUri::parse(uri).is_some()).take(SUBSCRIPTIONS);
            accepted = accepted.resource_subscriptions(known.clone().cloned());
            let canvases: BTreeSet<_> = known.filter_map(|uri| Some(CanvasUri::parse(uri)?.canvas)).collect();
            // The client is acknowledged after this, and is told of what happens from then on.
            let prepared = tokio::task::block_in_place(|| {
                let follow = canvases.iter().map(|canvas| self.host.follow.canvas(&self.host.engine, canvas));
                Handle::current().block_on(join_all(follow))
            });
            let mut waiting = self.line.prepared.lock().unwrap_or_else(PoisonError::into_inner);
            // Those of a subscription that was never acknowledged.
            if waiting.len() > SUBSCRIPTIONS {
                waiting.clear();
            }
            waiting.extend(prepared);
        }
        Some(accepted.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut tasks = JoinSet::new();
        let accepted = context.accepted();
        let mut canvases: HashMap<_, Vec<(CanvasUri, String)>> = HashMap::new();
        for uri in accepted.resource_subscriptions.iter().flatten() {
            if let Some(parsed) = CanvasUri::parse(uri) {
                canvases.entry(parsed.canvas.clone()).or_default().push((parsed, uri.clone()));
            }
        }
        for (canvas, uris) in canvases {
            let sink = context.sink().clone();
            let mut follower = match self.line.prepared(&canvas) {
                Some(follower) => follower,
                None => self.host.follow.canvas(&self.host.engine, &canvas).await,
            };
            tasks.spawn(async move {
                while let Some(change) = follower.next().await {
                    for (_, uri) in uris.iter().filter(|(parsed, _)| change.contains(parsed)) {
                        if sink.notify_resource_updated(uri).await.is_err() {
                            return;
                        }
                    }
                }
            });
        }
        if accepted.resources_list_changed == Some(true) {
            let (mut list, sink) = (self.host.follow.list(), context.sink().clone());
            tasks.spawn(async move {
                while !matches!(list.recv().await, Err(RecvError::Closed)) {
                    if sink.notify_resource_list_changed().await.is_err() {
                        return;
                    }
                }
            });
        }
        context.cancelled().await;
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.follow(params.uri, &context).await
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.line.unsubscribe(&params.uri);
        Ok(())
    }

    /// A method that is not the protocol's, or one whose parameters have not its shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let is_left_out = Caller::of(&context).is_modern && LEFT_OUT.contains(&&*request.method);
        Err(match is_left_out {
            true => params::no_method(&request.method),
            false => params::fault(&request.method, request.params.as_ref()),
        })
    }
}

/// Methods that 2026-07-28 leaves out.
const LEFT_OUT: [&str; 4] = ["initialize", "ping", "resources/subscribe", "resources/unsubscribe"];
