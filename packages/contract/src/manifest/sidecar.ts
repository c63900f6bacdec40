import { z } from 'zod';
import { assetId } from '../name-schemas.ts';
import { VECTORS_SCHEMA } from '../names.ts';
import { parseStrictJson } from './strict-json.ts';

const BYTES_PER_NUMBER = 4;
const MAX_DIMENSIONS = 16_384;

/** How far the length of a row may be from 1 and still count as normalised; half-precision encoders are less exact. */
const LENGTH_TOLERANCE = 0.01;

const row = z.int().min(0).nullable();

export const sidecarDocument = z.strictObject({
  schema: z.literal(VECTORS_SCHEMA),
  /** `<encoder library>/<model>/<pretrained>`; sidecars of older clients have none. */
  model: z.string().max(200).nullable().optional(),
  dim: z.int().min(1).max(MAX_DIMENSIONS),
  items: z.array(z.strictObject({ id: assetId, image: row.optional(), text: row.optional() })),
});
/** `vectors.json`: which row of the matrix belongs to which asset; `image` or `text` may be null. */
export type SidecarDocument = z.infer<typeof sidecarDocument>;

/** A sidecar that can be used. `rows` is the height of the matrix; `items` map assets to rows. */
export interface UsableSidecar {
  ok: true;
  dim: number;
  model: string | null;
  rows: number;
  items: SidecarDocument['items'];
}

export type SidecarVerdict = UsableSidecar | { ok: false; reason: string };

/** Validates `vectors.json` against the length in bytes of `vectors.f32`, little-endian 32-bit floats. */
export function validateSidecar(document: Uint8Array, matrixBytes: number): SidecarVerdict {
  const parsed = parseStrictJson(document);
  if (!parsed.ok) return { ok: false, reason: `vectors.json ${parsed.problem.message}` };
  const shape = sidecarDocument.safeParse(parsed.value);
  if (!shape.success) {
    const [issue] = shape.error.issues;
    return { ok: false, reason: `vectors.json: ${issue?.path.join('.') || 'document'}: ${issue?.message}` };
  }
  const { dim, items, model = null } = shape.data;
  const rows = matrixBytes / (dim * BYTES_PER_NUMBER);
  if (!Number.isInteger(rows)) {
    return {
      ok: false,
      reason: `vectors.f32 has ${matrixBytes} bytes, which is not a whole number of rows of ${dim}`,
    };
  }
  const reason = itemProblem(items, rows);
  return reason === null ? { ok: true, dim, model, rows, items } : { ok: false, reason };
}

function itemProblem(items: SidecarDocument['items'], rows: number): string | null {
  const ids = new Set<string>();
  for (const { id, image, text } of items) {
    if (ids.has(id)) return `vectors.json: the id "${id}" is listed twice`;
    ids.add(id);
    for (const index of [image, text]) {
      if (typeof index === 'number' && index >= rows) {
        return `vectors.json: "${id}" names row ${index} of a matrix of ${rows} rows`;
      }
    }
  }
  return null;
}

/** Returns why whole rows of the matrix cannot be compared by cosine, or null. `first` numbers the first row. */
export function rowProblem(rows: Float32Array, dim: number, first = 0): string | null {
  for (let start = 0; start < rows.length; start += dim) {
    let square = 0;
    for (let at = start; at < start + dim; at++) square += (rows[at] ?? 0) ** 2;
    const length = Math.sqrt(square);
    if (Math.abs(length - 1) <= LENGTH_TOLERANCE) continue;
    const number = first + start / dim;
    return Number.isFinite(length)
      ? `vectors.f32: row ${number} has length ${length.toFixed(4)}, not 1`
      : `vectors.f32: row ${number} has a number that is not finite`;
  }
  return null;
}
