import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BUNDLE, MANIFEST_HEADER, MANIFEST_SIZE_HEADER } from '@bindery/contract';
import { onTestFinished } from 'vitest';
import { type Client, createClient } from '../../src/index.ts';

export type Contents = Record<string, string | Buffer>;

/** Answers a request for the bytes of an object; `send` is the honest answer. */
export type Misbehaviour = (exchange: {
  request: IncomingMessage;
  response: ServerResponse;
  bytes: Buffer;
  send(): void;
}) => void;

/**
 * A service with one library, `acme/arms`, that serves what it is told to, right or wrong. Each asset is a top-level
 * folder. What it once served under an address it serves for good, as the real one does for a time.
 */
export class FakeService {
  url = '';
  revision = 1;
  /** Requests by the last part of their path. */
  readonly counts: Record<string, number> = {};
  /** Bytes of JSON that it has sent. */
  sent = 0;
  /** `Range` headers of requests for objects, null where there was none. */
  readonly ranges: (string | null)[] = [];
  /** Set to answer requests for objects otherwise. */
  misbehave: Misbehaviour | null = null;
  /** Where objects are served: below `/storage` clients may ask for bundles. */
  objectsPath = '/objects';
  /** Set to answer requests for bundles otherwise; `bytes` are the honest answer. */
  misbehaveInBundles: Misbehaviour | null = null;
  /** Called before an answer to a request that ends so. */
  readonly before = new Map<string, () => void>();
  /** Returns what the answer to a request for so many presigned URLs waits for. */
  delayPresign: (paths: number) => Promise<void> | undefined = () => undefined;
  /** Whether it knows only whole manifests. */
  isOlder = false;
  /** Changes the manifest before it is sent. */
  distort: (manifest: Record<string, unknown>) => unknown = (manifest) => manifest;
  /** Changes the detail of an asset before it is sent. */
  distortAsset: (detail: Record<string, unknown>) => unknown = (detail) => detail;
  readonly #objects = new Map<string, Buffer>();
  #contents: Map<string, Buffer>;

  constructor(contents: Contents) {
    this.#contents = this.#store(contents);
  }

  /** Publishes the next revision. */
  publish(contents: Contents): void {
    this.#contents = this.#store(contents);
    this.revision++;
  }

  resetCounts(): void {
    for (const name of Object.keys(this.counts)) delete this.counts[name];
    this.ranges.length = 0;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const end = response.end.bind(response);
    response.end = ((body?: string | Buffer) => {
      if (typeof body === 'string') this.sent += Buffer.byteLength(body);
      return end(body);
    }) as typeof response.end;
    const { pathname } = new URL(request.url ?? '', this.url);
    const last = pathname.split('/').at(-1) ?? '';
    const name = pathname.startsWith(`${this.objectsPath}/`) ? 'objects' : last;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    this.before.get(name)?.();
    if (name === 'objects') this.#answerObject(request, response, last);
    else if (pathname === BUNDLE.path) this.#answerBundle(request, response);
    else if (name === 'manifest') json(response, this.distort(this.#manifest()));
    else if (name === 'files-presign') this.#answerPresign(request, response);
    else if (name === 'changes') json(response, { error: 'not_found' }, 404);
    else if (pathname.includes('/assets/')) this.#answerAsset(response, last);
    else {
      const manifest = JSON.stringify(this.distort(this.#manifest()));
      response.setHeader(MANIFEST_HEADER, hash('sha256', manifest));
      if (!this.isOlder) response.setHeader(MANIFEST_SIZE_HEADER, Buffer.byteLength(manifest));
      json(response, {
        namespace: 'acme',
        name: 'arms',
        revision: this.revision,
        createdAt: '2026-01-01T00:00:00.000Z',
      });
    }
  }

  #store(contents: Contents): Map<string, Buffer> {
    const stored = new Map(Object.entries(contents).map(([path, content]) => [path, Buffer.from(content)]));
    for (const bytes of stored.values()) this.#objects.set(hash('sha256', bytes), bytes);
    return stored;
  }

  #files() {
    return [...this.#contents].map(([path, bytes]) => ({
      path,
      size: bytes.length,
      sha256: hash('sha256', bytes),
    }));
  }

