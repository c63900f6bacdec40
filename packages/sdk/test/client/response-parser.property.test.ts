import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ResponseParser } from '../../src/client/response-parser.ts';

interface Seen {
  heads: [number, Record<string, string>][];
  body: Buffer;
  done: boolean;
  keepsAlive: boolean;
}

/** What a parser makes of an answer that comes in such pieces; the connection closes after the last one. */
function parse(answer: Buffer, cuts: readonly number[] = []): Seen {
  const heads: Seen['heads'] = [];
  const pieces: Buffer[] = [];
  const parser = new ResponseParser({
    onHead: (status, headers) => void heads.push([status, { ...headers }]),
    onBytes: (bytes) => void pieces.push(Buffer.from(bytes)),
  });
  const places = [...new Set(cuts.map((cut) => cut % (answer.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const at of [...places, answer.length]) {
    // Read from memory that is overwritten afterwards, as the connection's is.
    const piece = Buffer.from(answer.subarray(from, at));
    parser.read(piece);
    piece.fill(0xff);
    from = at;
  }
  parser.end();
  return { heads, body: Buffer.concat(pieces), done: parser.done, keepsAlive: parser.keepsAlive };
}

function answer(head: string, body: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from(head.replaceAll('\n', '\r\n'), 'latin1'), Buffer.from(body)]);
}

function chunked(body: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const piece = body.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

const bodies = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes));
const divisions = fc.array(fc.nat(2_000), { maxLength: 12 });
const sizes = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 5 });

describe('an HTTP response', () => {
  test('with a Content-Length is parsed completely, however it is split', () => {
    fc.assert(
      fc.property(bodies, divisions, (body, cuts) => {
        const whole = answer(`HTTP/1.1 200 OK\nContent-Length: ${body.length}\nETag: "a"\n\n`, body);
        expect(parse(whole, cuts)).toEqual({
          heads: [[200, { 'content-length': String(body.length), etag: '"a"' }]],
          body,
          done: true,
          keepsAlive: true,
        });
      }),
    );
  });

  test('with chunked encoding is parsed completely, whatever the chunk sizes and however it is split', () => {
    fc.assert(
      fc.property(bodies, sizes, divisions, (body, chunks, cuts) => {
        const head = answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n');
        const seen = parse(Buffer.concat([head, chunked(body, chunks)]), cuts);
        expect(seen).toMatchObject({ body, done: true, keepsAlive: true });
      }),
    );
  });

  test('without a length ends when the connection closes', () => {
    const seen = parse(answer('HTTP/1.1 200 OK\n\n', 'to the end'), [21]);
    expect(seen).toMatchObject({ body: Buffer.from('to the end'), done: true, keepsAlive: false });
  });

  test('truncated at any byte is never taken as complete', () => {
    const body = Buffer.alloc(300, 7);
    const [plain, inChunks] = [
      answer('HTTP/1.1 200 OK\nContent-Length: 300\n\n', body),
      Buffer.concat([answer('HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n'), chunked(body, [40])]),
    ];
    for (const whole of [plain, inChunks])
      for (let length = 0; length < whole.length; length++)
        expect(parse(whole.subarray(0, length)).done).toBe(false);
  });

  test.each(['100 Continue', '103 Early Hints'])('is read after an interim %s', (interim) => {
    const seen = parse(
      answer(`HTTP/1.1 ${interim}\nLink: </a>\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\n`, 'ok'),
    );
    expect(seen).toMatchObject({ heads: [[200, { 'content-length': '2' }]], body: Buffer.from('ok') });
  });

  test.each([204, 304])('with status %i has no body', (status) => {
    expect(parse(answer(`HTTP/1.1 ${status} X\nContent-Length: 9\n\n`)).done).toBe(true);
  });

  test.each([
    'HTTP/1.0 200 OK\nContent-Length: 0\n\n',
    'HTTP/1.1 200 OK\nConnection: Close\nContent-Length: 0\n\n',
  ])('does not keep the connection alive if its head is %j', (head) => {
    expect(parse(answer(head))).toMatchObject({ done: true, keepsAlive: false });
  });

  test('has the values of a repeated header joined into one', () => {
    expect(parse(answer('HTTP/1.1 200 OK\nVary: a\nvary:b \nContent-Length: 0\n\n')).heads).toEqual([
      [200, { vary: 'a, b', 'content-length': '0' }],
    ]);
  });
});

describe('the HTTP response parser', () => {
  const head = 'HTTP/1.1 200 OK\n';
  test.each([
    ['another protocol', answer('SSH-2.0-OpenSSH\n')],
    ['a bare HTML page', answer('<html>\n')],
    ['a protocol switch', answer('HTTP/1.1 101 Switching\n\n')],
    ['two Content-Length headers', answer(`${head}Content-Length: 1\nContent-Length: 2\n\n`, 'ab')],
    ['a length with a plus sign', answer(`${head}Content-Length: +1\n\n`, 'a')],
    [
      'both a length and chunked encoding',
      answer(`${head}Content-Length: 1\nTransfer-Encoding: chunked\n\n`, '0\r\n\r\n'),
    ],
    ['another transfer coding', answer(`${head}Transfer-Encoding: gzip, chunked\n\n`)],
    ['a header folded onto the next line', answer(`${head}A: b\n c\n\n`)],
    ['a space before the colon', answer(`${head}Content-Length : 1\n\n`, 'a')],
    ['a line without its carriage return', Buffer.from('HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n')],
    ['a header with a NUL', answer(`${head}A: b\0c\n\n`)],
    ['an endless header section', answer(`${head}A: ${'b'.repeat(20_000)}`)],
    ['a chunk without a length', answer(`${head}Transfer-Encoding: chunked\n\n\n`)],
    ['a chunk with a negative length', answer(`${head}Transfer-Encoding: chunked\n\n-1\n`)],
    ['a chunk longer than its declared length', answer(`${head}Transfer-Encoding: chunked\n\n1\nab\n0\n\n`)],
    ['bytes after the end of a response', answer(`${head}Content-Length: 1\n\n`, 'ab')],
  ])('refuses %s', (_, bytes) => {
    expect(() => parse(bytes)).toThrow(expect.objectContaining({ code: 'MALFORMED_ANSWER' }));
    fc.assert(
      fc.property(divisions, (cuts) => {
        expect(() => parse(bytes, cuts)).toThrow(expect.objectContaining({ code: 'MALFORMED_ANSWER' }));
      }),
      { numRuns: 20 },
    );
  });

  test('throws no error but MALFORMED_ANSWER, whatever bytes it reads', () => {
    const lines = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'Content-Length: 3\r\n',
      '\r\n',
      'abc',
      '3\r\n',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(lines, fc.string()), { maxLength: 8 }), divisions, (parts, cuts) => {
        try {
          parse(Buffer.from(parts.join('')), cuts);
        } catch (error) {
          expect(error).toMatchObject({ code: 'MALFORMED_ANSWER' });
        }
      }),
    );
  });
});
