import { hash, randomBytes } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IncrementalDigest, IncrementalDigests } from '../../src/obtain/incremental-digests.ts';
import { temporaryFolder } from '../folder.ts';

const MIB = 1024 * 1024;

let descriptor: number;
let digests: IncrementalDigests;
beforeEach(() => {
  descriptor = openSync(join(temporaryFolder(), 'cloud.ply'), 'w+');
});
afterEach(async () => {
  await digests.close();
  closeSync(descriptor);
});

/** Writes at the end of the file and says so. */
function append(digest: IncrementalDigest, bytes: Buffer, at: number): number {
  writeSync(descriptor, bytes, 0, bytes.length, at);
  digest.add(bytes);
  return at + bytes.length;
}

describe.each([
  ['in a thread', 1024 * MIB],
  ['without a thread', MIB],
])('the digest of a file while it is written, %s,', (_, expected) => {
  beforeEach(() => {
    digests = new IncrementalDigests(expected);
  });

  test('is that of all its bytes, however they are split and whatever the file held before', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 3 * MIB }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.nat({ max: 2 * MIB }), async (sizes, present) => {
        ftruncateSync(descriptor, 0);
        const content = randomBytes(present + sizes.reduce((sum, size) => sum + size, 0));
        writeSync(descriptor, content, 0, present, 0);
        const digest = await digests.of(descriptor, present);
        let at = present;
        for (const size of sizes) at = append(digest, content.subarray(at, at + size), at);
        expect(await digest.end()).toBe(hash('sha256', content));
        digest.abandon();
      }),
      { numRuns: 15 },
    );
  });

  test('ignores what was written before the file was truncated', async () => {
    const digest = await digests.of(descriptor, 0);
    append(digest, randomBytes(9 * MIB), 0);
    ftruncateSync(descriptor, 0);
    digest.restart();
    const content = randomBytes(5 * MIB);
    append(digest, content, 0);
    expect(await digest.end()).toBe(hash('sha256', content));
  });

  test('can be computed for several files at the same time', async () => {
    const other = openSync(join(temporaryFolder(), 'scan.ply'), 'w+');
    try {
      const [one, two] = [await digests.of(descriptor, 0), await digests.of(other, 0)];
      const contents = [randomBytes(5 * MIB), randomBytes(6 * MIB)] as const;
      for (let at = 0; at < 6 * MIB; at += MIB) {
        if (at < 5 * MIB) append(one, contents[0].subarray(at, at + MIB), at);
        const piece = contents[1].subarray(at, at + MIB);
        writeSync(other, piece, 0, piece.length, at);
        two.add(piece);
      }
      expect([await one.end(), await two.end()]).toEqual(contents.map((content) => hash('sha256', content)));
    } finally {
      closeSync(other);
    }
  });
});

test('a digest is still right if its thread ends early', async () => {
  digests = new IncrementalDigests(1024 * MIB);
  const digest = await digests.of(descriptor, 0);
  const content = randomBytes(9 * MIB);
  const at = append(digest, content.subarray(0, 5 * MIB), 0);
  await digests.close();
  append(digest, content.subarray(at), at);
  expect(await digest.end()).toBe(hash('sha256', content));
});

test('a digest in a thread is computed from the file, not from the bytes reported as written', async () => {
  digests = new IncrementalDigests(1024 * MIB);
  const digest = await digests.of(descriptor, 0);
  const content = randomBytes(5 * MIB);
  writeSync(descriptor, content, 0, content.length, 0);
  writeSync(descriptor, Buffer.from([content[77]! ^ 1]), 0, 1, 77);
  digest.add(content);
  expect(await digest.end()).not.toBe(hash('sha256', content));
});
