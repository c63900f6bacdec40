import { once } from 'node:events';
import fs from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE } from '@bindery/contract';
import { ServiceError } from '../../../errors.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import type { Addresses } from './addresses.ts';
import { COMMON_HEADERS } from './answers.ts';
import { open, readFully } from './files.ts';
import type { Layout } from './layout.ts';

/** Files of one answer that are read at the same time; as many are in memory, and one slow reader holds no more. */
const READ_AT_ONCE = 8;

/** Answers `POST` of presigned addresses with what each of them would have answered; see `BUNDLE` for the frames. */
export async function sendBundle(
  { layout, addresses }: { layout: Layout; addresses: Addresses },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = await readAddresses(request);
  response.writeHead(200, [
    ...COMMON_HEADERS,
    'Content-Type',
    'application/octet-stream',
    'Cache-Control',
    'no-store',
  ]);
  const budget = { left: BUNDLE.bytes };
  for (let at = 0; at < asked.length && !response.destroyed; at += READ_AT_ONCE) {
    const some = asked.slice(at, at + READ_AT_ONCE);
    const frames = await Promise.all(some.map((address) => frameOf(layout, addresses, address, budget)));
    response.cork();
    const flowing = frames.map((frame) => response.write(frame)).at(-1);
    response.uncork();
    if (!flowing) await roomToWrite(response);
  }
  response.end();
}

async function readAddresses(request: IncomingMessage): Promise<string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BUNDLE.requestBytes)
      throw new ServiceError(
        'payload_too_large',
        `A request for a bundle has at most ${BUNDLE.requestBytes} bytes.`,
      );
    chunks.push(chunk);
  }
  const asked = Buffer.concat(chunks).toString('latin1').split('\n');
  if (asked.at(-1) === '') asked.pop();
  if (asked.length === 0 || asked.length > BUNDLE.addresses)
    throw new ServiceError(
      'invalid_request',
      `The body has 1 to ${BUNDLE.addresses} addresses, one in a line (received ${asked.length}).`,
    );
  return asked;
}

async function frameOf(
  layout: Layout,
  addresses: Addresses,
  address: string,
  budget: { left: number },
): Promise<Buffer> {
  const verdict = addresses.verify('GET', address);
  if (verdict === 'forged' || verdict === 'expired') return refusal(403);
  if (verdict === 'unknown' || verdict.kind !== 'get') return refusal(404);
  return contentFrame(layout, verdict.object, budget);
}

async function contentFrame(
  layout: Layout,
  object: ObjectAddress,
  budget: { left: number },
): Promise<Buffer> {
  const fd = await unlessMissing(open(layout.object(object), 'r', 0));
  if (fd === null) return refusal(404);
  try {
    // What an open file has for a size is in memory.
    const { size } = fs.fstatSync(fd);
    if (size > Math.min(BUNDLE.fileBytes, budget.left)) return refusal(413);
    budget.left -= size;
    const frame = Buffer.allocUnsafe(BUNDLE.headBytes + size);
    writeHead(frame, 200, size);
    const content = frame.subarray(BUNDLE.headBytes);
    if ((await readFully(fd, content, 0)) !== size)
      throw new Error('an object is shorter than its file says');
    return frame;
  } finally {
    fs.closeSync(fd);
  }
}

function refusal(status: number): Buffer {
  return writeHead(Buffer.allocUnsafe(BUNDLE.headBytes), status, 0);
}

function writeHead(frame: Buffer, status: number, length: number): Buffer {
  frame.writeUInt32BE(status, 0);
  frame.writeUInt32BE(length, 4);
  return frame;
}

/** Waits until the reader has taken what was written, or has gone. */
async function roomToWrite(response: ServerResponse): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return;
  const gone = new AbortController();
  const leave = () => gone.abort();
  response.once('close', leave);
  try {
    await once(response, 'drain', { signal: gone.signal });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off('close', leave);
  }
}
