import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { inFrames } from '../../formats/test/blend-files.ts';
import { memoryFiles } from '../src/index.ts';
import { renderThumbnail } from '../src/thumbnail.ts';
import { decode } from './pictures.ts';

/** A block of a Blender file: its code, then as many bytes as it says. */
type Block = readonly [code: string, content: Buffer];

/** A file whose pointers have `bits` bits, as Blender up to 4 writes it. */
function blend(bits: 32 | 64, isLittle: boolean, ...blocks: readonly Block[]): Buffer {
  const head = Buffer.from(`BLENDER${bits === 32 ? '_' : '-'}${isLittle ? 'v' : 'V'}279`);
  const parts = blocks.map(([code, content]) => {
    const start = Buffer.alloc(bits === 32 ? 20 : 24);
    start.write(code);
    if (isLittle) start.writeInt32LE(content.length, 4);
    else start.writeInt32BE(content.length, 4);
    return Buffer.concat([start, content]);
  });
  return Buffer.concat([head, ...parts]);
}

/** A file of Blender 5, with lengths of 64 bits. */
function blend5(...blocks: readonly Block[]): Buffer {
  const parts = blocks.map(([code, content]) => {
    const start = Buffer.alloc(32);
    start.write(code);
    start.writeBigInt64LE(BigInt(content.length), 16);
    return Buffer.concat([start, content]);
  });
  return Buffer.concat([Buffer.from('BLENDER17-01v0500'), ...parts]);
}

/** Red above, green below; rows are stored from the bottom. */
function preview(isLittle = true, width = 32, height = 32): Buffer {
  const size = Buffer.alloc(8);
  for (const [at, side] of [width, height].entries()) {
    if (isLittle) size.writeInt32LE(side, at * 4);
    else size.writeInt32BE(side, at * 4);
  }
  const half = (...color: readonly number[]) => Buffer.alloc(32 * 16 * 4, Buffer.from([...color, 255]));
  return Buffer.concat([size, half(0, 255, 0), half(255, 0, 0)]);
}

const BEFORE: Block = ['REND', Buffer.alloc(72)];
const AFTER: Block = ['DATA', Buffer.alloc(2_000_000)];
const MODERN = blend(64, true, BEFORE, ['TEST', preview()], AFTER);

async function thumbnailOf(bytes: Uint8Array) {
  const files = memoryFiles(new Map([['a.blend', bytes]]));
  return renderThumbnail({ kind: 'file', format: 'blend', entry: 'a.blend', files });
}

describe('the preview that a Blender file carries is its thumbnail', () => {
  test.each<[string, Buffer]>([
    ['with pointers of 64 bits', MODERN],
    ['with pointers of 32 bits', blend(32, true, BEFORE, ['TEST', preview()])],
    ['of a big-endian machine', blend(64, false, BEFORE, ['TEST', preview(false)])],
    ['of Blender 5', blend5(BEFORE, ['TEST', preview()], AFTER)],
    ['compressed by gzip', gzipSync(MODERN)],
    ['compressed by Zstandard', zstdCompressSync(MODERN)],
    ['compressed by Zstandard in frames, as Blender does', inFrames(MODERN, 1_000)],
  ])('%s', async (_title, bytes) => {
    const { width, height, data } = await decode(await thumbnailOf(bytes));
    expect([width, height]).toEqual([32, 32]);
    expect(data[0]).toBeGreaterThan(200);
    expect(data[1]).toBeLessThan(60);
    expect(data[data.length - 3]).toBeGreaterThan(200);
  });
});

test.each<[string, Buffer, string]>([
  ['without a preview', blend(64, true, BEFORE, AFTER), 'the Blender file carries no preview picture'],
  ['that is cut', MODERN.subarray(0, 150), 'the Blender file is cut off'],
  [
    'with a preview of an impossible size',
    blend(64, true, ['TEST', preview(true, 1_000_000, 1_000_000)]),
    'the preview picture of the Blender file is damaged',
  ],
  [
    'with a block of a negative length',
    Buffer.from(MODERN).fill(0xff, 16, 20),
    'the Blender file is cut off or damaged',
  ],
  ['that is something else', Buffer.from('<html>'), 'not a Blender file'],
  ['that grows without end', gzipSync(Buffer.alloc(100_000_000)), 'the Blender file cannot be decompressed'],
])('a Blender file %s has no thumbnail', async (_title, bytes, warning) => {
  expect(await thumbnailOf(bytes)).toEqual({ warning });
});
