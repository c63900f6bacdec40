import { BUNDLE, type Transfer } from '@bindery/contract';
import { inBundles, pathInStore } from '../client/bundles.ts';
import type { Client } from '../client/client.ts';
import type { AnswerSink } from '../client/transport.ts';
import { inParallel } from '../tree/in-parallel.ts';
import type { UploadSource } from './upload-source.ts';

const AT_ONCE = 4;

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
  readonly #sent: (source: UploadSource) => void;
  #worthwhile = true;

  constructor(client: Client, sent: (source: UploadSource) => void) {
    this.#client = client;
    this.#sent = sent;
  }

  /** Answers the uploads that are still to be sent. */
  async send(uploads: readonly Upload[], signal: AbortSignal | undefined): Promise<Upload[]> {
    const remaining = new Set(uploads);
    const parcels = uploads.flatMap((upload) => {
      const { source, transfer } = upload;
      const path = transfer.kind === 'single-put' ? pathInStore(this.#client, transfer.put.url) : null;
      return path === null ? [] : [{ size: source.size, path, upload }];
    });
    await inParallel(inBundles(parcels), AT_ONCE, signal, async (bundle, bundleSignal) => {
      if (!this.#worthwhile) return;
      this.#worthwhile = await this.#sendBundle(bundle, bundleSignal);
      if (!this.#worthwhile) return;
      for (const { upload } of bundle) {
        remaining.delete(upload);
        this.#sent(upload.source);
      }
    });
    return [...remaining];
  }

  async #sendBundle(bundle: readonly Parcel[], signal: AbortSignal): Promise<boolean> {
    try {
      const body = Buffer.concat(bundle.flatMap(framed));
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(body.length) };
      await this.#client.deliver({ method: 'PUT', url: BUNDLE.path, headers, body, signal }, IGNORED);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }
}

interface Parcel {
  size: number;
  path: string;
  upload: Upload;
}

const IGNORED: AnswerSink = { onHead() {}, onBytes() {} };

function framed({ path, size, upload: { source } }: Parcel): Buffer[] {
  const content = source.open(0, size);
  if (!Buffer.isBuffer(content)) throw new TypeError('a small file is read at once');
  const address = Buffer.from(path, 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(address.length);
  return [length, address, content];
}
