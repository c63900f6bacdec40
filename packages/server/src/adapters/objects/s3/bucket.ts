import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { unlessMissing } from '../../../objects/missing.ts';
import type { Credentials } from './credentials.ts';
import { failureOf, isRetryable } from './failures.ts';
import type { S3Location } from './location.ts';
import { backOff, MAX_ATTEMPTS, withRetries } from './retries.ts';
import type { SignatureV4 } from './signature-v4.ts';
import { type ObjectAnswer, SignedRequests } from './signed-requests.ts';
import { type OpenBody, type SentSizes, StreamSender } from './stream-sender.ts';

/** Attempts per request; the SDK waits between them, longer each time. */
const ATTEMPTS = 4;
const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum time without any data on a connection. */
const IDLE_TIMEOUT_MS = 20_000;
const CONNECTIONS = 64;
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

export type Body = Buffer | OpenBody;

/**
 * The requests that the object store makes to a bucket. They throw `ENOENT` if something is missing, otherwise
 * `ServiceError`.
 */
export class Bucket {
  readonly #client: S3Client;
  readonly #requests: SignedRequests;
  readonly #name: string;
  readonly #streams: StreamSender;

  constructor(location: S3Location, signer: SignatureV4, credentials: () => Credentials, sizes?: SentSizes) {
    const { bucket, endpoint, region } = location;
    this.#name = bucket;
    this.#requests = new SignedRequests(location, signer, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      idleTimeout: IDLE_TIMEOUT_MS,
    });
    this.#client = new S3Client({
      region,
      // Marked as expired, so that the SDK asks for the current credentials each time.
      credentials: async () => ({ ...credentials(), expiration: new Date() }),
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      maxAttempts: ATTEMPTS,
      // Contents are verified by their SHA-256; not every store accepts the SDK's own checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: IDLE_TIMEOUT_MS,
        httpAgent: { keepAlive: true, maxSockets: CONNECTIONS },
        httpsAgent: { keepAlive: true, maxSockets: CONNECTIONS },
      },
    });
    this.#streams = new StreamSender(this.#client, bucket, this, sizes);
  }

  /** Throws if the bucket cannot be reached with these credentials. */
  async check(): Promise<void> {
    await this.#ask(() => this.#client.send(new HeadBucketCommand({ Bucket: this.#name })));
  }

  async size(key: string): Promise<number | null> {
    const found = await unlessMissing(
      withRetries(async () => {
        const answer = await this.#requests.send({ method: 'HEAD', key });
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
    const answer = await this.#requests.send({ method: 'GET', key, headers });
    return { body: answer.body, last: start + lengthOf(answer) - 1 };
  }

  /** Returns all bytes of a key at once, unless there are more than `max`. */
  async readSmall(key: string, max: number): Promise<Buffer | 'larger'> {
    return withRetries(async () => {
      const answer = await this.#requests.send({ method: 'GET', key });
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
        const answer = await this.#requests.send({ method: 'PUT', key, body: { bytes: body, sha256 } });
        await answer.body.dump();
      });
    } else {
      await this.#streams.send(key, size, sha256, body);
    }
  }

  /** Yields everything whose key begins with `prefix`, in key order. */
  async *list(prefix: string): AsyncGenerator<Entry> {
    let token: string | undefined;
    do {
      const page = await this.#ask(() =>
        this.#client.send(
          new ListObjectsV2Command({ Bucket: this.#name, Prefix: prefix, ContinuationToken: token }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
        yield { key: Key, size: Size, storedAt: LastModified?.getTime() ?? 0 };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Yields the names directly below a prefix; those that are common prefixes of longer keys end with a slash. */
  async *namesBelow(prefix: string): AsyncGenerator<string> {
    let token: string | undefined;
    do {
      const asked = { Bucket: this.#name, Prefix: prefix, Delimiter: '/', ContinuationToken: token };
      const page = await this.#ask(() => this.#client.send(new ListObjectsV2Command(asked)));
      for (const { Prefix = '' } of page.CommonPrefixes ?? []) yield Prefix.slice(prefix.length);
      for (const { Key = '' } of page.Contents ?? []) yield Key.slice(prefix.length);
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  async copy(from: string, to: string, size: number): Promise<void> {
    const CopySource = `${this.#name}/${from}`;
    if (size > COPIED_AT_ONCE) return this.#copyInParts(CopySource, to, size);
    await this.#ask(() =>
      this.#client.send(new CopyObjectCommand({ Bucket: this.#name, Key: to, CopySource })),
    );
  }

  async #copyInParts(CopySource: string, to: string, size: number): Promise<void> {
    const upload = { Bucket: this.#name, Key: to, UploadId: await this.begin(to) };
    const parts: { partNumber: number; etag: string }[] = [];
    for (let start = 0; start < size; start += COPIED_PART) {
      const PartNumber = parts.length + 1;
      const CopySourceRange = `bytes=${start}-${Math.min(start + COPIED_PART, size) - 1}`;
      const { CopyPartResult } = await this.#ask(() =>
        this.#client.send(new UploadPartCopyCommand({ ...upload, PartNumber, CopySource, CopySourceRange })),
      );
      parts.push({ partNumber: PartNumber, etag: CopyPartResult?.ETag ?? '' });
    }
    await this.complete(to, upload.UploadId, parts);
  }

  /** Does nothing for keys that do not exist. */
  async delete(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += DELETED_AT_ONCE) {
      const Objects = keys.slice(at, at + DELETED_AT_ONCE).map((Key) => ({ Key }));
      const { Errors = [] } = await this.#ask(() =>
        this.#client.send(
          withContentMd5(new DeleteObjectsCommand({ Bucket: this.#name, Delete: { Objects, Quiet: true } })),
        ),
      );
      const [failed] = Errors;
      if (failed) throw failureOf(Object.assign(new Error(failed.Message), { name: failed.Code ?? '' }));
    }
  }

  /** Starts a multipart upload and returns the store's id of it. */
  async begin(key: string): Promise<string> {
    const { UploadId = '' } = await this.#ask(() =>
      this.#client.send(new CreateMultipartUploadCommand({ Bucket: this.#name, Key: key })),
    );
    return UploadId;
  }

  /** Yields the multipart uploads in progress whose keys begin with `prefix`. */
  async *uploads(prefix: string): AsyncGenerator<UnfinishedUpload> {
    let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    do {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket: this.#name,
        Prefix: prefix,
        ...marker,
      });
      const page = await this.#ask(() => this.#client.send(command));
      for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? []) {
        yield { key: Key, id: UploadId, begunAt: Initiated?.getTime() ?? 0 };
      }
      marker = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : {};
    } while (marker.KeyMarker !== undefined);
  }

  async parts(key: string, id: string): Promise<UploadedPart[]> {
    const parts: UploadedPart[] = [];
    let marker: string | undefined;
    do {
      const page = await this.#ask(() =>
        this.#client.send(
          new ListPartsCommand({ Bucket: this.#name, Key: key, UploadId: id, PartNumberMarker: marker }),
        ),
      );
      for (const { PartNumber = 0, Size = 0, ETag = '', LastModified } of page.Parts ?? []) {
        parts.push({
          partNumber: PartNumber,
          size: Size,
          etag: ETag,
          storedAt: LastModified?.getTime() ?? 0,
        });
      }
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    } while (marker !== undefined);
    return parts;
  }

  async complete(
    key: string,
    id: string,
    parts: readonly { partNumber: number; etag: string }[],
  ): Promise<void> {
    const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
    await this.#ask(() =>
      this.#client.send(
        new CompleteMultipartUploadCommand({
          Bucket: this.#name,
          Key: key,
          UploadId: id,
          MultipartUpload: { Parts },
        }),
      ),
    );
  }

  /** Does nothing if there is none. */
  async abort(key: string, id: string): Promise<void> {
    await unlessMissing(
      this.#ask(() =>
        this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#name, Key: key, UploadId: id })),
      ),
    );
  }

  close(): void {
    this.#requests.close();
    this.#client.destroy();
  }

  async #ask<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      throw failureOf(error);
    }
  }
}

/**
 * Adds the digest that S3 services originally required for this request and some still do; the SDK sends a newer one.
 */
function withContentMd5(command: DeleteObjectsCommand): DeleteObjectsCommand {
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      headers['content-md5'] = hash('md5', body, 'base64');
      return next(args);
    },
    { step: 'build', name: 'contentMd5' },
  );
  return command;
}

function lengthOf({ headers }: ObjectAnswer): number {
  return Number(headers['content-length'] ?? 0);
}
