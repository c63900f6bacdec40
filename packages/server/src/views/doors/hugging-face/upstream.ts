import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { missingAtDoor } from '../../../doors/revision.ts';
import type { UpstreamFile, UpstreamRepository } from '../../../doors/upstream.ts';
import { ServiceError } from '../../../errors.ts';
import { nextTurn, turnIsOver } from '../../../process/turns.ts';
import { sendItems, sendList } from '../../rest/send-list.ts';
import { beginTransfer, type Exchange } from '../viewer.ts';

/** Describes a repository that another server has, with its files. */
export function sendUpstreamInfo(
  reply: FastifyReply,
  { kind, owner, name, commit, license, files }: UpstreamRepository,
  withBlobs: boolean,
): Promise<FastifyReply> {
  const id = `${owner}/${name}`;
  const about = {
    ...{
      _id: commit.slice(0, 24),
      id,
      ...(kind === 'models' && { modelId: id }),
      author: owner,
      sha: commit,
    },
    ...{ private: false, gated: false, disabled: false, downloads: 0, likes: 0, tags: [] },
    cardData: license === null ? {} : { license },
  };
  const siblings = files.values().map(({ path, ...file }) => ({
    rfilename: path,
    ...(withBlobs && { size: file.size, blobId: file.digest.hex.slice(0, 40), ...lfsOf({ path, ...file }) }),
  }));
  return sendList(reply, about, 'siblings', files.size, siblings);
}

/** Returns what is directly in a folder, or all below it, in the order of the list. Throws `not_found`. */
export async function upstreamEntries(
  { files, commit }: UpstreamRepository,
  folder: string | null,
  isRecursive: boolean,
): Promise<object[]> {
  if (folder === null) throw missingAtDoor('path', 'There is no such folder.');
  const prefix = folder === '' ? '' : `${folder.replace(/\/$/, '')}/`;
  const entries = new Map<string, object>();
  for (const file of files.values()) {
    if (turnIsOver()) await nextTurn();
    if (!file.path.startsWith(prefix)) continue;
    for (let end = file.path.indexOf('/', prefix.length); end !== -1; end = file.path.indexOf('/', end + 1)) {
      const path = file.path.slice(0, end);
      if (!entries.has(path)) entries.set(path, { type: 'directory', oid: commit, size: 0, path });
      if (!isRecursive) break;
    }
    if (isRecursive || !file.path.includes('/', prefix.length))
      entries.set(file.path, describeUpstreamFile(file));
  }
  if (entries.size === 0 && prefix !== '') throw missingAtDoor('path', 'There is no such folder.');
  return [...entries.values()];
}

export function sendUpstreamPaths(
  reply: FastifyReply,
  { files }: UpstreamRepository,
  paths: readonly string[],
): Promise<FastifyReply> {
  const found = paths.flatMap((path) => files.get(path) ?? []);
  return sendItems(reply, found.length, found.map(describeUpstreamFile));
}

function describeUpstreamFile(file: UpstreamFile) {
  const { path, size, digest } = file;
  return { type: 'file', oid: digest.hex.slice(0, 40), size, path, ...lfsOf(file) };
}

function lfsOf({ size, digest }: UpstreamFile) {
  return digest.algorithm === 'git'
    ? {}
    : { lfs: { oid: digest.hex, sha256: digest.hex, size, pointerSize: 134 } };
}

/** Sends a file, which is fetched, verified and kept if it is not there yet. */
export async function sendUpstreamFile(
  exchange: Exchange,
  repository: UpstreamRepository,
  path: string | null,
): Promise<FastifyReply> {
  const { context, request, reply } = exchange;
  const { upstream } = context;
  reply.header('x-repo-commit', repository.commit);
  const file = repository.files.get(path ?? '');
  if (file === undefined || upstream === null) throw missingAtDoor('path', 'The revision has no such file.');
  const { size, digest } = file;
  const range = rangeOf(request.headers.range, size);
  beginTransfer(exchange);
  reply.headers({
    ...{ etag: `"${digest.hex}"`, 'x-linked-etag': `"${digest.hex}"`, 'x-linked-size': size },
    ...{ 'accept-ranges': 'bytes', 'content-type': 'application/octet-stream' },
    ...{
      'content-length': range.to - range.from,
      'cache-control': 'private, no-cache',
      vary: 'authorization',
    },
    'content-security-policy': "sandbox; default-src 'none'",
  });
  if (range.isPart) {
    reply.status(206).header('content-range', `bytes ${range.from}-${range.to - 1}/${size}`);
  } else if (size === 0) reply.header('content-range', 'bytes */0');
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const leaving = new AbortController();
  reply.raw.on('close', () => leaving.abort());
  // A failure before the first byte gets an answer of its own.
  const bytes = upstream.read(repository, file, range, leaving.signal)[Symbol.asyncIterator]();
  const first = await bytes.next();
  return reply.send(Readable.from(rest(first, bytes), { objectMode: false }));
}

async function* rest(first: IteratorResult<Uint8Array>, bytes: AsyncIterator<Uint8Array>) {
  try {
    for (let next = first; !next.done; next = await bytes.next()) yield next.value;
  } finally {
    await bytes.return?.();
  }
}

/** The bytes that a client asks for: one range, or everything. Throws `range_not_satisfiable`. */
function rangeOf(header: string | undefined, size: number): { from: number; to: number; isPart: boolean } {
  const [, first, last = ''] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined) return { from: 0, to: size, isPart: false };
  const from = Number(first);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  if (from < to) return { from, to, isPart: true };
  throw new ServiceError('range_not_satisfiable', `The file has ${size} bytes.`);
}
