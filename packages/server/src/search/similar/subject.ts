import { type BodyOf, DESCRIPTOR_PARTS, decodeDescriptor, type routes } from '@bindery/contract';
import { invalidParameter } from '../../errors.ts';
import type { Described, DescribedModel } from './likeness.ts';

/** What is searched for. */
export interface Subject {
  model: DescribedModel | null;
  picture: Described | null;
  vector: { model: string; numbers: Float32Array } | null;
  /** The asset itself, which is never found. */
  asset: { storeId: string; id: string; digest: string } | null;
}

/** Reads what a client has described. Throws `invalid_parameter`. */
export function readSubject({ model, picture, vector }: BodyOf<typeof routes.search.findSimilarTo>): Subject {
  return {
    model: model === undefined ? null : modelOf(bytesOf(model, 'model')),
    picture: picture === undefined ? null : pictureOf(bytesOf(picture, 'picture')),
    vector: vector === undefined ? null : { model: vector.model, numbers: numbersOf(vector.numbers) },
    asset: null,
  };
}

function bytesOf(base64: string, of: 'model' | 'picture'): Int8Array {
  const bytes = decodeDescriptor(base64, of);
  if (bytes === null) throw invalidParameter(`/${of}`, `/${of}: must be a descriptor.`);
  return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function numbersOf(base64: string): Float32Array {
  const bytes = new Uint8Array(Buffer.from(base64, 'base64'));
  const numbers = new Float32Array(bytes.buffer);
  const length = Math.hypot(...numbers);
  if (!(Math.abs(length - 1) < 0.01))
    throw invalidParameter('/vector/numbers', '/vector/numbers: must be a vector of length 1.');
  return numbers;
}

/** Returns the parts of a model's descriptor. */
export function modelOf(bytes: Int8Array): DescribedModel {
  const { shape, colors, hasColors } = DESCRIPTOR_PARTS.model;
  return {
    shape: bytes.subarray(0, shape),
    colors: bytes.subarray(shape, shape + colors + hasColors),
    outlines: bytes.subarray(shape + colors + hasColors),
  };
}

function pictureOf(bytes: Int8Array): Described {
  const { colors, hasColors } = DESCRIPTOR_PARTS.picture;
  return {
    shape: null,
    colors: bytes.subarray(0, colors + hasColors),
    outlines: bytes.subarray(colors + hasColors),
  };
}
