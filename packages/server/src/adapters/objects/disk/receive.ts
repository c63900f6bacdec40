import { createHash, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors.ts';
import { writeAll } from './files.ts';

/** Bodies up to this size are gathered and written at once. */
const GATHERED = 256 * 1024;

/** Refuses a body whose length is announced and wrong, before any of it is read. */
export function checkContentLength(request: IncomingMessage, size: number): void {
  const announced = request.headers['content-length'];
  const streamed = request.headers['transfer-encoding'] !== undefined;
  if (streamed || Number(announced ?? 0) === size) return;
  throw mismatch(`Content-Length: ${size} bytes were announced (received ${Number(announced ?? 0)}).`);
}

/**
 * Reads a body of exactly `size` bytes and answers its SHA-256. `write` gets the bytes in order with their position.
 * Throws `upload_mismatch` for fewer or more bytes, and whatever cuts the connection; the server cuts idle ones.
 */
export function receiveBody(
  request: IncomingMessage,
  size: number,
  write: (bytes: Buffer, position: number) => Promise<void>,
): Promise<string> {
  return size <= GATHERED ? gather(request, size, write) : streamThrough(request, size, write);
}

async function gather(
  request: IncomingMessage,
  size: number,
  write: (bytes: Buffer, position: number) => Promise<void>,
): Promise<string> {
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
  const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
  await write(bytes, 0);
  return hash('sha256', bytes, 'hex');
}

async function streamThrough(
  request: IncomingMessage,
  size: number,
  write: (bytes: Buffer, position: number) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256');
  let received = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (received + chunk.length > size) throw wrongSize(size, received + chunk.length);
    const written = write(chunk, received);
    digest.update(chunk);
    await written;
    received += chunk.length;
  }
  if (received !== size) throw wrongSize(size, received);
  return digest.digest('hex');
}

/** A positioned write into an open file, shifted by `offset`. */
export function intoFile(fd: number, offset = 0) {
  return (bytes: Buffer, position: number) => writeAll(fd, bytes, offset + position);
}

function wrongSize(size: number, received: number): ServiceError {
  return mismatch(`The upload must have ${size} bytes (received ${received > size ? 'more' : received}).`);
}

export function mismatch(message: string, details: Record<string, unknown> = {}): ServiceError {
  return new ServiceError('upload_mismatch', message, details);
}