  #manifest(): Record<string, unknown> {
    const folders = Map.groupBy(this.#files(), ({ path }) => path.split('/')[0] ?? '');
    return { schema: 'bindery.assets/v1', assets: [...folders].map(([id, files]) => ({ id, files })) };
  }

  #answerAsset(response: ServerResponse, id: string): void {
    const manifest = this.distort(this.#manifest());
    const found = (manifest as { assets: { id: string }[] }).assets.find((asset) => asset.id === id);
    if (!this.isOlder) response.setHeader(MANIFEST_HEADER, hash('sha256', JSON.stringify(manifest)));
    const rest = { title: null, tags: [], kind: 'file', license: null, entryPoints: {}, meta: {} };
    if (found === undefined) json(response, { error: 'asset_not_found' }, 404);
    else json(response, this.distortAsset({ ...rest, ...found }));
  }

  #answerBundle(request: IncomingMessage, response: ServerResponse): void {
    readBody(request, (text) => {
      const hashes = text.split('\n').map((address) => address.split('/').at(-1) ?? '');
      const bytes = Buffer.concat(hashes.map((sha256) => frame(this.#objects.get(sha256))));
      const send = () => response.writeHead(200).end(bytes);
      if (this.misbehaveInBundles) this.misbehaveInBundles({ request, response, bytes, send });
      else send();
    });
  }

  #answerPresign(request: IncomingMessage, response: ServerResponse): void {
    readBody(request, async (text) => {
      const { paths } = JSON.parse(text) as { paths: string[] };
      await this.delayPresign(paths.length);
      const files = this.#files();
      const asked = paths.map((path) => files.find((file) => file.path === path));
      const missing = asked.indexOf(undefined);
      if (missing >= 0) return json(response, { error: 'unknown_path', path: paths[missing] }, 400);
      const signed = asked.map((file) => ({
        ...file,
        url: `${this.url}${this.objectsPath}/${file?.sha256}`,
      }));
      json(response, { ttlSeconds: 3_600, files: signed });
    });
  }

  #answerObject(request: IncomingMessage, response: ServerResponse, sha256: string): void {
    const bytes = this.#objects.get(sha256) ?? Buffer.alloc(0);
    const range = request.headers.range ?? null;
    this.ranges.push(range);
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const rest = bytes.subarray(start);
    const send = () => {
      const headers = {
        'content-length': rest.length,
        'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}`,
      };
      response.writeHead(range === null ? 200 : 206, headers).end(rest);
    };
    if (this.misbehave) this.misbehave({ request, response, bytes: rest, send });
    else send();
  }
}

export const ARMS = { namespace: 'acme', name: 'arms' };

/** Starts a stand-in on a loopback port, with a client of it; both end with the test. */
export async function startFakeService(
  contents: Contents,
): Promise<{ service: FakeService; client: Client }> {
  const service = new FakeService(contents);
  const server = createServer((request, response) => service.answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({
    baseUrl: service.url,
    retry: { attempts: 2, pause: 1, maxPause: 1_000 },
  });
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { service, client };
}

/** Sends the head and so many bytes of the body, then cuts the connection. */
export function cutAfter(count: number): Misbehaviour {
  return ({ request, response, bytes }) => {
    response.writeHead(request.headers.range ? 206 : 200, {
      'content-length': bytes.length,
      'content-range': `bytes ${/\d+/.exec(request.headers.range ?? '0')?.[0]}-/*`,
    });
    response.write(bytes.subarray(0, count), () => response.socket?.destroySoon());
  };
}

/** A frame of a bundle; without content, that of a missing object. */
export function frame(content: Buffer | undefined): Buffer {
  const head = Buffer.alloc(BUNDLE.headBytes);
  head.writeUInt32BE(content === undefined ? 404 : 200, 0);
  head.writeUInt32BE(content?.length ?? 0, 4);
  return Buffer.concat([head, content ?? Buffer.alloc(0)]);
}

function readBody(request: IncomingMessage, done: (text: string) => void): void {
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => done(text));
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
