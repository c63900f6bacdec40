import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallToolResult, Client, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { PATIENCE_MS } from '../../server/test/pages/browser.ts';

export interface Csp {
  connectDomains?: string[];
  resourceDomains?: string[];
}

/** The policy of hosts like the one that comes with the protocol's package. */
export function usualPolicy({ connectDomains = [], resourceDomains = [] }: Csp): string {
  const resources = resourceDomains.join(' ');
  return [
    "default-src 'self' 'unsafe-inline'",
    `script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data: ${resources}`,
    `style-src 'self' 'unsafe-inline' blob: data: ${resources}`,
    `img-src 'self' blob: data: ${resources}`,
    `connect-src 'self' ${connectDomains.join(' ')}`,
    `worker-src 'self' blob: ${resources}`,
    "frame-src 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** The least that the protocol asks of hosts. */
export function strictPolicy({ connectDomains = [], resourceDomains = [] }: Csp): string {
  const resources = resourceDomains.join(' ');
  return [
    "default-src 'none'",
    `script-src 'self' 'unsafe-inline' ${resources}`,
    `style-src 'self' 'unsafe-inline' ${resources}`,
    `img-src 'self' data: ${resources}`,
    `connect-src 'self' ${connectDomains.join(' ')}`,
    "frame-src 'none'",
    "object-src 'none'",
  ].join('; ');
}

/** Returns what tools say to hosts, by their names. */
export async function toolMetas(
  client: Client,
): Promise<Map<string, { resourceUri?: string; visibility: string[] }>> {
  const { tools } = await client.listTools();
  return new Map(
    tools.map(({ name, _meta }) => [name, _meta?.ui as { resourceUri?: string; visibility: string[] }]),
  );
}

/** What a host of agents shows beside an answer of a tool: the document of the tool, in a frame with an origin of its own. */
export class AgentHost {
  readonly page: Page;
  /** Every message to and from the frame, as text. */
  readonly messages: string[] = [];
  /** What the frame asked to open in a browser. */
  readonly opened: string[] = [];
  readonly #bridge: AppBridge;
  readonly #server: Server;

  private constructor(page: Page, bridge: AppBridge, server: Server) {
    this.page = page;
    this.#bridge = bridge;
    this.#server = server;
  }

  /** Calls a tool for its model, and shows the answer as its tool says. */
  static async show(
    browser: Browser,
    client: Client,
    call: { name: string; arguments: Record<string, unknown> },
    options: { policy(csp: Csp): string; theme?: 'light' | 'dark'; width?: number },
  ): Promise<AgentHost> {
    const { policy, theme = 'light', width = 720 } = options;
    const { resourceUri: uri = '' } = (await toolMetas(client)).get(call.name) ?? {};
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    if (content === undefined || !('text' in content)) throw new Error(`${uri} is empty`);
    const { csp = {} } = (content._meta?.ui ?? {}) as { csp?: Csp };
    const answer = (await client.callTool(call)) as CallToolResult;

    const server = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (url === '/app') response.setHeader('content-security-policy', policy(csp));
      response.end(url === '/app' ? content.text : HOST_PAGE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const context = await browser.newContext({ viewport: { width, height: 560 }, colorScheme: theme });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const bridge = new AppBridge(
      client,
      { name: 'host', version: '1' },
      { openLinks: {}, serverTools: {}, serverResources: {} },
      { hostContext: { theme } },
    );
    const host = new AgentHost(page, bridge, server);
    bridge.onopenlink = async ({ url }) => {
      host.opened.push(url);
      return {};
    };
    const initialized = new Promise<void>((resolve) => {
      bridge.oninitialized = () => resolve();
    });
    const transport = new PageTransport(page, host.messages);
    await page.exposeFunction('fromFrame', (message: JSONRPCMessage) => transport.receive(message));
    await page.goto(`http://127.0.0.1:${port}/`);
    await bridge.connect(transport);
    // Another origin than the page's: sandboxes of hosts have their own.
    await page.locator('iframe').evaluate((frame, source) => {
      frame.setAttribute('src', source);
    }, `http://localhost:${port}/app`);
    await initialized;
    await bridge.sendToolInput({ arguments: call.arguments });
    await bridge.sendToolResult(answer);
    return host;
  }

  get app(): FrameLocator {
    return this.page.frameLocator('iframe');
  }

  setTheme(theme: 'light' | 'dark'): void {
    this.#bridge.setHostContext({ theme });
  }

  async close(): Promise<void> {
    await this.page.context().close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Carries the messages between the bridge, which is in this process, and the frame in the page. */
class PageTransport implements Transport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined;
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  readonly #page: Page;
  readonly #log: string[];

  constructor(page: Page, log: string[]) {
    this.#page = page;
    this.#log = log;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  receive(message: JSONRPCMessage): void {
    this.#log.push(JSON.stringify(message));
    this.onmessage?.(message);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#log.push(JSON.stringify(message));
    await this.#page.locator('iframe').evaluate((frame, value) => {
      (frame as HTMLIFrameElement).contentWindow?.postMessage(value, '*');
    }, message);
  }
}

const HOST_PAGE = `<!doctype html><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
<meta name="color-scheme" content="light dark">
<style>body{margin:0}iframe{border:0;width:100%;height:550px;display:block}</style>
<iframe sandbox="allow-scripts allow-same-origin"></iframe>
<script>
const frame = document.querySelector('iframe');
addEventListener('message', ({ source, data }) => { if (source === frame.contentWindow) fromFrame(data); });
</script>`;
