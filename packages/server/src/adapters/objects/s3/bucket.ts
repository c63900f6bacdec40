import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { chunks } from '@bindery/concurrency';
import { escapeMarkup } from '../../../markup.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import { encode, type SignatureV4 } from '../../../signature-v4.ts';
import { backOff, failureOf, isRetryable, MAX_ATTEMPTS, withRetries } from './failures.ts';
import { elements, type S3Answer, S3Client, type S3Location, type S3Request, texts } from './s3-client.ts';
import { type Body, type SentSizes, StreamSender } from './stream-sender.ts';

/** Attempts at a request that is not for the content of an object. */
const ATTEMPTS = 4;
const DELETED_AT_ONCE = 1_000;
const GIB = 1024 ** 3;
/** One request copies at most this much. */
const COPIED_AT_ONCE = 5 * GIB;
const COPIED_PART = GIB;

export interface Entry {
  key: string;
  size: number;
  /** Milliseconds since 1970, by the clock of the store. */
  storedAt: number;
}

export interface UnfinishedUpload {
  key: string;
  id: string;
  begunAt: number;
}

export interface UploadedPart {
  partNumber: number;
  size: number;
  etag: string;
  storedAt: number;
}

/**
 * The requests that the object store makes to a bucket. They throw `ENOENT` if something is missing, otherwise
 * `ServiceError`.
 */
export class Bucket {
  readonly #client: S3Client;
  readonly #name: string;
  readonly #streams: StreamSender;

  constructor(location: S3Location, signer: SignatureV4, sizes?: SentSizes) {
    this.#name = location.bucket;
    this.#client = new S3Client(location, signer);
    this.#streams = new StreamSender(this.#client, this, sizes);
  }

  /** Throws if the bucket cannot be reached with these credentials. */
  async check(): Promise<void> {
    await this.#ask({ method: 'HEAD', key: '' });
  }

  async size(key: string): Promise<number | null> {
    const found = await unlessMissing(
      withRetries(async () => {
        const answer = await this.#client.send({ method: 'HEAD', key });
        await answer.body.dump();
        return lengthOf(answer);
      }),
    );
    return found;
  }

