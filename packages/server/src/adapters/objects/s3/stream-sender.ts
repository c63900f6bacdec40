import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { digestOf, HashedContent, PRIVATE_FILE } from '../files.ts';
import { withRetries } from './failures.ts';
import type { S3Client, S3Request } from './s3-client.ts';

const GIB = 1024 ** 3;
/** Attempts to send one file or part. */
const TRANSFERS = 3;

/** Opens content as a stream, again for each attempt: a range (from `start` up to and including `end`), or all. */
export type OpenBody = (range?: { start: number; end: number }) => Readable;

export type Body = Buffer | OpenBody;

/** In bytes: the maximum for one request, and the part size for anything larger. */
export interface SentSizes {
  atOnce: number;
  part: number;
}

/** The multipart requests of a bucket. */
interface MultipartRequests {
  begin(key: string): Promise<string>;
  complete(key: string, id: string, parts: readonly { partNumber: number; etag: string }[]): Promise<void>;
  abort(key: string, id: string): Promise<void>;
}

/** Sends content as a stream, with its hash signed, so that a store that verifies it rejects other bytes. */
export class StreamSender {
  readonly #client: S3Client;
  readonly #multipart: MultipartRequests;
  readonly #sizes: SentSizes;

  constructor(
    client: S3Client,
    multipart: MultipartRequests,
    sizes: SentSizes = { atOnce: 5 * GIB, part: GIB },
  ) {
    this.#client = client;
    this.#multipart = multipart;
    this.#sizes = sizes;
  }

  async send(key: string, size: number, sha256: string, open: OpenBody): Promise<void> {
    if (size > this.#sizes.atOnce) return this.#sendInParts(key, size, open);
    await this.#put(() => ({ method: 'PUT', key, body: { content: open(), size, sha256 } }));
  }

  async #sendInParts(key: string, size: number, open: OpenBody): Promise<void> {
    const id = await this.#multipart.begin(key);
    const parts: { partNumber: number; etag: string }[] = [];
    try {
      for (let start = 0; start < size; start += this.#sizes.part) {
        const range = { start, end: Math.min(start + this.#sizes.part, size) - 1 };
        const partNumber = parts.length + 1;
        parts.push({ partNumber, etag: await this.#sendPart({ key, id, partNumber }, range, open) });
      }
      await this.#multipart.complete(key, id, parts);
    } catch (error) {
      await this.#multipart.abort(key, id).catch(() => {});
      throw error;
    }
  }

  async #sendPart(
    { key, id, partNumber }: { key: string; id: string; partNumber: number },
    range: { start: number; end: number },
    open: OpenBody,
  ): Promise<string> {
    const { sha256 } = await digestOf(open(range));
    const query = { partNumber: String(partNumber), uploadId: id };
    const size = range.end - range.start + 1;
    return this.#put(() => ({ method: 'PUT', key, query, body: { content: open(range), size, sha256 } }));
  }

  /** Returns the entity tag of what was stored. */
  #put(request: () => S3Request): Promise<string> {
    return withRetries(async () => {
      const { headers, body } = await this.#client.send(request());
      await body.dump();
      return String(headers.etag ?? '');
    }, TRANSFERS);
  }
}

/** Content of up to this many bytes stays in memory. */
const MAX_IN_MEMORY = 8 * 1024 * 1024;

/** Content that was received completely; disposing it deletes it. */
export interface Spooled extends AsyncDisposable {
  sha256: string;
  size: number;
  body: Body;
}

/** Buffers content whose hash and size have to be known before it is sent to a bucket. */
export async function spool(content: AsyncIterable<Buffer>, folder: string): Promise<Spooled> {
  const hashed = new HashedContent(content);
  const path = join(folder, randomUUID());
  let size = 0;
  let chunks: Buffer[] = [];
  let file: FileHandle | null = null;
  const dispose = async () => {
    await file?.close();
    if (file !== null) await rm(path, { force: true });
  };
  try {
    for await (const chunk of hashed.chunks) {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= MAX_IN_MEMORY) continue;
      file ??= await open(path, 'wx', PRIVATE_FILE);
      for (const waiting of chunks.splice(0)) await file.writeFile(waiting);
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  const whole = Buffer.concat(chunks);
  chunks = [];
  return {
    ...hashed.finish(),
    body: file === null ? whole : (range) => createReadStream(path, range),
    [Symbol.asyncDispose]: dispose,
  };
}
