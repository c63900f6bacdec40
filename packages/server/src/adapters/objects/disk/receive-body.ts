import { createHash, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors.ts';
import type { AnnouncedUpload } from '../../../objects/store.ts';
import type { Claim } from './disk-space.ts';
import { writeAll } from './files.ts';

/** Bodies up to this size are buffered in memory before a file is opened, and written at once. */
const GATHERED = 256 * 1024;

/** A request body, which has exactly the announced size or fails. */
export interface Body {
  /** Writes the bytes into an empty open file, using the claimed space, and returns their SHA-256. */
  store(fd: number, room: Claim): Promise<string>;
}

/**
 * Receives a body of exactly `size` bytes. Throws, here or from `store`, `upload_mismatch` if the size differs, or the
 * error that broke the connection; the server closes idle connections.
 */
export async function receiveBody(request: IncomingMessage, size: number): Promise<Body> {
  checkContentLength(request, size);
  if (size > GATHERED) return { store: (fd, room) => streamThrough(request, size, fd, room) };
  const bytes = await gather(request, size);
  return {
    store: async (fd, room) => {
      await writeAll(fd, bytes);
      room.wrote(size);
      return hash('sha256', bytes, 'hex');
    },
  };
}

/** Like `receiveBody`, for a body that fits into memory; returns its bytes. */
export function gatherBody(request: IncomingMessage, size: number): Promise<Buffer> {
  checkContentLength(request, size);
  return gather(request, size);
}

/** Rejects a wrong announced length before any of the body is read. */
function checkContentLength(request: IncomingMessage, size: number): void {
  if (request.headers['transfer-encoding'] !== undefined) return;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced !== size) {
    throw mismatch(`Content-Length: ${size} bytes were announced (received ${announced}).`);
  }
}

async function gather(request: IncomingMessage, size: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > size) reject(wrongSize(size, received));
      else chunks.push(chunk);
    });
    request.once('end', resolve);
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection was cut')));
  });
  if (received !== size) throw wrongSize(size, received);
  const [first] = chunks;
  return first && chunks.length === 1 ? first : Buffer.concat(chunks);
}

async function streamThrough(
  request: IncomingMessage,
  size: number,
  fd: number,
  room: Claim,
): Promise<string> {
  const digest = createHash('sha256');
  let received = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (received + chunk.length > size) throw wrongSize(size, received + chunk.length);
    const written = writeAll(fd, chunk, received);
    digest.update(chunk);
    await written;
    room.wrote(chunk.length);
    received += chunk.length;
  }
  if (received !== size) throw wrongSize(size, received);
  return digest.digest('hex');
}

function wrongSize(size: number, received: number): ServiceError {
  return mismatch(`The upload must have ${size} bytes (received ${received > size ? 'more' : received}).`);
}

/** Returns the error for bytes whose hash is not the announced one. */
export function contentMismatch({ path, sha256 }: AnnouncedUpload, received: string): ServiceError {
  return mismatch(`The bytes sent for "${path}" do not have the announced SHA-256.`, {
    expected: sha256,
    received,
  });
}

export function mismatch(message: string, details: Record<string, unknown> = {}): ServiceError {
  return new ServiceError('upload_mismatch', message, details);
}
