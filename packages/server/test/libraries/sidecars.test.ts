import {
  type LibraryDetail,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  validateSidecar,
} from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { MODEL, sidecarFiles, vectorOf } from '../search/embeddings.ts';
import { startService, type TestService } from '../service.ts';
import { publish, type WrittenAsset } from './publish.ts';

const ASSETS: WrittenAsset[] = ['arm', 'mug'].map((id) => ({ id, files: { [`${id}/f`]: id } }));
const WHOLE = sidecarFiles({
  arm: { image: vectorOf(0.5), text: vectorOf(0.1) },
  mug: { image: vectorOf(0.7), text: null },
});
const DOCUMENT = WHOLE[VECTORS_INDEX_PATH]!;
const MATRIX = WHOLE[VECTORS_MATRIX_PATH]!;

test('a sidecar truncated at any length is invalid', () => {
  expect(validateSidecar(DOCUMENT, MATRIX.length)).toMatchObject({ ok: true, rows: 3 });
  for (let length = 0; length < DOCUMENT.length; length++) {
    expect([length, validateSidecar(DOCUMENT.subarray(0, length), MATRIX.length).ok]).toEqual([
      length,
      false,
    ]);
  }
  for (let length = 0; length < MATRIX.length; length++) {
    expect([length, validateSidecar(DOCUMENT, length).ok]).toEqual([length, false]);
  }
});

describe('a register', () => {
  let service: TestService;
  let ada: Actor;

  beforeAll(async () => {
    service = await startService();
    ada = await service.member('ada');
  });
  afterAll(() => service.close());

  const register = (generated: Record<string, Uint8Array>, assets = ASSETS): Promise<LibraryDetail> =>
    publish(ada, 'ada/home', { assets, generated });

  test('shows the dimension of a valid sidecar as vectorsDim', async () => {
    expect(await register(WHOLE)).toMatchObject({ vectorsDim: 768, semantic: false });
    expect(await register(WHOLE)).not.toHaveProperty('warnings');
  });

  const changed = (change: (matrix: DataView) => void) => {
    const matrix = new Uint8Array(MATRIX);
    change(new DataView(matrix.buffer));
    return { ...WHOLE, [VECTORS_MATRIX_PATH]: matrix };
  };
  const rewritten = (from: string, to: string) => ({
    ...WHOLE,
    [VECTORS_INDEX_PATH]: Buffer.from(String(DOCUMENT).replace(from, to)),
  });

  test.each<[string, Record<string, Uint8Array>, RegExp]>([
    [
      'a truncated matrix',
      { ...WHOLE, [VECTORS_MATRIX_PATH]: MATRIX.subarray(0, 1_000) },
      /not a whole number of rows/,
    ],
    [
      'a missing row',
      { ...WHOLE, [VECTORS_MATRIX_PATH]: MATRIX.subarray(0, 6_144) },
      /names row 2 of a matrix of 2/,
    ],
    ['a NaN value', changed((matrix) => matrix.setFloat32(8, Number.NaN, true)), /not finite/],
    ['a row that is not normalised', changed((matrix) => matrix.setFloat32(8, 3, true)), /has length 3/],
    ['a truncated document', { ...WHOLE, [VECTORS_INDEX_PATH]: DOCUMENT.subarray(0, 60) }, /vectors\.json/],
    ['an unknown asset', rewritten('"mug"', '"cup"'), /there is no asset "cup"/],
    ['a duplicate asset', rewritten('"mug"', '"arm"'), /is listed twice/],
    ['no matrix', { [VECTORS_INDEX_PATH]: DOCUMENT }, /vectors\.json is there without its other half/],
    ['no document', { [VECTORS_MATRIX_PATH]: MATRIX }, /vectors\.f32 is there without its other half/],
  ])('ignores a sidecar with %s and warns about it', async (_, generated, problem) => {
    const { vectorsDim, semantic, warnings } = await register(generated);
    expect({ vectorsDim, semantic }).toEqual({ vectorsDim: null, semantic: false });
    expect(warnings).toEqual([expect.stringMatching(problem)]);
  });

  test('validates an unchanged sidecar again when the assets change', async () => {
    expect(await register(WHOLE)).toMatchObject({ vectorsDim: 768 });
    const { vectorsDim, warnings } = await register(WHOLE, ASSETS.slice(0, 1));
    expect(vectorsDim).toBeNull();
    expect(warnings).toEqual([expect.stringMatching(/there is no asset "mug"/)]);
  });

  test('stores the model of the sidecar', async () => {
    await register(WHOLE);
    const { vectors_model } = await service.context.db
      .selectFrom('libraries')
      .select('vectors_model')
      .where('name', '=', 'home')
      .executeTakeFirstOrThrow();
    expect(vectors_model).toBe(MODEL);
  });
});
