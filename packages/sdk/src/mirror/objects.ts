import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, parseApiError } from '../client/errors.ts';
import { toClientError } from '../client/responses.ts';
import { isSlow, keptMinimumRate, MAX_SLOW, type RetryPolicy, retryable, sleep } from '../client/retry.ts';
import type { Transport, TransportResponse } from '../client/transport.ts';
import { IntegrityError, MirrorError } from '../failures.ts';

/** An object as a trusted source names it: a manifest, a lock, the service. */
export interface ContentId {
  /** 64 lowercase hexadecimal digits. */
  sha256: string;
  /** Bytes. */
  size: number;
}

/**
 * Yields the pieces while it verifies their size and hash. The last piece is yielded only after everything is verified,
 * so that whoever gets all of them has the right bytes. `origin` names the source in messages. Throws `IntegrityError`,
 * after `size` bytes at the latest.
 */
export async function* verifyContent(
  { sha256, size }: ContentId,
  pieces: AsyncIterable<Uint8Array>,
  origin: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const digest = createHash('sha256');
  let received = 0;
  let held: Uint8Array | null = null;
  for await (const piece of pieces) {
    received += piece.length;
    if (received > size) throw contentMismatchError(origin, sha256, `more than its ${size} bytes`);
    digest.update(piece);
    if (held !== null) yield held;
    held = piece;
  }
  if (received < size) throw contentMismatchError(origin, sha256, `${received} of its ${size} bytes`);
  if (digest.digest('hex') !== sha256) throw contentMismatchError(origin, sha256, 'other bytes');
  if (held !== null) yield held;
}

function contentMismatchError(origin: string, sha256: string, instead: string): IntegrityError {
  return new IntegrityError(`${origin} has ${instead} in place of the object ${sha256}; it was discarded.`);
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Returns an object's path in a mirror. Throws a `TypeError` for anything but a SHA-256: it could lead elsewhere. */
export function objectPath(sha256: string): string {
  if (!SHA256.test(sha256)) throw new TypeError('A SHA-256 is 64 lowercase hexadecimal digits.');
  return `objects/${sha256.slice(0, 2)}/${sha256}`;
}

const PIECE = 512 * 1024;
/** Opening a pipe does not wait for a writer. */
const OPEN_FILE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads a file of a folder without verifying it. Throws `MirrorError` if it is not a file that can be read. */
export async function* readFolderFile(
  folder: string,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await openFile(folder, path);
  try {
    if (!(await file.stat()).isFile()) throw new MirrorError(folder, `has no file at ${path}`);
    for (;;) {
      signal?.throwIfAborted();
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(PIECE) });
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function openFile(folder: string, path: string): Promise<FileHandle> {
  try {
    return await open(join(folder, path), OPEN_FILE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') throw new MirrorError(folder, `has no ${path}`);
    throw new MirrorError(folder, `cannot be read (${code ?? String(error)})`);
  }
}

export interface HttpMirror {
  /** Without a trailing slash. */
  url: string;
  transport: Transport;
  retry: RetryPolicy;
}

/**
 * Reads an object below a web server's address without verifying it. Resumes where it stopped after transient failures.
 * Throws `MirrorError` and `NetworkError`.
 */
export async function* readHttpObject(
  mirror: HttpMirror,
  { sha256, size }: { sha256: string; size: number },
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { retry } = mirror;
  const path = objectPath(sha256);
  let last = { at: 0, time: performance.now() };
  for (let [at, failures, slow] = [0, 0, 0]; ; ) {
    try {
      for await (const piece of exchange(mirror, path, at, signal)) {
        at += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      // All bytes have arrived; their hash decides.
      if (at === size && at > 0) return;
      const now = { at, time: performance.now() };
      if (keptMinimumRate(now.at - last.at, now.time - last.time)) [failures, slow] = [0, 0];
      last = now;
      failures++;
      if (isSlow(error)) slow++;
      const again = retryable(error, true);
      const pause = again?.after ?? retry.pause * 2 ** (failures - 1) * (0.5 + Math.random() / 2);
      const more = again !== null && failures < retry.attempts && slow < MAX_SLOW;
      if (signal?.aborted || !more || pause > retry.maxPause) throw asMirrorError(error, mirror);
      await sleep(pause, signal);
    }
  }
}

/** One exchange, starting at byte `from`. Throws `MirrorError`, `ApiError` and `NetworkError`. */
export async function* exchange(
  { url, transport }: HttpMirror,
  path: string,
  from: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { origin } = new URL(url);
  try {
    const answer = await transport.send({
      method: 'GET',
      url: `${url}/${path}`,
      headers: { 'user-agent': 'bindery-sdk', ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
      ...(signal ? { signal } : {}),
    });
    // The loop below throws errors; without a listener, one that comes after it would crash the process.
    answer.body.on('error', () => {});
    try {
      let skipped = startOf(answer, url, path, from) === from ? from : 0;
      for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
        const skip = Math.min(from - skipped, piece.length);
        skipped += skip;
        if (skip < piece.length) yield piece.subarray(skip);
      }
    } finally {
      answer.body.destroy();
    }
  } catch (error) {
    throw error instanceof MirrorError ? error : toClientError(error, origin, signal);
  }
}

/** Returns where the body begins: at `from`, or at 0 if the server ignores ranges. Throws unless it is a success. */
function startOf({ status, headers }: TransportResponse, url: string, path: string, from: number): number {
  if (status === 200) return 0;
  if (status === 206) {
    const start = Number(/^bytes (\d{1,15})-/.exec(headers['content-range'] ?? '')?.[1]);
    if (start === from) return start;
    throw new MirrorError(url, `sent a different part of ${path} than requested`);
  }
  if (status === 404 || status === 410) throw new MirrorError(url, `has no ${path}`);
  if (status >= 400) throw parseApiError({ status, headers, text: '', origin: new URL(url).origin });
  throw new MirrorError(
    url,
    `responded with a redirect or without content (status ${status}), which is not followed`,
  );
}

function asMirrorError(error: unknown, { url }: HttpMirror): unknown {
  return error instanceof ApiError ? new MirrorError(url, `responded with status ${error.status}`) : error;
}
