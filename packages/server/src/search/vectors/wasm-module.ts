/** Instructions as bytes; see the WebAssembly core specification, "Binary Format". */
export type Code = readonly number[];

const I32 = 0x7f;
export const LOCAL_TYPES = { i32: I32, v128: 0x7b } as const;

const VECTOR = 0xfd;
const TO_START_OF_LOOP = 0;
const NO_RESULT = 0x40;

/** A number in LEB128, unsigned or, for constants, signed. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0);
    bytes.push(done ? byte : byte | 0x80);
    if (done) return bytes;
  }
}

const memory = (alignment: number, offset: number) => [alignment, ...unsigned(offset)];

/** The instructions that the kernels are made of. */
export const op = {
  get: (local: number): Code => [0x20, ...unsigned(local)],
  set: (local: number): Code => [0x21, ...unsigned(local)],
  constant: (value: number): Code => [0x41, ...signed(value)],
  or: [0x72] as Code,
  add: [0x6a] as Code,
  subtract: [0x6b] as Code,
  toFloat: [0xb2] as Code,
  multiplyFloat: [0x94] as Code,
  loadFloat: (offset: number): Code => [0x2a, ...memory(2, offset)],
  storeFloat: (offset: number): Code => [0x38, ...memory(2, offset)],
  load: (offset: number): Code => [0x28, ...memory(2, offset)],
  store: (offset: number): Code => [0x36, ...memory(2, offset)],
  loadVector: (offset: number): Code => [VECTOR, 0x00, ...memory(4, offset)],
  everyByte: (value: number): Code => [VECTOR, 0x0c, ...new Array<number>(16).fill(value)],
  and: [VECTOR, 0x4e] as Code,
  addVectors: [VECTOR, ...unsigned(0xae)] as Code,
  /** `i32x4.shl` */
  shiftLeft: [VECTOR, ...unsigned(0xab)] as Code,
  /** `i16x8.shr_u`: bits of an upper byte move into the lower one. */
  shiftRight: [VECTOR, ...unsigned(0x8d)] as Code,
  lane: (lane: number): Code => [VECTOR, 0x1b, lane],
  add16: [VECTOR, ...unsigned(0x8e)] as Code,
  /** `i32x4.extadd_pairwise_i16x8_s` */
  widenPairs: [VECTOR, ...unsigned(0x7e)] as Code,
  /** `i16x8.relaxed_dot_i8x16_i7x16_s`: signed bytes times bytes of 7 bits, added up in pairs. */
  dot16: [VECTOR, ...unsigned(0x112)] as Code,
  /** `i32x4.relaxed_dot_i8x16_i7x16_add_s`: signed bytes times bytes of 7 bits, added up in fours. */
  dotAdd: [VECTOR, ...unsigned(0x113)] as Code,
  /** Runs the body again and again while it leaves something other than 0. */
  repeatWhile: (body: Code): Code => [0x03, NO_RESULT, ...body, 0x0d, TO_START_OF_LOOP, 0x0b],
} as const;

export interface KernelFunction {
  name: string;
  /** How many 32-bit integers it takes; they are the first locals. */
  parameters: number;
  /** Further locals. */
  locals: readonly { count: number; type: (typeof LOCAL_TYPES)[keyof typeof LOCAL_TYPES] }[];
  body: Code;
}

/** A module of functions without results over one shared memory, imported as `env.memory` of so many pages at most. */
export function encodeModule(
  functions: readonly KernelFunction[],
  maximumPages: number,
): Uint8Array<ArrayBuffer> {
  const shared = 0x03;
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(
      1,
      functions.map(({ parameters }) => [0x60, ...list(repeat(parameters, [I32])), 0x00]),
    ),
    ...section(2, [[...name('env'), ...name('memory'), 0x02, shared, 0x00, ...unsigned(maximumPages)]]),
    ...section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    ...section(
      7,
      functions.map((entry, index) => [...name(entry.name), 0x00, ...unsigned(index)]),
    ),
    ...section(10, functions.map(functionBody)),
  ]);
}

function functionBody({ locals, body }: KernelFunction): number[] {
  const declared = list(locals.map(({ count, type }) => [...unsigned(count), type]));
  return sized([...declared, ...body, 0x0b]);
}

function section(id: number, entries: readonly Code[]): number[] {
  return [id, ...sized(list(entries))];
}

function list(entries: readonly Code[]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

function sized(bytes: Code): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)]);
}

function repeat(count: number, entry: Code): Code[] {
  return Array.from({ length: count }, () => entry);
}
