import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A repository at its one commit. */
export interface Repository {
  commit: string;
  /** `large`: kept by its SHA-256 on another server, as Git LFS keeps it. */
  files: Record<string, { bytes: Buffer; large: boolean }>;
  /** Readable with this token alone. */
  token?: string;
  /** There are conditions that nobody has agreed to. */
  gated?: boolean;
}

export type Misbehaviour = (request: IncomingMessage, response: ServerResponse, bytes: Buffer) => unknown;

/**
 * A model hub on the loopback interface: the routes of huggingface.co that a download takes, with their redirects,
 * headers and error codes, and a second server with the large files.
 */
export interface Hub {
  url: string;
  /** `<path>[ <range>][ with <authorization>]` of every request, by the server that got it. */
  requests: { hub: string[]; storage: string[] };
  /** Takes the place of what the storage, or the hub, would answer. */
  misbehave: { storage: Misbehaviour | null; hub: Misbehaviour | null };
  close(): void;
}

const PAGE = 2;

export async function startHub(repositories: Record<string, Repository>): Promise<Hub> {
  const asked: Hub['requests'] = { hub: [], storage: [] };
  const misbehave: Hub['misbehave'] = { storage: null, hub: null };
  const storage = await listen((request, response) => {
    asked.storage.push(noteOf(request));
    const sha256 = new URL(request.url ?? '', 'http://storage').pathname.slice('/large/'.length);
    const file = Object.values(repositories)
      .flatMap(({ files }) => Object.values(files))
      .find(({ bytes }) => hexOf('sha256', bytes) === sha256);
    if (file === undefined) return response.writeHead(403).end('no such key');
    return (misbehave.storage ?? answerRange)(request, response, file.bytes);
  });
  const hub = await listen((request, response) => {
    asked.hub.push(noteOf(request));
    if (misbehave.hub) return misbehave.hub(request, response, Buffer.alloc(0));
    return answer(repositories, storage.url, request, response);
  });
  const servers = [storage.server, hub.server];
  return {
    url: hub.url,
    requests: asked,
    misbehave,
    close: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

function answer(
  repositories: Record<string, Repository>,
  storage: string,
  request: IncomingMessage,
  response: ServerResponse,
): ServerResponse {
  const { pathname, searchParams } = new URL(request.url ?? '', `http://${request.headers.host}`);
  const path = decodeURIComponent(pathname);
  const [, api, resolved, cached] = [
    null,
    /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)$/.exec(path),
    /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(path),
    /^\/api\/resolve-cache\/models\/([^/]+\/[^/]+)\/([^/]+)\/(.+)$/.exec(path),
  ];
  const name = (api ?? resolved ?? cached)?.[1] ?? '';
  const repository = repositories[name];
  const { authorization } = request.headers;
  const allowed = repository?.token === undefined || authorization === `Bearer ${repository.token}`;
  if (repository === undefined || !allowed) {
    // Whoever says who he is learns more.
    const status = authorization === undefined ? 401 : 404;
    return refuse(response, status, status === 404 ? 'RepoNotFound' : null, 'Invalid username or password.');
  }
  const revision = api?.[3] ?? resolved?.[2] ?? cached?.[2] ?? '';
  if (revision !== 'main' && revision !== repository.commit) {
    return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  }
  const headers = { 'x-repo-commit': repository.commit };
  if (api?.[2] === 'revision') return json(response, { id: name, sha: repository.commit, siblings: [] });
  if (api) return listTree(repository, request, response, Number(searchParams.get('cursor') ?? 0));
  if (repository.gated) return refuse(response, 403, 'GatedRepo', `Access to model ${name} is restricted.`);
  const file = repository.files[(resolved ?? cached)?.[3] ?? ''];
  if (file === undefined) return refuse(response, 404, 'EntryNotFound', 'Entry not found');
  if (cached) return answerRange(request, response, file.bytes);
  if (!file.large) {
    const location = `/api/resolve-cache/models/${name}/${repository.commit}/${resolved?.[3]}`;
    return response.writeHead(307, { ...headers, location }).end();
  }
  const sha256 = hexOf('sha256', file.bytes);
  const linked = { 'x-linked-size': file.bytes.length, 'x-linked-etag': `"${sha256}"` };
  const location = `${storage}/large/${sha256}?X-Amz-Signature=abc`;
  return response.writeHead(302, { ...headers, ...linked, location }).end();
}

function listTree(
  { files }: Repository,
  request: IncomingMessage,
  response: ServerResponse,
  start: number,
): ServerResponse {
  const all = [
    { type: 'directory', oid: '0'.repeat(40), size: 0, path: 'onnx' },
    ...Object.entries(files).map(([path, { bytes, large }]) => {
      const lfs = { oid: hexOf('sha256', bytes), size: bytes.length, pointerSize: 134 };
      const pointer = Buffer.from(
        `version https://git-lfs.github.com/spec/v1\noid sha256:${lfs.oid}\nsize ${lfs.size}\n`,
      );
      return {
        type: 'file',
        oid: gitBlob(large ? pointer : bytes),
        size: bytes.length,
        path,
        ...(large && { lfs }),
      };
    }),
  ];
  const next = new URL(request.url ?? '', `http://${request.headers.host}`);
  next.searchParams.set('cursor', String(start + PAGE));
  const more = start + PAGE < all.length;
  return json(response, all.slice(start, start + PAGE), more ? { link: `<${next.href}>; rel="next"` } : {});
}

function json(
  response: ServerResponse,
  value: unknown,
  headers: Record<string, string> = {},
): ServerResponse {
  return response
    .writeHead(200, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(value));
}

function refuse(
  response: ServerResponse,
  status: number,
  code: string | null,
  message: string,
): ServerResponse {
  response.writeHead(status, { 'x-error-message': message, ...(code && { 'x-error-code': code }) });
  return response.end(JSON.stringify({ error: message }));
}

export function answerRange(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Buffer,
): ServerResponse {
  const start = rangeStart(request);
  writeRangeHead(response, start, bytes);
  return response.end(bytes.subarray(start));
}

export function writeRangeHead(response: ServerResponse, start: number, bytes: Buffer): void {
  const length = { 'content-length': bytes.length - start };
  if (start === 0) response.writeHead(200, length);
  else {
    const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(206, { ...length, 'content-range': range });
  }
}

/** The cut comes a moment after the bytes, which a reset would otherwise take along. */
export function sendAndCut(response: ServerResponse, bytes: Buffer): void {
  response.write(bytes, () => setTimeout(() => response.destroy(), 20));
}

export function rangeStart({ headers }: IncomingMessage): number {
  return Number(headers.range?.match(/^bytes=(\d+)-$/)?.[1] ?? 0);
}

function noteOf({ url, headers }: IncomingMessage): string {
  const { range, authorization } = headers;
  return [url, range, authorization && `with ${authorization}`].filter(Boolean).join(' ');
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<{ server: Server; url: string }> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function gitBlob(bytes: Buffer): string {
  return hexOf('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
}

export function hexOf(algorithm: 'sha1' | 'sha256', bytes: Buffer): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