  /**
   * Yields the bytes from `start` up to and including `end`, or all. If a connection breaks, resumes where it stopped:
   * the content of a key never changes.
   */
  async *read(key: string, range?: { start: number; end: number }): AsyncGenerator<Buffer> {
    let at = range?.start ?? 0;
    let end = range?.end ?? null;
    for (let attempt = 1; ; attempt++) {
      try {
        const { body, last } = await this.#open(key, at, end);
        end ??= last;
        for await (const chunk of body) {
          at += chunk.length;
          attempt = 1;
          yield chunk;
        }
        if (at > end) return;
        throw new Error(`the body of ${key} ended early`);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) throw failureOf(error);
        await backOff(attempt);
      }
    }
  }

  async #open(key: string, start: number, end: number | null): Promise<{ body: Readable; last: number }> {
    const isWhole = start === 0 && end === null;
    const headers: Record<string, string> = isWhole ? {} : { range: `bytes=${start}-${end ?? ''}` };
    const answer = await this.#client.send({ method: 'GET', key, headers });
    return { body: answer.body, last: start + lengthOf(answer) - 1 };
  }

  /** Returns all bytes of a key at once, unless there are more than `max`. */
  async readSmall(key: string, max: number): Promise<Buffer | 'larger'> {
    return withRetries(async () => {
      const answer = await this.#client.send({ method: 'GET', key });
      if (lengthOf(answer) > max) {
        answer.body.on('error', () => {}).destroy();
        return 'larger';
      }
      return Buffer.from(await answer.body.arrayBuffer());
    });
  }

  /** Stores bytes whose SHA-256 is known; a store that verifies it rejects other bytes. */
  async put(key: string, size: number, sha256: string, body: Body): Promise<void> {
    if (Buffer.isBuffer(body)) {
      await withRetries(async () => {
        const answer = await this.#client.send({ method: 'PUT', key, body: { content: body, size, sha256 } });
        await answer.body.dump();
      });
    } else {
      await this.#streams.send(key, size, sha256, body);
    }
  }

  /** Yields everything whose key begins with `prefix`, in key order. */
  async *list(prefix: string): AsyncGenerator<Entry> {
    for await (const page of this.#pages({ 'list-type': '2', prefix })) {
      for (const entry of elements(page, 'Contents')) {
        yield {
          key: text(entry, 'Key'),
          size: numberIn(entry, 'Size'),
          storedAt: timeIn(entry, 'LastModified'),
        };
      }
    }
  }

  /** Yields the names directly below a prefix; those that are common prefixes of longer keys end with a slash. */
  async *namesBelow(prefix: string): AsyncGenerator<string> {
    for await (const page of this.#pages({ 'list-type': '2', prefix, delimiter: '/' })) {
      for (const common of elements(page, 'CommonPrefixes'))
        yield text(common, 'Prefix').slice(prefix.length);
      for (const entry of elements(page, 'Contents')) yield text(entry, 'Key').slice(prefix.length);
    }
  }

  async *#pages(query: Record<string, string>, key = ''): AsyncGenerator<string> {
    for (let next: Record<string, string> | null = {}; next !== null; ) {
      const page = await this.#ask({ method: 'GET', key, query: { ...query, ...next } });
      yield page;
      next = nextPage(page);
    }
  }

  async copy(from: string, to: string, size: number): Promise<void> {
    const headers = { 'x-amz-copy-source': this.#source(from) };
    if (size > COPIED_AT_ONCE) return this.#copyInParts(headers, to, size);
    await this.#ask({ method: 'PUT', key: to, headers });
  }

  #source(key: string): string {
    return `/${this.#name}/${key.split('/').map(encode).join('/')}`;
  }

  async #copyInParts(source: Record<string, string>, to: string, size: number): Promise<void> {
    const id = await this.begin(to);
    const parts: { partNumber: number; etag: string }[] = [];
    for (let start = 0; start < size; start += COPIED_PART) {
      const partNumber = parts.length + 1;
      const end = Math.min(start + COPIED_PART, size) - 1;
      const headers = { ...source, 'x-amz-copy-source-range': `bytes=${start}-${end}` };
      const query = { partNumber: String(partNumber), uploadId: id };
      const answer = await this.#ask({ method: 'PUT', key: to, query, headers });
      parts.push({ partNumber, etag: text(answer, 'ETag') });
    }
    await this.complete(to, id, parts);
  }

  /** Does nothing for keys that do not exist. */
  async delete(keys: readonly string[]): Promise<void> {
    for (const some of chunks(keys, DELETED_AT_ONCE)) {
      const objects = some.map((key) => `<Object><Key>${escapeMarkup(key)}</Key></Object>`);
      const document = `<Delete><Quiet>true</Quiet>${objects.join('')}</Delete>`;
      await this.#post('', { delete: '' }, document);
    }
  }

  /** Starts a multipart upload and returns the store's id of it. */
  async begin(key: string): Promise<string> {
    return text(await this.#ask({ method: 'POST', key, query: { uploads: '' } }), 'UploadId');
  }

  /** Yields the multipart uploads in progress whose keys begin with `prefix`. */
  async *uploads(prefix: string): AsyncGenerator<UnfinishedUpload> {
    for await (const page of this.#pages({ uploads: '', prefix })) {
      for (const upload of elements(page, 'Upload')) {
        yield {
          key: text(upload, 'Key'),
          id: text(upload, 'UploadId'),
          begunAt: timeIn(upload, 'Initiated'),
        };
      }
    }
  }

  async parts(key: string, id: string): Promise<UploadedPart[]> {
    const parts: UploadedPart[] = [];
    for await (const page of this.#pages({ uploadId: id }, key)) {
      for (const part of elements(page, 'Part')) {
        parts.push({
          partNumber: numberIn(part, 'PartNumber'),
          size: numberIn(part, 'Size'),
          etag: text(part, 'ETag'),
          storedAt: timeIn(part, 'LastModified'),
        });
      }
    }
    return parts;
  }

  async complete(
    key: string,
    id: string,
    parts: readonly { partNumber: number; etag: string }[],
  ): Promise<void> {
    const listed = parts.map(
      ({ partNumber, etag }) =>
        `<Part><PartNumber>${partNumber}</PartNumber><ETag>${escapeMarkup(etag)}</ETag></Part>`,
    );
    const document = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
    await this.#post(key, { uploadId: id }, document);
  }

  /** Does nothing if there is none. */
  async abort(key: string, id: string): Promise<void> {
    await unlessMissing(this.#ask({ method: 'DELETE', key, query: { uploadId: id } }));
  }

  /** Sends a document, with the digest that S3 services originally required and some still do. */
  #post(key: string, query: Record<string, string>, document: string): Promise<string> {
    const content = Buffer.from(document);
    const headers = { 'content-type': 'application/xml', 'content-md5': hash('md5', content, 'base64') };
    const body = { content, size: content.length, sha256: hash('sha256', content) };
    return this.#ask({ method: 'POST', key, query, headers, body });
  }

  #ask(request: S3Request): Promise<string> {
    return withRetries(() => this.#client.ask(request), ATTEMPTS);
  }

  close(): void {
    this.#client.close();
  }
}

function text(xml: string, name: string): string {
  return texts(xml, name)[0] ?? '';
}

function numberIn(xml: string, name: string): number {
  return Number(text(xml, name));
}

function timeIn(xml: string, name: string): number {
  return Date.parse(text(xml, name)) || 0;
}

/** Returns what to ask for the page of a list that follows; null if this is the last one. */
function nextPage(page: string): Record<string, string> | null {
  if (text(page, 'IsTruncated') !== 'true') return null;
  const names = {
    'continuation-token': 'NextContinuationToken',
    'key-marker': 'NextKeyMarker',
    'upload-id-marker': 'NextUploadIdMarker',
    'part-number-marker': 'NextPartNumberMarker',
  };
  const found = Object.entries(names).map(([asked, named]) => [asked, text(page, named)]);
  const next = found.filter(([, value]) => value !== '');
  return next.length === 0 ? null : Object.fromEntries(next);
}

function lengthOf({ headers }: S3Answer): number {
  return Number(headers['content-length'] ?? 0);
}
