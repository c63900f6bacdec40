import { Unrenderable } from '../reading/errors.ts';
import { type BlendHeader, type BlendStream, pointerAt, readBlocks, readHeader } from './blocks.ts';
import { type Structure, structuresOf } from './structures.ts';

/** A data-block that is marked as an asset, as Blender's asset browser shows it. Nothing is empty. */
export interface AssetDataBlock {
  name: string;
  /** Such as `OBJECT` or `MATERIAL`, as in Blender's `ID.id_type`. */
  idType: string;
  catalogId?: string;
  author?: string;
  description?: string;
  license?: string;
  copyright?: string;
  tags?: string[];
}

export interface BlendAssets {
  /** Of the Blender that wrote the file, such as `4.5`. */
  blenderVersion: string;
  dataBlocks: AssetDataBlock[];
}

/** The most of a file; beyond that it is refused. */
const MOST = {
  dataBlocks: 10_000,
  characters: 2 * 2 ** 20,
  dataBlockBytes: 2 ** 20,
  structureBytes: 4 * 2 ** 20,
};
/** The most of a data-block; what is beyond that is left out. */
const MOST_SHOWN = { textBytes: 4 * 2 ** 10, tags: 100 };
/** What is kept of a data-block until it has been read: its metadata is in small pieces. */
const KEPT = { pieceBytes: 16 * 2 ** 10, bytes: 4 * 2 ** 20 };

/** By the code of a block. */
const ID_TYPES: Readonly<Record<string, string>> = {
  AC: 'ACTION',
  AR: 'ARMATURE',
  BR: 'BRUSH',
  CA: 'CAMERA',
  CF: 'CACHEFILE',
  CU: 'CURVE',
  CV: 'CURVES',
  GD: 'GREASEPENCIL',
  GP: 'GREASEPENCIL_V3',
  GR: 'COLLECTION',
  IM: 'IMAGE',
  KE: 'KEY',
  LA: 'LIGHT',
  LP: 'LIGHT_PROBE',
  LS: 'LINESTYLE',
  LT: 'LATTICE',
  MA: 'MATERIAL',
  MB: 'META',
  MC: 'MOVIECLIP',
  ME: 'MESH',
  MS: 'MASK',
  NT: 'NODETREE',
  OB: 'OBJECT',
  PA: 'PARTICLE',
  PC: 'PAINTCURVE',
  PL: 'PALETTE',
  PT: 'POINTCLOUD',
  SC: 'SCENE',
  SK: 'SPEAKER',
  SO: 'SOUND',
  TE: 'TEXTURE',
  TX: 'TEXT',
  VF: 'FONT',
  VO: 'VOLUME',
  WO: 'WORLD',
};

/**
 * Reads which data-blocks of a Blender file are assets. `open` is called twice: the structures, which tell how to read the rest, are at
 * the end. @throws Unrenderable for what is no Blender file, or a damaged one
 */
export async function readAssetDataBlocks(open: () => BlendStream): Promise<BlendAssets> {
  const structures = await readStructures(open());
  const stream = open();
  const header = await readHeader(stream);
  const reader = new DataBlockReader(header, structures);
  const dataBlocks: AssetDataBlock[] = [];
  let characters = 0;
  const add = (marked: MarkedDataBlock) => {
    const dataBlock = reader.read(marked);
    characters += JSON.stringify(dataBlock).length;
    dataBlocks.push(dataBlock);
    if (dataBlocks.length > MOST.dataBlocks)
      throw new Unrenderable(`the Blender file has more than ${MOST.dataBlocks} assets`);
    if (characters > MOST.characters)
      throw new Unrenderable('the Blender file says too much about its assets');
  };
  let marked: MarkedDataBlock | null = null;
  for await (const { block, take } of readBlocks(stream, header)) {
    if (block.code === 'DATA') {
      if (marked !== null && block.length <= KEPT.pieceBytes) marked.keep(block.address, await take());
      continue;
    }
    if (marked !== null) add(marked);
    const idType = ID_TYPES[block.code];
    const isRead = idType !== undefined && block.length <= MOST.dataBlockBytes;
    marked = isRead ? reader.marked(idType, await take()) : null;
  }
  if (marked !== null) add(marked);
  const version = `${Math.floor(header.version / 100)}.${header.version % 100}`;
  return { blenderVersion: version, dataBlocks };
}

async function readStructures(stream: BlendStream): Promise<Structure[]> {
  const header = await readHeader(stream);
  for await (const { block, take } of readBlocks(stream, header)) {
    if (block.code !== 'DNA1') continue;
    if (block.length > MOST.structureBytes) break;
    return structuresOf(header, await take());
  }
  throw new Unrenderable('the Blender file does not describe its structures');
}

