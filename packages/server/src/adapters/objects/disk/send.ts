import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { BUNDLE, ERROR_STATUS } from '@bindery/contract';
import { contentLost, notFound } from '../../../errors.ts';
import { isDamage, namingDamaged, ObjectDamaged } from '../../../objects/damaged.ts';
import { isMissing, unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { fstat, open, readFully } from '../files.ts';
import { beginBundle, frameHead, readUrls, statusOfMissing } from '../http/bundle.ts';
import { beginDownload, lengthOf, type ObjectHeaders } from '../http/download.ts';
import type { PresignedUrls } from '../http/presigned-urls.ts';
import type { StorageOptions } from '../http/serve.ts';
import type { Layout } from './layout.ts';

/** Handles GET and HEAD of one object. */
export async function download(
  { layout, readAhead, isLost }: { layout: Layout; readAhead: ReadAhead } & Pick<StorageOptions, 'isLost'>,
  request: IncomingMessage,
  response: ServerResponse,
  object: ObjectAddress,
  headers: ObjectHeaders,
): Promise<void> {
  const fd = await unlessMissing(namingDamaged(object, open(layout.object(object), 'r', 0)));
  if (fd === null) throw (await isLost(object)) ? contentLost('this file') : notFound();
  try {
    const { size } = await fstat(fd);
    const pieces = beginDownload(request, response, { sha256: object.sha256, size }, headers);
    if (pieces === null) return;
    const segments = pieces.map((piece) => ('bytes' in piece ? piece : { object, fd, ...piece }));
    await sendPieces(response, [segments], readAhead);
  } finally {
    // Closing a file that was only read does no I/O.
    fs.closeSync(fd);
  }
}

/** Files of one response that are open at the same time. */
const OPEN_AT_ONCE = 8;

export interface BundleSource extends Pick<StorageOptions, 'isLost' | 'log'> {
  reportDamaged: (object: ObjectAddress) => void;
  layout: Layout;
  urls: PresignedUrls;
  readAhead: ReadAhead;
}

/** Handles `POST` of presigned URLs: sends what a GET of each would return; see `BUNDLE` for the frames. */
export async function sendBundle(
  store: BundleSource,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = await readUrls(request);
  beginBundle(response);
  await sendPieces(response, framesOf(store, asked), store.readAhead);
}

/** Yields a few frames at a time. Their files stay open until the next ones are requested. */
async function* framesOf(store: BundleSource, asked: readonly string[]): AsyncGenerator<Segment[]> {
  const budget = { left: BUNDLE.bytes };
  for (let at = 0; at < asked.length; at += OPEN_AT_ONCE) {
    const frames: Frame[] = [];
    try {
      for (const url of asked.slice(at, at + OPEN_AT_ONCE)) {
        frames.push(await openFrame(store, url, budget));
      }
      yield frames.flatMap(segmentsOf);
    } finally {
      // Closing a file that was only read does no I/O.
      for (const { content } of frames) if (content !== null) fs.closeSync(content.fd);
    }
  }
}

/** The part of a bundle for one URL: a status and, if that is 200, the content of the open file of an object. */
interface Frame {
  status: number;
  content: { object: ObjectAddress; fd: number } | null;
  size: number;
}

async function openFrame(store: BundleSource, url: string, budget: { left: number }): Promise<Frame> {
  const { layout, urls } = store;
  const verdict = urls.verify('GET', url);
  if (verdict === 'forged' || verdict === 'expired') return refusal(403);
  if (verdict === 'unknown' || verdict.kind !== 'get') return refusal(404);
  const { object } = verdict;
  let fd: number;
  try {
    fd = await open(layout.object(object), 'r', 0);
  } catch (error) {
    if (isMissing(error)) return refusal(await statusOfMissing(store, object));
    if (!isDamage(error)) throw error;
    store.log.error({ err: error }, 'a storage request failed');
    store.reportDamaged(object);
    return refusal(ERROR_STATUS.content_lost);
  }
  // The size of an open file is in memory: reading it does no I/O.
  const { size } = fs.fstatSync(fd);
  if (size > Math.min(BUNDLE.fileBytes, budget.left)) {
    fs.closeSync(fd);
    return refusal(413);
  }
  budget.left -= size;
  return { status: 200, content: { object, fd }, size };
}

function refusal(status: number): Frame {
  return { status, content: null, size: 0 };
}

function segmentsOf({ status, content, size }: Frame): Segment[] {
  const head = frameHead(status, size);
  return content === null ? [{ bytes: head }] : [{ bytes: head }, { ...content, start: 0, length: size }];
}

/** Bytes of a response: a buffer, or `length` bytes of the open file of an object from `start` on. */
export type Segment =
  | { bytes: Buffer }
  | { object: ObjectAddress; fd: number; start: number; length: number };

/**
 * Sends the bytes of all segments as a response body, at the speed of the client. Resolves when all are sent or the
 * client has disconnected. Throws `ObjectDamaged` if an object cannot be read, or is shorter than it was when opened.
 */
export async function sendPieces(
  response: ServerResponse,
  segments: Iterable<readonly Segment[]> | AsyncIterable<readonly Segment[]>,
  readAhead: ReadAhead,
): Promise<void> {
  try {
    await pipeline(piecesOf(segments, readAhead, response), response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/**
 * Yields the bytes of all segments, joined and cut into pieces. Reads the next piece when the previous one has been
 * consumed.
 */
async function* piecesOf(
  batches: Iterable<readonly Segment[]> | AsyncIterable<readonly Segment[]>,
  readAhead: ReadAhead,
  response: ServerResponse,
): AsyncGenerator<Buffer> {
  for await (const segments of batches) {
    const total = segments.reduce((sum, segment) => sum + lengthOf(segment), 0);
    for (let at = 0; at < total; ) {
      const piece = readAhead.take(total - at);
      let taken = false;
      try {
        await read(segments, at, piece);
        yield piece;
        taken = response.writableLength === 0;
      } finally {
        readAhead.giveBack(piece, taken);
      }
      at += piece.length;
    }
  }
}

async function read(segments: readonly Segment[], from: number, piece: Buffer): Promise<void> {
  const reads: Promise<void>[] = [];
  let start = -from;
  for (const segment of segments) {
    const skipped = Math.max(0, -start);
    const target = piece.subarray(Math.max(0, start), Math.max(0, start + lengthOf(segment)));
    if (target.length > 0) reads.push(copy(segment, skipped, target));
    start += lengthOf(segment);
  }
  await Promise.all(reads);
}

async function copy(segment: Segment, skipped: number, target: Buffer): Promise<void> {
  if ('bytes' in segment) {
    segment.bytes.copy(target, 0, skipped);
    return;
  }
  const { object, fd, start } = segment;
  const filled = await namingDamaged(object, readFully(fd, target, start + skipped));
  if (filled !== target.length) throw new ObjectDamaged(object);
}

/** Bytes that a response can always read, however much others hold, so that slow clients cannot block fast ones. */
const MIN_PIECE = 16 * 1024;

/** Maximum number of bytes of a response that are read at a time. */
const MAX_PIECE = 256 * 1024;

/** Buffers for smaller pieces are not worth reusing. */
const WORTH_KEEPING = 64 * 1024;

/** Maximum number of buffers kept for reuse: as many as are in use at a time if clients are fast. */
const MAX_KEPT = 32;

/**
 * The memory for data that responses have read and their clients have not yet received. Buffers are reused: allocating
 * new ones for all bytes sent would keep the garbage collector busy.
 */
export class ReadAhead {
  readonly #kept: Buffer[] = [];
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Returns a buffer for the next of `wanted` bytes, as large as can be read now. Return it with `giveBack`. */
  take(wanted: number): Buffer {
    const size = Math.min(wanted, MAX_PIECE, Math.max(this.#free, MIN_PIECE));
    this.#free -= size;
    if (size < WORTH_KEEPING) return Buffer.allocUnsafe(size);
    const whole = this.#kept.pop() ?? Buffer.allocUnsafeSlow(MAX_PIECE);
    return whole.subarray(0, size);
  }

  /** @param untouched whether nothing reads from the buffer any longer */
  giveBack(buffer: Buffer, untouched: boolean): void {
    this.#free += buffer.length;
    const keep = untouched && buffer.length >= WORTH_KEEPING && this.#kept.length < MAX_KEPT;
    if (keep) this.#kept.push(Buffer.from(buffer.buffer));
  }
}
