import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openMirror } from '../../src/mirror/mirror.ts';
import type { Handler } from '../client/misbehaving-server.ts';
import { folderWith } from '../folder.ts';
import { idOf, mirrorOf, objectPath, readAll, send } from './objects.ts';

const bytes = randomBytes(3_000_001);
const object = idOf(bytes);
const empty = idOf('');

describe('a mirror in a folder', () => {
  const folder = () => folderWith({ [objectPath(object)]: bytes, [objectPath(empty)]: '' });

  test('returns the bytes of an object', async () => {
    const { bytes: read, error } = await readAll(openMirror(folder()), object);
    expect(error).toBeNull();
    expect(read.equals(bytes)).toBe(true);
  });

  test('can be given as a file: URL', async () => {
    const { bytes: read } = await readAll(openMirror(pathToFileURL(folder()).href), object);
    expect(read.equals(bytes)).toBe(true);
  });

  test('can hold an empty object', async () => {
    expect(await readAll(openMirror(folder()), empty)).toEqual({ bytes: Buffer.alloc(0), error: null });
  });
});

describe('a mirror behind a web server', () => {
  test('is requested below its URL without a token, and returns the bytes of an object', async () => {
    const { mirror, server } = await mirrorOf({}, send(bytes));
    const { bytes: read, error } = await readAll(mirror, object);
    expect(error).toBeNull();
    expect(read.equals(bytes)).toBe(true);
    expect(server.requests[0]?.url).toBe(`/stick/${objectPath(object)}`);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('is resumed where the connection broke', async () => {
    const rest: Handler = (request, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1]);
      response.writeHead(206, { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` });
      response.end(bytes.subarray(from));
    };
    const { mirror, server } = await mirrorOf({}, cutAfter(1_000_000), rest);
    const { bytes: read, error } = await readAll(mirror, object);
    expect(error).toBeNull();
    expect(read.equals(bytes)).toBe(true);
    expect(server.requests[1]?.headers.range).toMatch(/^bytes=[1-9]/);
  });

  test('is read again after a broken connection if its server ignores ranges', async () => {
    const { mirror, server } = await mirrorOf({}, cutAfter(1_000_000), send(bytes));
    const { bytes: read, error } = await readAll(mirror, object);
    expect(error).toBeNull();
    expect(read.equals(bytes)).toBe(true);
    expect(server.requests).toHaveLength(2);
  });

  test('is requested again after a 503', async () => {
    const busy: Handler = (_, response) => void response.writeHead(503).end();
    const { mirror, server } = await mirrorOf({}, busy, busy, send(bytes));
    expect((await readAll(mirror, object)).error).toBeNull();
    expect(server.requests).toHaveLength(3);
  });

  test('stops when its reader aborts, with the reason of the abort', async () => {
    const { mirror } = await mirrorOf({}, (_, response) => {
      response.writeHead(200).write(Buffer.alloc(10));
    });
    const stop = new AbortController();
    const reading = readAll(mirror, object, stop.signal);
    stop.abort(new Error('enough'));
    expect((await reading).error).toEqual(new Error('enough'));
  });
});

test.each([
  ['', /a folder or an address/],
  ['ftp://example.org/mirror', /begins with file:, http: or https:/],
  ['https://ada:secret@example.org/mirror', /must not have a user name or password/],
  ['https://example.org/mirror?list', /must not have a "\?" or "#" part/],
  ['http://', /not a server address/],
  ['file://elsewhere/mirror', /does not name a folder of this machine/],
])('%j is refused as a mirror', (location, problem) => {
  expect(() => openMirror(location)).toThrow(problem);
});

/** Promises all bytes, sends some, and breaks the connection. */
function cutAfter(count: number): Handler {
  return (_, response) => {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, count), () => response.socket?.destroySoon());
  };
}
