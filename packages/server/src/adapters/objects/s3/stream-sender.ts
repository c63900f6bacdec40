import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { withRetries } from './retries.ts';

const GIB = 1024 ** 3;
/** Attempts to send one file or part; the SDK tries several times in each. */
const TRANSFERS = 3;

/** Opens content as a stream, again for each attempt: a range (from `start` up to and including `end`), or all. */
export type OpenBody = (range?: { start: number; end: number }) => Readable;

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
  readonly #name: string;
  readonly #multipart: MultipartRequests;
  readonly #sizes: SentSizes;

  constructor(
    client: S3Client,
    bucketName: string,
    multipart: MultipartRequests,
    sizes: SentSizes = { atOnce: 5 * GIB, part: GIB },
  ) {
    this.#client = client;
    this.#name = bucketName;
    this.#multipart = multipart;
    this.#sizes = sizes;
  }

  async send(key: string, size: number, sha256: string, open: OpenBody): Promise<void> {
    if (size > this.#sizes.atOnce) return this.#sendInParts(key, size, open);
    await withRetries(async () => {
      const object = { Bucket: this.#name, Key: key, Body: open(), ContentLength: size };
      await this.#client.send(withPayloadHash(new PutObjectCommand(object), sha256));
    }, TRANSFERS);
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
    const sha256 = await hashOf(open(range));
    return withRetries(async () => {
      const { ETag = '' } = await this.#client.send(
        withPayloadHash(
          new UploadPartCommand({
            Bucket: this.#name,
            Key: key,
            UploadId: id,
            PartNumber: partNumber,
            Body: open(range),
            ContentLength: range.end - range.start + 1,
          }),
          sha256,
        ),
      );
      return ETag;
    }, TRANSFERS);
  }
}

/** Makes the SDK sign the hash of a body that it sends as a stream. */
function withPayloadHash<Command extends PutObjectCommand | UploadPartCommand>(
  command: Command,
  sha256: string,
): Command {
  const { middlewareStack } = command as PutObjectCommand;
  middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'signPayloadHash' },
  );
  return command;
}

async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of content) digest.update(chunk);
  return digest.digest('hex');
}
