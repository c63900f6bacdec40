import { endianness } from 'node:os';

type Section = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

/** Named arrays of numbers, as stored in one file. */
export type Sections = Readonly<Record<string, Section>>;

const KINDS = { Uint8Array, Uint16Array, Uint32Array, Float32Array, Float64Array };
type Kind = keyof typeof KINDS;

interface Entry {
  name: string;
  kind: Kind;
  /** Bytes from the start of the file; a multiple of 8. */
  offset: number;
  length: number;
}

const MAGIC = 'bndidx1\n';
const ALIGNMENT = 8;
/** The magic, then the length of the table of contents as a 32-bit number, padded. */
const PREAMBLE = 16;

if (endianness() !== 'LE')
  throw new Error('Revision indexes are written and read on little-endian machines.');

/**
 * Encodes sections as one file: a preamble, a table of contents in JSON, then every array, aligned to 8 bytes so
 * that readers can use views over the file. Equal sections have equal bytes. Returns the pieces in order, to be written
 * without a copy.
 */
export function encodeSections(sections: Sections): Uint8Array[] {
  const entries = Object.entries(sections).sort(([a], [b]) => (a < b ? -1 : 1));
  const tableLength = padded(encodeTable(entries, Number.MAX_SAFE_INTEGER).length);
  const table = encodeTable(entries, PREAMBLE + tableLength);
  const head = Buffer.alloc(PREAMBLE + tableLength, ' ');
  head.write(MAGIC, 'latin1');
  head.writeUInt32LE(tableLength, MAGIC.length);
  table.copy(head, PREAMBLE);
  const bodies = entries.flatMap(([, { buffer, byteOffset, byteLength }]) => [
    new Uint8Array(buffer, byteOffset, byteLength),
    new Uint8Array(padded(byteLength) - byteLength),
  ]);
  return [head, ...bodies];
}

/** Returns the bytes of a file of sections. */
export function joinSections(sections: Sections): Uint8Array<ArrayBuffer> {
  const pieces = encodeSections(sections);
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.byteLength;
  }
  return bytes;
}

/** Returns views over the bytes of a file of sections; copies nothing if the bytes are aligned to 8. */
export function decodeSections(bytes: Uint8Array): Sections {
  const file = bytes.byteOffset % ALIGNMENT === 0 ? bytes : new Uint8Array(bytes);
  const head = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('This is not a revision index.');
  const tableLength = head.readUInt32LE(MAGIC.length);
  const entries: Entry[] = JSON.parse(head.toString('utf8', PREAMBLE, PREAMBLE + tableLength));
  return Object.fromEntries(
    entries.map(({ name, kind, offset, length }) => [
      name,
      new KINDS[kind](file.buffer as ArrayBuffer, file.byteOffset + offset, length),
    ]),
  );
}

/** Returns the section of this name, which must exist and be of the expected kind. */
export function sectionOf<K extends Kind>(
  sections: Sections,
  name: string,
  kind: K,
): InstanceType<(typeof KINDS)[K]> {
  const section = sections[name];
  if (section instanceof KINDS[kind]) return section as InstanceType<(typeof KINDS)[K]>;
  throw new Error(`The revision index has no section ${name} of kind ${kind}.`);
}

function encodeTable(sections: [string, Section][], start: number): Buffer {
  let offset = start;
  const table = sections.map(([name, section]): Entry => {
    const entry = { name, kind: kindOf(section), offset, length: section.length };
    offset += padded(section.byteLength);
    return entry;
  });
  return Buffer.from(JSON.stringify(table));
}

function kindOf(section: Section): Kind {
  const { name } = section.constructor;
  return (name === 'Buffer' ? 'Uint8Array' : name) as Kind;
}

function padded(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}
