import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { viewerPolicy } from '../../../server/src/views/dashboard.ts';
import { browserPath, PATIENCE_MS } from '../../../server/test/pages/browser.ts';
import { dashboardFolder } from '../../src/folder.ts';
import type { ViewerAsset, ViewerState } from '../../src/viewer-protocol.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** Starts Chromium as in continuous integration: without a GPU. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath ?? undefined,
    timeout: PATIENCE_MS,
    args: [
      '--no-sandbox',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
    ],
  });
}

/** A page that embeds the built frame as the dashboard does, with files to show in it. */
export interface ViewerHost {
  readonly url: string;
  /** The requests that the server received, by path. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

/**
 * Serves the frame of `built` under the service's own policy, and the page that opens assets in it. If `data` is given,
 * it also serves the assets in its folders.
 */
export async function startHost(built: string, data?: string): Promise<ViewerHost> {
  const requests: string[] = [];
  const { policy } = JSON.parse(await readFile(join(built, 'viewer-policy.json'), 'utf8')) as {
    policy: string;
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://host').pathname);
    requests.push(path);
    const headers: Record<string, string> = {
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': path.startsWith('/app/assets/') ? 'public, max-age=31536000, immutable' : 'no-store',
    };
    if (path === '/app/viewer.html') headers['content-security-policy'] = viewerPolicy(policy);
    try {
      const body = await contentOf(path, built, data);
      response.writeHead(200, headers).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/host.html`,
    requests,
    close: () => closeServer(server),
  };
}

async function contentOf(path: string, built: string, data?: string): Promise<string | Buffer> {
  if (path.includes('..')) throw new Error('no such path');
  if (data !== undefined && path.startsWith('/files/')) return readFile(join(data, path.slice(7)));
  if (path === '/host.html') return HOST_PAGE;
  if (path.startsWith('/src/'))
    return stripTypeScriptTypes(await readFile(join(SOURCES, path.slice(5)), 'utf8'));
  if (path.startsWith('/app/')) return readFile(join(built, path.slice(5)));
  throw new Error('no such path');
}

export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

const HOST_PAGE = `<!doctype html><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,">
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block;overflow:hidden}</style>
<script type="module">
import { openViewer } from '/src/open-viewer.ts';
const code = await (await fetch('/app/viewer-code.json')).json();
globalThis.openViewer = openViewer;
let frame, viewer;
const base64Of = async (blob) => {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
};
globalThis.openAsset = (asset, options) => {
  viewer?.close();
  frame?.remove();
  frame = document.createElement('iframe');
  frame.title = 'Viewer';
  document.body.append(frame);
  const states = (globalThis.states = []);
  globalThis.pictures = [];
  globalThis.filesWanted = 0;
  const started = performance.now();
  return new Promise((resolve) => {
    viewer = openViewer(frame, asset, async (path) => {
      if (options.folder) return (await fetch('/files/' + encodeURIComponent(options.folder + '/' + path))).arrayBuffer();
      const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(await readAsset(path)) : Uint8Array.from(atob(await readAsset(path)), (c) => c.charCodeAt(0));
      return bytes.buffer;
    }, {
      theme: 'light', code, ...options,
      onState: (state) => { states.push(state); if (state.status !== 'loading') resolve({ ...state, milliseconds: performance.now() - started }); },
      onView: (view) => { globalThis.view = view; },
      onPicture: async (blob) => pictures.push(await base64Of(blob)),
      onShowFiles: () => { filesWanted++; },
    });
    globalThis.viewer = viewer;
  });
};
globalThis.ready = true;
</script>`;

/** The outcome of opening an asset, and how long it took. */
export type Opened = Exclude<ViewerState, { status: 'loading' }> & { readonly milliseconds: number };

export interface OpenOptions {
  readonly theme?: 'light' | 'dark';
  readonly loadAnyway?: boolean;
  /** A view that the frame has sent before. */
  readonly view?: string;
  /** The folder of the files below the host's data, if they are fetched by URL. */
  readonly folder?: string;
}

/** A tab on the host's page. Opens assets whose files are read by `read`. */
export class ViewerTab {
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions. */
  readonly complaints: string[] = [];
  #read: (path: string) => Promise<Uint8Array> = () => Promise.reject(new Error('no asset'));
  #leave = async () => {};

  /** Opens a tab in a new Chromium on a new host, for the tests of a file. */
  static async launch(width?: number, height?: number): Promise<ViewerTab> {
    const built = await dashboardFolder();
    if (built === null) throw new Error('the dashboard cannot be built');
    const host = await startHost(built);
    const browser = await startChromium();
    const tab = await ViewerTab.open(browser, host, width, height);
    tab.#leave = async () => {
      await browser.close();
      await host.close();
    };
    return tab;
  }

  static async open(browser: Browser, host: ViewerHost, width = 960, height = 640): Promise<ViewerTab> {
    const page = await browser.newPage({ viewport: { width, height } });
    page.setDefaultTimeout(PATIENCE_MS);
    const tab = new ViewerTab(page);
    await page.exposeFunction('readAsset', async (path: string) =>
      Buffer.from(await tab.#read(path)).toString('base64'),
    );
    await page.goto(host.url);
    await page.waitForFunction('globalThis.ready');
    return tab;
  }

  private constructor(page: Page) {
    this.page = page;
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !isDriverNote(message.text()))
        this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
  }

  /** Closes what `launch` started. */
  close(): Promise<void> {
    return this.#leave();
  }

  open(
    asset: ViewerAsset,
    read: (path: string) => Promise<Uint8Array>,
    options: OpenOptions = {},
  ): Promise<Opened> {
    this.#read = read;
    return this.page.evaluate(
      ([asset, options]) =>
        (globalThis as unknown as { openAsset(asset: unknown, options: unknown): Promise<Opened> }).openAsset(
          asset,
          options,
        ),
      [asset, options] as const,
    );
  }

  /** Opens an asset in a folder below the host's data. */
  openFolder(asset: ViewerAsset, folder: string): Promise<Opened> {
    return this.open(asset, this.#read, { folder });
  }

  /** Opens an asset whose files are in memory. */
  openFiles(
    kind: string,
    entry: string,
    files: Readonly<Record<string, string | Uint8Array>>,
    options: OpenOptions = {},
  ): Promise<Opened> {
    const bytes = new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
      ]),
    );
    const sizes = [...bytes].map(([path, { byteLength }]) => ({ path, size: byteLength }));
    return this.open(
      { kind, entry, files: sizes },
      async (path) => bytes.get(path) ?? new Uint8Array(),
      options,
    );
  }

  /** Returns a PNG of the view, as the page receives it from the frame. */
  async takePicture(): Promise<Buffer> {
    await this.page.evaluate('globalThis.viewer.takePicture()');
    await this.page.waitForFunction('pictures.length > 0');
    return Buffer.from(await this.page.evaluate<string>('pictures.pop()'), 'base64');
  }

  /** Returns the view that is shown, as the frame sends it for a link. */
  async copyView(): Promise<string> {
    await this.page.evaluate('globalThis.view = undefined');
    await this.frame.getByRole('button', { name: 'Copy link to this view' }).click();
    await this.page.waitForFunction('globalThis.view !== undefined');
    return this.page.evaluate<string>('globalThis.view');
  }

  /** Opens the controls, if they are folded. */
  async unfold(): Promise<void> {
    const fold = this.frame.getByRole('button', { name: 'Controls' });
    if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
  }

  /** The frame's document. */
  get frame() {
    return this.page.frameLocator('iframe');
  }
}

/** Whether a console message comes from the software renderer. */
function isDriverNote(text: string): boolean {
  return /GL Driver Message|GPU stall due to ReadPixels/.test(text);
}
