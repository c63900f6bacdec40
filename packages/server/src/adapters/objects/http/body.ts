import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors.ts';
import type { AnnouncedUpload } from '../../../objects/store.ts';

/** Returns the bytes of a body of exactly `size` bytes, which fits into memory. Throws like `readExactly`. */
export function gatherBody(request: IncomingMessage, size: number): Promise<Buffer> {
  checkContentLength(request, size);
  return gather(request, size);
}

/** Rejects a wrong announced length before any of the body is read. */
export function checkContentLength(request: IncomingMessage, size: number): void {
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

/**
 * Yields a body of exactly `size` bytes. Throws `upload_mismatch` if the size differs, or the error that broke the
 * connection; the server closes idle connections.
 */
export async function* readExactly(request: IncomingMessage, size: number): AsyncGenerator<Buffer> {
  checkContentLength(request, size);
  let received = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > size) throw wrongSize(size, received);
    yield chunk;
  }
  if (received !== size) throw wrongSize(size, received);
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
