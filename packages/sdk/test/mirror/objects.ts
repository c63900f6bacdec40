import { hash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Mirror, type MirrorOptions, openMirror } from '../../src/mirror/mirror.ts';
import type { ContentId } from '../../src/mirror/objects.ts';
import { type Handler, serveInTurn } from '../client/misbehaving-server.ts';

export function idOf(bytes: Uint8Array | string): ContentId {
  return { sha256: hash('sha256', bytes), size: Buffer.byteLength(bytes) };
}

export function objectPath({ sha256 }: ContentId): string {
  return `objects/${sha256.slice(0, 2)}/${sha256}`;
}

/** Everything that a reader was given, and the error that ended it. */
export async function readAll(mirror: Mirror, object: ContentId, signal?: AbortSignal) {
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of mirror.read(object, signal)) pieces.push(piece);
    return { bytes: Buffer.concat(pieces), error: null };
  } catch (error) {
    return { bytes: Buffer.concat(pieces), error };
  }
}

/** A mirror behind a server that answers one request after the other as its handlers say. */
export async function mirrorOf(options: MirrorOptions, ...handlers: Handler[]) {
  const server = await serveInTurn(...handlers);
  const mirror = openMirror(`${server.url}/stick/`, {
    retry: { attempts: 3, pause: 1, maxPause: 1_000 },
    ...options,
  });
  onTestFinished(async () => {
    await mirror.close();
    await server.close();
  });
  return { mirror, server };
}

export const send =
  (bytes: Uint8Array | string, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    void response.writeHead(200, headers).end(bytes);
