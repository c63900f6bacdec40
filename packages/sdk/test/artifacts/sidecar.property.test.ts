import { VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH, validateSidecar } from '@bindery/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSidecar, rowOf, type Sidecar, writeSidecar } from '../../src/artifacts/sidecar.ts';

const DIM = 3;
const row = fc.float32Array({ minLength: DIM, maxLength: DIM, noNaN: true }).map(rowOf);
const vectors = fc
  .uniqueArray(
    fc.tuple(
      fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,9}$/),
      fc.record({ image: fc.option(row), text: fc.option(row) }),
    ),
    { selector: ([id]) => id },
  )
  .map((entries): Sidecar => ({ model: 'a/b/c', dim: DIM, vectors: new Map(entries) }));

function halves(sidecar: Sidecar): { document: Buffer; matrix: Buffer } | null {
  const sources = writeSidecar(sidecar);
  if (sources.length === 0) return null;
  const [document, matrix] = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH].map((path) => {
    const source = sources.find((source) => source.path === path);
    return source?.open(0, source.size) as Buffer;
  });
  return { document: document as Buffer, matrix: matrix as Buffer };
}

describe('a sidecar', () => {
  test('round-trips without the assets that have no vector, and stores one row per vector', () => {
    fc.assert(
      fc.property(vectors, (sidecar) => {
        const kept = [...sidecar.vectors].filter(([, { image, text }]) => image !== null || text !== null);
        const written = halves(sidecar);
        expect(written === null).toBe(kept.length === 0);
        if (written === null) return;
        const { document, matrix } = written;
        const count = kept
          .flatMap(([, { image, text }]) => [image, text])
          .filter((row) => row !== null).length;
        expect(validateSidecar(document, matrix.length)).toMatchObject({ ok: true, rows: count });
        const read = readSidecar(document, matrix) as Sidecar;
        expect(read.model).toBe(sidecar.model);
        expect(plain(read.vectors)).toEqual(plain(new Map(kept)));
      }),
    );
  });

  test('has the same bytes whatever the order of its assets', () => {
    fc.assert(
      fc.property(vectors, (sidecar) => {
        const turned = { ...sidecar, vectors: new Map([...sidecar.vectors].reverse()) };
        expect(halves(turned)).toEqual(halves(sidecar));
      }),
    );
  });

  test('is refused if its matrix is truncated at any length', () => {
    const whole = halves({
      model: 'a/b/c',
      dim: DIM,
      vectors: new Map([
        ['mug', { image: rowOf(new Float32Array([1, 0, 0])), text: rowOf(new Float32Array(3)) }],
      ]),
    });
    const { document, matrix } = whole as { document: Buffer; matrix: Buffer };
    for (let length = 0; length < matrix.length; length++) {
      expect(typeof readSidecar(document, matrix.subarray(0, length)), `${length} bytes`).toBe('string');
    }
  });

  test('stores numbers little-endian', () => {
    expect(Buffer.from(rowOf(new Float32Array([1, -2]))).toString('hex')).toBe('0000803f000000c0');
  });
});

function plain(vectors: Sidecar['vectors']) {
  const hex = (row: Uint8Array | null) => row && Buffer.from(row).toString('hex');
  return Object.fromEntries([...vectors].map(([id, { image, text }]) => [id, [hex(image), hex(text)]]));
}
