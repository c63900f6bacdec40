import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE } from '@bindery/contract';
import { ServiceError } from '../../../errors.ts';
import { forEachBounded } from '../../../objects/bounded.ts';
import type { AnnouncedUpload } from '../../../objects/store.ts';
import type { Addresses } from './addresses.ts';
import { answerEmpty } from './answers.ts';
import { gatheredBody } from './receive.ts';
import { admitUpload, type Receiving } from './upload.ts';

/** Files of one bundle that are written at the same time. */
const WRITTEN_AT_ONCE = 8;

/**
 * Answers PUT of many small files; see `BUNDLE` for how they follow each other. Each waits, verified, as if it had been
 * sent alone, and all are told of before the client hears that they arrived. The first one amiss is the answer; what
 * came whole before it stays.
 */
export async function receiveBundle(
  store: Receiving & { addresses: Addresses },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const told: Promise<void>[] = [];
  const uploads = readUploads(request, store.addresses);
  try {
    await forEachBounded(uploads, WRITTEN_AT_ONCE, async ({ upload, content }) => {
      const sha256 = await admitUpload(store, upload, gatheredBody(content));
      const telling = store.uploadReceived(upload, { sha256, size: upload.size });
      // A failure is heard of below, when all are awaited.
      telling.catch(() => {});
      told.push(telling);
    });
  } finally {
    await Promise.all(told);
  }
  answerEmpty(response, 200, ['Content-Length', '0']);
}

/** Nothing is kept of a file before its address is known to be genuine. */
async function* readUploads(
  request: IncomingMessage,
  addresses: Addresses,
): AsyncGenerator<{ upload: AnnouncedUpload; content: Buffer }> {
  const body = new ExactReader(request);
  let files = 0;
  let bytes = 0;
  try {
    for (let head = await body.read(4); head !== null; head = await body.read(4)) {
      if (++files > BUNDLE.addresses) throw invalid(`A bundle has at most ${BUNDLE.addresses} files.`);
      const upload = permitted(addresses, await readAddress(body, head.readUInt32BE()));
      bytes += upload.size;
      if (upload.size > BUNDLE.fileBytes || bytes > BUNDLE.bytes) throw tooLarge();
      yield { upload, content: (await body.read(upload.size)) ?? refuseEnd() };
    }
  } finally {
    await body.release();
  }
}

async function readAddress(body: ExactReader, length: number): Promise<string> {
  if (length > BUNDLE.addressBytes)
    throw invalid(`An address has at most ${BUNDLE.addressBytes} bytes (received ${length}).`);
  return ((await body.read(length)) ?? refuseEnd()).toString('latin1');
}

function permitted(addresses: Addresses, address: string): AnnouncedUpload {
  const verdict = addresses.verify('PUT', address);
  if (typeof verdict === 'object' && verdict.kind === 'put') return verdict.upload;
  if (verdict === 'expired')
    throw new ServiceError('url_expired', 'An address has expired. Ask for a new one.');
  throw new ServiceError('invalid_signature', 'An address is not one that was signed for a whole file.');
}

/** Cuts the body of a request into pieces of known lengths; it holds one piece and what came with it. */
class ExactReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(request: IncomingMessage) {
    this.#chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  }

  /** The next `length` bytes; null where they are some and the body has ended just before. Throws where it ends among them. */
  async read(length: number): Promise<Buffer | null> {
    const gathered = [this.#rest];
    let size = this.#rest.length;
    while (size < length) {
      const next = await this.#chunks.next();
      if (next.done) {
        return size > 0 ? refuseEnd() : null;
      }
      gathered.push(next.value);
      size += next.value.length;
    }
    const whole = gathered.length === 1 ? this.#rest : Buffer.concat(gathered, size);
    this.#rest = whole.subarray(length);
    return whole.subarray(0, length);
  }

  /** Leaves the rest of the body to others. */
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
