import { crc32, deflateRawSync } from 'node:zlib';

/** A ZIP archive. */
export function zip(files: ReadonlyMap<string, Uint8Array>, packing: 'stored' | 'deflated'): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let length = 0;
  const [method, pack] = packing === 'stored' ? ([0, Buffer.from] as const) : ([8, deflateRawSync] as const);
  for (const [name, bytes] of files) {
    const [encoded, packed] = [Buffer.from(name), Buffer.from(pack(bytes))];
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(method, 4);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(encoded.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, Buffer.alloc(14)]);
    entry.writeUInt32LE(length, 42);
    directory.push(entry, encoded);
    const local = [Buffer.from('PK\x03\x04', 'latin1'), shared, encoded, packed];
    parts.push(...local);
    length += local.reduce((sum, part) => sum + part.length, 0);
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(length, 16);
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]));
}
