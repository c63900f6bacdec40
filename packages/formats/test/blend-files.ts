import { zstdCompressSync } from 'node:zlib';

/** An asset of a Blender file that a test writes. */
export interface WrittenAsset {
  code: string;
  name: string;
  /** What its metadata says; null for a data-block that is no asset. */
  metadata: {
    author?: string;
    description?: string;
    license?: string;
    tags?: string[];
    catalog?: Buffer;
  } | null;
}

/** A structure as it is described in a file: types and names of its members. */
const STRUCTURES: [string, [string, string][]][] = [
  [
    'ListBase',
    [
      ['void', '*first'],
      ['void', '*last'],
    ],
  ],
  ['bUUID', [['char', 'bytes[16]']]],
  [
    'ID',
    [
      ['void', '*next'],
      ['AssetMetaData', '*asset_data'],
      ['char', 'name[66]'],
      ['short', 'flag'],
    ],
  ],
  [
    'AssetMetaData',
    [
      ['void', '*properties'],
      ['bUUID', 'catalog_id'],
      ['char', '*author'],
      ['char', '*description'],
      ['char', '*copyright'],
      ['char', '*license'],
      ['ListBase', 'tags'],
      ['short', 'active_tag'],
      ['short', 'tot_tags'],
    ],
  ],
  [
    'AssetTag',
    [
      ['AssetTag', '*next'],
      ['AssetTag', '*prev'],
      ['char', 'name[64]'],
    ],
  ],
];
const SIZES: Record<string, number> = { void: 0, char: 1, short: 2 };

/** Writes a file of Blender 4.5, or 5.0 with lengths of 64 bits, for 64 bits and little-endian. */
export function blendFile(assets: readonly WrittenAsset[], version: 405 | 500 = 405): Buffer {
  let next = 1n;
  const address = () => 0x7000_0000_0000n + next++ * 0x100n;
  const blocks: Buffer[] = [];
  const add = (code: string, at: bigint, content: Buffer) => {
    const head = Buffer.alloc(version === 500 ? 32 : 24);
    head.write(code);
    if (version === 500) {
      head.writeBigUInt64LE(at, 8);
      head.writeBigInt64LE(BigInt(content.length), 16);
    } else {
      head.writeInt32LE(content.length, 4);
      head.writeBigUInt64LE(at, 8);
    }
    blocks.push(head, content);
  };
  const pointer = (to: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(to);
    return bytes;
  };
  const text = (content: string, size: number) => {
    const bytes = Buffer.alloc(size);
    bytes.write(content);
    return bytes;
  };
  for (const { code, name, metadata } of assets) {
    const at = metadata === null ? 0n : address();
    add(code, address(), Buffer.concat([pointer(0n), pointer(at), text(code + name, 66), Buffer.alloc(2)]));
    add('DATA', address(), Buffer.alloc(70_000, 'a mesh '));
    if (metadata === null) continue;
    const { author, description, license, tags = [], catalog = Buffer.alloc(16) } = metadata;
    const texts = [author, description, undefined, license].map((content) => ({
      content,
      at: content === undefined ? 0n : address(),
    }));
    const tagged = tags.map((tag) => ({ tag, at: address() }));
    add(
      'DATA',
      at,
      Buffer.concat([
        pointer(0n),
        catalog,
        ...texts.map((one) => pointer(one.at)),
        pointer(tagged[0]?.at ?? 0n),
        pointer(tagged.at(-1)?.at ?? 0n),
        Buffer.alloc(4),
      ]),
    );
    for (const one of texts)
      if (one.content !== undefined) add('DATA', one.at, Buffer.from(`${one.content}\0`));
    for (const [place, { tag, at: own }] of tagged.entries())
      add('DATA', own, Buffer.concat([pointer(tagged[place + 1]?.at ?? 0n), pointer(0n), text(tag, 64)]));
  }
  add('DNA1', address(), structures());
  add('ENDB', 0n, Buffer.alloc(0));
  return Buffer.concat([Buffer.from(version === 500 ? 'BLENDER17-01v0500' : 'BLENDER-v405'), ...blocks]);
}

function structures(): Buffer {
  const names = [...new Set(STRUCTURES.flatMap(([, members]) => members.map(([, name]) => name)))];
  const types = [...new Set([...Object.keys(SIZES), ...STRUCTURES.map(([name]) => name)])];
  const sizeOf = (type: string): number =>
    SIZES[type] ??
    (STRUCTURES.find(([name]) => name === type)?.[1] ?? []).reduce(
      (sum, [member, name]) => sum + bytesOf(member, name),
      0,
    );
  const bytesOf = (type: string, name: string) =>
    (name.startsWith('*') ? 8 : sizeOf(type)) * Number(/\[(\d+)\]/.exec(name)?.[1] ?? 1);
  const parts: Buffer[] = [];
  const pad = () => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(Buffer.alloc((4 - (length % 4)) % 4));
  };
  const shorts = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  const count = (value: number) => Buffer.from(Int32Array.of(value).buffer);
  const texts = (tag: string, list: string[]) => {
    pad();
    parts.push(Buffer.from(tag), count(list.length), Buffer.from(list.map((one) => `${one}\0`).join('')));
  };
  parts.push(Buffer.from('SDNA'));
  texts('NAME', names);
  texts('TYPE', types);
  pad();
  parts.push(Buffer.from('TLEN'), shorts(...types.map(sizeOf)));
  pad();
  parts.push(Buffer.from('STRC'), count(STRUCTURES.length));
  for (const [name, members] of STRUCTURES)
    parts.push(
      shorts(
        types.indexOf(name),
        members.length,
        ...members.flatMap(([type, member]) => [types.indexOf(type), names.indexOf(member)]),
      ),
    );
  return Buffer.concat(parts);
}

/** Compresses a file as Blender does: in frames, with a table of these at the end. */
export function inFrames(bytes: Buffer, frameBytes: number): Buffer {
  const frames: { packed: Buffer; length: number }[] = [];
  for (let at = 0; at < bytes.length; at += frameBytes) {
    const part = bytes.subarray(at, at + frameBytes);
    frames.push({ packed: zstdCompressSync(part), length: part.length });
  }
  const entries = Buffer.from(
    Uint32Array.from(frames.flatMap(({ packed, length }) => [packed.length, length])).buffer,
  );
  const head = Buffer.from(Uint32Array.of(0x184d2a5e, entries.length + 9).buffer);
  const footer = Buffer.concat([
    Buffer.from(Uint32Array.of(frames.length).buffer),
    Buffer.from([0]),
    Buffer.from(Uint32Array.of(0x8f92eab1).buffer),
  ]);
  return Buffer.concat([...frames.map(({ packed }) => packed), head, entries, footer]);
}
