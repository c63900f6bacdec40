import { describe, expect, test } from 'vitest';
import { rowProblem, VECTORS_SCHEMA, validateSidecar } from '../src/index.ts';

const DIM = 4;

function validate(more: Record<string, unknown>, matrixBytes = 3 * DIM * 4) {
  const document = { schema: VECTORS_SCHEMA, model: 'a/b/c', dim: DIM, items: [], ...more };
  return validateSidecar(new TextEncoder().encode(JSON.stringify(document)), matrixBytes);
}

describe('a sidecar', () => {
  test('can be used with an image row, a text row, both or neither for an item', () => {
    const items = [
      { id: 'a', image: 0, text: 1 },
      { id: 'b', image: null, text: 2 },
      { id: 'c', image: 2, text: null },
      { id: 'd', image: null, text: null },
    ];
    expect(validate({ items })).toEqual({ ok: true, dim: DIM, model: 'a/b/c', rows: 3, items });
  });

  test('can be used without a model, which is then null', () => {
    expect(validate({ model: undefined })).toMatchObject({ ok: true, model: null });
  });

  test.each([
    ['another schema', { schema: 'bindery.assets/v1' }, 'schema'],
    ['a dimension of zero', { dim: 0 }, 'dim'],
    ['an unknown key', { extra: 1 }, 'extra'],
    ['a negative row', { items: [{ id: 'a', image: -1, text: 0 }] }, 'items.0.image'],
    ['a row past the end of the matrix', { items: [{ id: 'a', image: 3, text: 0 }] }, 'row 3'],
    [
      'a duplicate id',
      {
        items: [
          { id: 'a', image: 0, text: 0 },
          { id: 'a', image: 1, text: 1 },
        ],
      },
      'twice',
    ],
    ['an invalid id', { items: [{ id: '../a', image: 0, text: 0 }] }, 'items.0.id'],
  ])('cannot be used with %s', (_, more, reason) => {
    expect(validate(more)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('cannot be used with an incomplete matrix row, or a document that is not JSON', () => {
    expect(validate({}, 3 * DIM * 4 + 4)).toMatchObject({ ok: false });
    expect(validateSidecar(new TextEncoder().encode('{'), 0)).toMatchObject({ ok: false });
  });
});

describe('rows of the matrix', () => {
  test('are accepted if their length is close to 1', () => {
    expect(rowProblem(Float32Array.of(1, 0, 0, 0, 0.5, 0.5, 0.5, 0.501), DIM)).toBeNull();
  });

  test.each([
    ['too long', 1.1, 'length 1.1000'],
    ['zero', 0, 'length 0.0000'],
    ['not a number', Number.NaN, 'not finite'],
    ['infinite', Number.POSITIVE_INFINITY, 'not finite'],
  ])('that are %s are reported with their row number', (_, value, reason) => {
    const rows = Float32Array.of(1, 0, 0, 0, value, 0, 0, 0);
    expect(rowProblem(rows, DIM, 10)).toContain(`row 11`);
    expect(rowProblem(rows, DIM, 10)).toContain(reason);
  });
});
