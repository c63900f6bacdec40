import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE, ERROR_STATUS } from '@bindery/contract';
import { ServiceError } from '../../../errors.ts';
import type { AnnouncedUpload, ObjectAddress } from '../../../objects/store.ts';
import { COMMON_HEADERS, sendEmpty } from './answers.ts';
import type { PresignedUrls } from './presigned-urls.ts';
import type { StorageOptions } from './serve.ts';

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

/**
 * Returns the status that a `GET` of a missing object has. Errors are not thrown: the bundle has been started and
 * continues.
 */
export async function statusOfMissing(
  { isLost, log }: Pick<StorageOptions, 'isLost' | 'log'>,
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

/** Returns the header that precedes the content of a frame. */
export function frameHead(status: number, size: number): Buffer {
  const head = Buffer.allocUnsafe(BUNDLE.headBytes);
  head.writeUInt32BE(status, 0);
  head.writeUInt32BE(size, 4);
  return head;
}

/** Receives the files of a bundle as they are read. */
export interface Batches {
  /** Returns the buffer for the content of the next file. Throws the error of an earlier file. */
  roomFor(size: number): Promise<Buffer>;
  /** Accepts the file whose content has been read. */
  add(upload: AnnouncedUpload): void;
  /** Resolves once all files are verified and reported. Throws the error of the first one that failed. */
  finish(): Promise<void>;
}

/**
 * Handles PUT of many small files; see `BUNDLE` for the format. Each is verified and stored as if sent alone, and all
 * are recorded before the response is sent. The response reports the first failure; complete files before it are kept.
 */
export async function receiveBundle(
  urls: PresignedUrls,
  batches: Batches,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = new ExactReader(request);
  try {
    await readUploads(body, urls, batches);
  } finally {
    await body.release();
    await batches.finish();
  }
  sendEmpty(response, 200, ['Content-Length', '0']);
}

/** Stores nothing of a file before its URL has been verified. */
async function readUploads(body: ExactReader, urls: PresignedUrls, batches: Batches): Promise<void> {
  let files = 0;
  let bytes = 0;
  for (let head = await body.read(4); head !== null; head = await body.read(4)) {
    if (++files > BUNDLE.urls) throw invalid(`A bundle has at most ${BUNDLE.urls} files.`);
    const upload = permitted(urls, await readUrl(body, head.readUInt32BE()));
    bytes += upload.size;
    if (upload.size > BUNDLE.fileBytes || bytes > BUNDLE.bytes) throw tooLarge();
    const room = await batches.roomFor(upload.size);
    await body.fill(room);
    batches.add(upload);
  }
}

async function readUrl(body: ExactReader, length: number): Promise<string> {
  if (length > BUNDLE.urlBytes)
    throw invalid(`A URL has at most ${BUNDLE.urlBytes} bytes (received ${length}).`);
  return ((await body.read(length)) ?? refuseEnd()).toString('latin1');
}

function permitted(urls: PresignedUrls, url: string): AnnouncedUpload {
  const verdict = urls.verify('PUT', url);
  if (typeof verdict === 'object' && verdict.kind === 'put') return verdict.upload;
  if (verdict === 'expired') throw new ServiceError('url_expired', 'A URL has expired. Ask for a new one.');
  throw new ServiceError('invalid_signature', 'A URL is not signed for a whole file.');
}

/** Splits the body of a request into pieces of known lengths, buffering only the latest chunk. */
class ExactReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(request: IncomingMessage) {
    this.#chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  }

  /**
   * Returns the next `length` bytes; null if `length` is not 0 and the body has ended just before them. Throws if it
   * ends within them.
   */
  async read(length: number): Promise<Buffer | null> {
    if (this.#rest.length >= length) return this.#take(length);
    const piece = Buffer.allocUnsafe(length);
    return (await this.#fill(piece)) ? piece : null;
  }

  /** Copies the next bytes into `target` until it is full. Throws if the body ends first. */
  async fill(target: Buffer): Promise<void> {
    if (!(await this.#fill(target))) refuseEnd();
  }

  async #fill(target: Buffer): Promise<boolean> {
    let filled = this.#take(target.length).copy(target);
    while (filled < target.length) {
      const next = await this.#chunks.next();
      if (next.done) return filled > 0 ? refuseEnd() : false;
      this.#rest = next.value;
      filled += this.#take(target.length - filled).copy(target, filled);
    }
    return true;
  }

  /** Removes and returns at most `length` of the buffered bytes. */
  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }

  /** Stops reading; the rest of the body can still be read by others. */
  async release(): Promise<void> {
    await this.#chunks.return?.();
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}

function refuseEnd(): never {
  throw invalid('The bundle ends in the middle of a file.');
}

function tooLarge(): ServiceError {
  const message = `A bundle has at most ${BUNDLE.bytes} bytes, ${BUNDLE.fileBytes} of one file.`;
  return new ServiceError('payload_too_large', message);
}
