import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE, ERROR_STATUS } from '@bindery/contract';
import { ServiceError } from '../../../errors.ts';
import { isDamage } from '../../../objects/damaged.ts';
import { isMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { open } from './files.ts';
import type { Layout } from './layout.ts';
import type { DiskStoreOptions } from './options.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import type { ReadAhead } from './read-ahead.ts';
import { COMMON_HEADERS } from './responses.ts';
import { type Segment, sendPieces } from './send-pieces.ts';

/** Files of one response that are open at the same time. */
const OPEN_AT_ONCE = 8;

export interface BundleSource extends Pick<DiskStoreOptions, 'isLost' | 'reportDamaged' | 'log'> {
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

/** Sends the headers of a bundle. */
export function beginBundle(response: ServerResponse): void {
  response.writeHead(200, [
    ...COMMON_HEADERS,
    'X-Request-Id',
    randomUUID(),
    'Content-Type',
    'application/octet-stream',
    'Cache-Control',
    'no-store',
  ]);
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

/** Returns the URLs that a request for a bundle lists, one per line. */
export async function readUrls(request: IncomingMessage): Promise<string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BUNDLE.requestBytes)
      throw new ServiceError(
        'payload_too_large',
        `A request for a bundle has at most ${BUNDLE.requestBytes} bytes.`,
      );
    chunks.push(chunk);
  }
  const asked = Buffer.concat(chunks).toString('latin1').split('\n');
  if (asked.at(-1) === '') asked.pop();
  if (asked.length === 0 || asked.length > BUNDLE.urls)
    throw new ServiceError(
      'invalid_request',
      `The body has 1 to ${BUNDLE.urls} URLs, one in a line (received ${asked.length}).`,
    );
  return asked;
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

/**
 * Returns the status that a `GET` of a missing object has. Errors are not thrown: the bundle has been started and
 * continues.
 */
export async function statusOfMissing(
  { isLost, log }: Pick<DiskStoreOptions, 'isLost' | 'log'>,
  object: ObjectAddress,
): Promise<number> {
  try {
    return ERROR_STATUS[(await isLost(object)) ? 'content_lost' : 'not_found'];
  } catch (error) {
    if (error instanceof ServiceError) return error.status;
    log.error({ err: error }, 'a storage request failed');
    return ERROR_STATUS.internal;
  }
}

function refusal(status: number): Frame {
  return { status, content: null, size: 0 };
}

/** Returns the header that precedes the content of a frame. */
export function frameHead(status: number, size: number): Buffer {
  const head = Buffer.allocUnsafe(BUNDLE.headBytes);
  head.writeUInt32BE(status, 0);
  head.writeUInt32BE(size, 4);
  return head;
}

function segmentsOf({ status, content, size }: Frame): Segment[] {
  const head = frameHead(status, size);
  return content === null ? [{ bytes: head }] : [{ bytes: head }, { ...content, start: 0, length: size }];
}
