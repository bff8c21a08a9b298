// The page that plays the host: AppBridge around a frame, its MCP client at the server. Bundled for the browser.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const MIME = "text/html;profile=mcp-app";
let frame = null;
const host = { messages: [], contexts: [], links: [], client: null, bridge: null };
window.host = host;

window.addEventListener("message", ({ source, data }) => {
  if (source === frame?.contentWindow) host.messages.push({ from: "view", data });
});

// Keeps what the host says, for the judge of messages.
class Recorded extends PostMessageTransport {
  send(message, options) {
    host.messages.push({ from: "host", data: structuredClone(message) });
    return super.send(message, options);
  }
}

host.connect = async (path) => {
  host.client = new Client(
    { name: "app-check", version: "1.0.0" },
    { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME] } } } },
  );
  await host.client.connect(new StreamableHTTPClientTransport(new URL(path, location.href)));
};
host.page = async (name) => (await host.client.readResource({ uri: `ui://canvas/${name}` })).contents[0];
host.tools = async () => (await host.client.listTools()).tools;
host.model = (name, args = {}) => host.client.callTool({ name, arguments: args });

// `answers` are given in place of the server's: results by the name of a tool, or null for a refusal of the host.
host.open = async (url, { capabilities, context, answers }) => {
  host.contexts.length = host.links.length = 0;
  await host.bridge?.close();
  const bridge = new AppBridge(answers ? null : host.client, { name: "app-check", version: "1.0.0" }, capabilities, {
    hostContext: context,
  });
  host.bridge = bridge;
  const ready = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  bridge.onsizechange = ({ height }) => {
    if (height) frame.style.height = `${height}px`;
  };
  bridge.onupdatemodelcontext = async (params) => {
    host.contexts.push(params);
    return {};
  };
  bridge.onopenlink = async ({ url: link }) => {
    host.links.push(link);
    return {};
  };
  if (answers) {
    bridge.oncalltool = async ({ name }) => {
      if (!answers[name]) throw new Error(`The host refuses ${name}.`);
      return answers[name];
    };
  }
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  // A frame of its own, and listening before it speaks.
  frame?.remove();
  frame = document.createElement("iframe");
  frame.title = "View";
  frame.sandbox = "allow-scripts";
  document.body.append(frame);
  await bridge.connect(new Recorded(frame.contentWindow, frame.contentWindow));
  frame.src = url;
  await ready;
};
