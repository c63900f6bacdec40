import { Unrenderable } from '../reading/errors.ts';
import { type BlendHeader, latin1 } from './blocks.ts';

/** A member of a structure. */
export interface Field {
  type: string;
  offset: number;
  bytes: number;
}

/** A structure as the Blender that wrote the file had it. */
export interface Structure {
  name: string;
  fields: ReadonlyMap<string, Field>;
}

/** The most entries of each list; Blender has some thousands. */
const MOST = 100_000;

/**
 * Reads the description of all structures, with which every file says how it is to be read (Blender's `dna_genfile.cc`). @throws
 * Unrenderable for a damaged one
 */
export function structuresOf(
  { littleEndian, pointerBytes }: Pick<BlendHeader, 'littleEndian' | 'pointerBytes'>,
  bytes: Uint8Array,
): Structure[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  expectTag('SDNA');
  const names = texts('NAME');
  const types = texts('TYPE');
  expectTag('TLEN');
  const sizes = types.map(() => short());
  expectTag('STRC');
  return Array.from({ length: count() }, () => {
    const name = types[short()] ?? damaged();
    let offset = 0;
    const fields = new Map<string, Field>();
    for (let left = short(); left > 0; left--) {
      const type = short();
      const declared = names[short()] ?? damaged();
      const size = isPointer(declared) ? pointerBytes : (sizes[type] ?? damaged());
      const field = { type: types[type] ?? damaged(), offset, bytes: size * lengthOf(declared) };
      fields.set(declared.split('[', 1)[0] ?? '', field);
      offset += field.bytes;
    }
    return { name, fields };
  });

  function expectTag(tag: string): void {
    at = Math.ceil(at / 4) * 4;
    if (latin1(bytes.subarray(at, at + 4)) !== tag) damaged();
    at += 4;
  }

  function texts(tag: string): string[] {
    expectTag(tag);
    return Array.from({ length: count() }, () => {
      const end = bytes.indexOf(0, at);
      if (end < 0) damaged();
      const text = latin1(bytes.subarray(at, end));
      at = end + 1;
      return text;
    });
  }

  function count(): number {
    if (at + 4 > bytes.length) damaged();
    const found = view.getInt32(at, littleEndian);
    at += 4;
    return found < 0 || found > MOST ? damaged() : found;
  }

  function short(): number {
    if (at + 2 > bytes.length) damaged();
    at += 2;
    return view.getUint16(at - 2, littleEndian);
  }
}

function damaged(): never {
  throw new Unrenderable('the description of structures in the Blender file is damaged');
}

function isPointer(declared: string): boolean {
  return declared.startsWith('*') || declared.startsWith('(*');
}

/** `name[4][4]` is 16 of them. */
function lengthOf(declared: string): number {
  return [...declared.matchAll(/\[(\d+)\]/g)].reduce((product, [, length]) => product * Number(length), 1);
}