/** A data-block that is an asset, with the pieces of memory that follow it in the file. */
class MarkedDataBlock {
  readonly #pieces = new Map<bigint, Uint8Array>();
  #bytes = 0;
  readonly name: string;
  readonly idType: string;
  readonly metadata: bigint;

  constructor(name: string, idType: string, metadata: bigint) {
    this.name = name;
    this.idType = idType;
    this.metadata = metadata;
  }

  keep(address: bigint, bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes <= KEPT.bytes) this.#pieces.set(address, Uint8Array.from(bytes));
  }

  at(address: bigint): Uint8Array | null {
    return this.#pieces.get(address) ?? null;
  }
}

class DataBlockReader {
  readonly #header: BlendHeader;
  readonly #structures: Map<string, Structure>;

  constructor(header: BlendHeader, structures: readonly Structure[]) {
    this.#header = header;
    this.#structures = new Map(structures.map((structure) => [structure.name, structure]));
  }

  /** Returns what to read of a data-block, null if it is no asset. */
  marked(idType: string, bytes: Uint8Array): MarkedDataBlock | null {
    const metadata = this.#pointer('ID', '*asset_data', bytes);
    if (metadata === 0n) return null;
    // The first two letters are the type again.
    const name = this.#text('ID', 'name', bytes).slice(2);
    return name === '' ? null : new MarkedDataBlock(name, idType, metadata);
  }

  read(marked: MarkedDataBlock): AssetDataBlock {
    const { name, idType } = marked;
    const metadata = marked.at(marked.metadata);
    if (metadata === null) return { name, idType };
    const pointed = (field: string) => {
      const bytes = marked.at(this.#pointer('AssetMetaData', field, metadata));
      return bytes === null ? '' : textOf(bytes);
    };
    const described = {
      catalogId: this.#catalogId(metadata),
      author: pointed('*author'),
      description: pointed('*description'),
      license: pointed('*license'),
      copyright: pointed('*copyright'),
      tags: this.#tags(marked, metadata),
    };
    return {
      name,
      idType,
      ...Object.fromEntries(Object.entries(described).filter(([, value]) => value.length > 0)),
    };
  }

  #tags(marked: MarkedDataBlock, metadata: Uint8Array): string[] {
    const list = this.#field('AssetMetaData', 'tags', metadata);
    const tags: string[] = [];
    let next = this.#pointerIn(list);
    while (next !== 0n && tags.length < MOST_SHOWN.tags) {
      const tag = marked.at(next);
      if (tag === null) break;
      tags.push(this.#text('AssetTag', 'name', tag));
      next = this.#pointer('AssetTag', '*next', tag);
    }
    return tags.filter((tag) => tag !== '');
  }

  /** A UUID is three numbers, of which the bytes are in the order of the machine, and eight bytes. */
  #catalogId(metadata: Uint8Array): string {
    const bytes = this.#field('AssetMetaData', 'catalog_id', metadata);
    if (bytes.length !== 16 || bytes.every((byte) => byte === 0)) return '';
    const groups = [bytes.slice(0, 4), bytes.slice(4, 6), bytes.slice(6, 8)];
    if (this.#header.littleEndian) for (const group of groups) group.reverse();
    const digits = [...groups, bytes.slice(8, 10), bytes.slice(10)];
    return digits
      .map((group) => Array.from(group, (byte) => byte.toString(16).padStart(2, '0')).join(''))
      .join('-');
  }

  #text(structure: string, field: string, bytes: Uint8Array): string {
    return textOf(this.#field(structure, field, bytes));
  }

  #pointer(structure: string, field: string, bytes: Uint8Array): bigint {
    return this.#pointerIn(this.#field(structure, field, bytes));
  }

  #pointerIn(bytes: Uint8Array): bigint {
    if (bytes.length < this.#header.pointerBytes) return 0n;
    return pointerAt(this.#header, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0);
  }

  /** The bytes of a member; none if the structure, in the version of the file, does not have it. */
  #field(structure: string, name: string, bytes: Uint8Array): Uint8Array {
    const field = this.#structures.get(structure)?.fields.get(name);
    return field === undefined ? new Uint8Array() : bytes.subarray(field.offset, field.offset + field.bytes);
  }
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const shown = bytes.subarray(0, Math.min(end < 0 ? bytes.length : end, MOST_SHOWN.textBytes));
  // Without the part of a character that is cut.
  return new TextDecoder().decode(shown, { stream: true });
}
