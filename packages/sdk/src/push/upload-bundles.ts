import type { Transfer } from '@bindery/contract';
import { BUNDLE } from '@bindery/contract/wire';
import { groupIntoBundles, pathInStore } from '../client/bundles.ts';
import type { LibraryClient } from '../client/call.ts';
import type { UploadSource } from '../tree/upload-source.ts';

const LENGTH_BYTES = 4;
/** URLs are ASCII. */
const ENCODER = new TextEncoder();

/** A file and how it is to be sent. */
export interface Upload {
  source: UploadSource;
  transfer: Transfer;
}

/**
 * Sends small files in bundles, if the object store belongs to the service and supports them. Files that might not have
 * arrived have to be sent one by one, which reports the error. After a bundle fails, no further one is sent.
 */
export class BundleUploader {
  readonly #client: LibraryClient;
  readonly #origin: string;
  readonly #filesOfTransfer: number;
  /** Bodies of bundles that were sent, for reuse: allocating many would keep the garbage collector busy. */
  readonly #spare: ArrayBuffer[] = [];
  #worthwhile = true;

  constructor(client: LibraryClient, filesOfTransfer: number) {
    this.#client = client;
    this.#filesOfTransfer = filesOfTransfer;
    this.#origin = new URL(client.baseUrl).origin;
  }

  /** Divides uploads into bundles and those that are sent one by one. */
  divide(uploads: readonly Upload[]): Upload[][] {
    const small = uploads.flatMap((upload) =>
      this.#addressOf(upload) === null ? [] : [{ size: upload.source.size, upload }],
    );
    const together = groupIntoBundles(small, this.#filesOfTransfer).map((bundle) =>
      bundle.map(({ upload }) => upload),
    );
    const bundled = new Set(together.flat());
    return [...together, ...uploads.filter((upload) => !bundled.has(upload)).map((upload) => [upload])];
  }

  /** Sends uploads in a bundle; false if they have to be sent one by one. */
  async send(uploads: readonly Upload[], signal: AbortSignal): Promise<boolean> {
    if (!this.#worthwhile) return false;
    try {
      const body = this.#fill(uploads);
      const headers = { 'content-type': 'application/octet-stream' };
      await this.#client.put({ url: BUNDLE.path, headers, body, size: body.byteLength, signal });
      this.#spare.push(body.buffer);
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

  #fill(uploads: readonly Upload[]): Uint8Array<ArrayBuffer> {
    const frames = uploads.map((upload) => ({ address: this.#addressOf(upload) ?? '', ...upload }));
    const length = frames.reduce(
      (sum, { address, source }) => sum + LENGTH_BYTES + address.length + source.size,
      0,
    );
    const body = this.#emptyBody(length);
    const lengths = new DataView(body.buffer, body.byteOffset);
    let end = 0;
    for (const { address, source } of frames) {
      lengths.setUint32(end, address.length);
      end += LENGTH_BYTES;
      end += ENCODER.encodeInto(address, body.subarray(end)).written;
      const content = body.subarray(end, end + source.size);
      if (source.read(content) < source.size)
        throw new Error(`${source.path} became shorter while it was being pushed`);
      end += source.size;
    }
    return body;
  }

  #emptyBody(length: number): Uint8Array<ArrayBuffer> {
    const spare = this.#spare.pop();
    return spare && spare.byteLength >= length ? new Uint8Array(spare, 0, length) : new Uint8Array(length);
  }
}
