import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { gzipPieces, gzipTail } from '../../doors/images/gzip.ts';
import type { LayerDigest } from '../../doors/images/image-layers.ts';

/** The archive arrives through the port. */
export interface LayerTask {
  port: MessagePort;
  tarBytes: number;
}

/** The next bytes of the archive; null after the last. Answered once they have been read. */
export type LayerMessage = { bytes: Uint8Array; runs: readonly LayerRun[] } | null;

/** Bytes of the format, or of one file. */
export interface LayerRun {
  length: number;
  isFile: boolean;
  /** The hash that the file must have which ends here; null if none does. */
  ends: string | null;
}

export type LayerOutcome = { kind: 'digest'; digest: LayerDigest } | { kind: 'damaged'; sha256: string };

/** On Linux each thread has its own priority: requests take precedence over reading layers. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** Computes the digests of a layer, and verifies its files. Throws if the port is closed before the end. */
export default async function digestLayer({ port, tarBytes }: LayerTask): Promise<LayerOutcome> {
  const [tar, gzip] = [createHash('sha256'), createHash('sha256')];
  let checksum = 0;
  let position = 0;
  let file: Hash | null = null;
  try {
    for (;;) {
      const message = await next(port);
      if (message === null) break;
      const { bytes, runs } = message;
      tar.update(bytes);
      checksum = crc32(bytes, checksum);
      for (const piece of gzipPieces(bytes, position, tarBytes)) gzip.update(piece);
      position += bytes.length;
      let at = 0;
      for (const { length, isFile, ends } of runs) {
        if (isFile) file = (file ?? createHash('sha256')).update(bytes.subarray(at, at + length));
        at += length;
        if (ends === null) continue;
        if (file?.digest('hex') !== ends) return { kind: 'damaged', sha256: ends };
        file = null;
      }
      port.postMessage(null);
    }
  } finally {
    port.close();
  }
  gzip.update(gzipTail(checksum, tarBytes));
  const digest = { sha256: gzip.digest('hex'), tarSha256: tar.digest('hex'), crc32: checksum };
  return { kind: 'digest', digest };
}

async function next(port: MessagePort): Promise<LayerMessage> {
  const stop = new AbortController();
  const { signal } = stop;
  const closed = once(port, 'close', { signal }).then(() => {
    throw new Error('The archive was not sent whole.');
  });
  closed.catch(() => {});
  try {
    const [message] = await Promise.race([once(port, 'message', { signal }), closed]);
    return message;
  } finally {
    stop.abort();
  }
}
