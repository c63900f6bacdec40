import { BUNDLE, type Transfer } from '@bindery/contract';
import { inBundles, pathInStore } from '../client/bundles.ts';
import type { Client } from '../client/client.ts';
import type { AnswerSink } from '../client/transport.ts';
import type { UploadSource } from '../tree/upload-source.ts';

const LENGTH_BYTES = 4;

/** A file and how the service wants it. */
export interface Upload {
  source: UploadSource;
  transfer: Transfer;
}

/**
 * Sends small files many at a time, where the store of objects belongs to the service and knows bundles. What is not
 * known to have arrived is to be sent alone, and says then what is amiss. A bundle that fails is the last one.
 */
export class BundledUploads {
  readonly #client: Client;
  readonly #origin: string;
  /** Bodies of bundles that arrived, to be filled again: many new ones would keep the garbage collector busy. */
  readonly #spare: Buffer[] = [];
  #worthwhile = true;

  constructor(client: Client) {
    this.#client = client;
    this.#origin = new URL(client.baseUrl).origin;
  }

  /** Divides uploads into those that go together and those that go alone. */
  divide(uploads: readonly Upload[]): Upload[][] {
    const small = uploads.flatMap((upload) =>
      this.#addressOf(upload) === null ? [] : [{ size: upload.source.size, upload }],
    );
    const together = inBundles(small).map((bundle) => bundle.map(({ upload }) => upload));
    const bundled = new Set(together.flat());
    return [...together, ...uploads.filter((upload) => !bundled.has(upload)).map((upload) => [upload])];
  }

  /** Sends uploads together; false where each is to be sent alone. */
  async send(uploads: readonly Upload[], signal: AbortSignal): Promise<boolean> {
    if (!this.#worthwhile) return false;
    try {
      const body = this.#fill(uploads);
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
      await this.#client.deliver({ method: 'PUT', url: BUNDLE.path, headers, body, signal }, IGNORED);
      this.#spare.push(Buffer.from(body.buffer));
      return true;
    } catch {
      signal.throwIfAborted();
      this.#worthwhile = false;
      return false;
    }
  }

  #addressOf({ transfer }: Upload): string | null {
    return transfer.kind === 'single-put' ? pathInStore(this.#origin, transfer.put.url) : null;
  }

  #fill(uploads: readonly Upload[]): Buffer {
    const frames = uploads.map((upload) => ({ address: this.#addressOf(upload) ?? '', ...upload }));
    const length = frames.reduce(
      (sum, { address, source }) => sum + LENGTH_BYTES + address.length + source.size,
      0,
    );
    const body = this.#emptyBody(length);
    let end = 0;
    for (const { address, source } of frames) {
      end = body.writeUInt32BE(address.length, end);
      end += body.write(address, end, 'latin1');
      const content = body.subarray(end, end + source.size);
      if (source.read(content) < source.size) throw new Error(`${source.path} has become too short`);
      end += source.size;
    }
    return body;
  }

  #emptyBody(length: number): Buffer {
    const spare = this.#spare.pop();
    return spare && spare.length >= length ? spare.subarray(0, length) : Buffer.allocUnsafeSlow(length);
  }
}

const IGNORED: AnswerSink = { onHead() {}, onBytes() {} };
