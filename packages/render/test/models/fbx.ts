import { deflateSync } from 'node:zlib';
import { pylon } from './pylon.ts';

/** Whole numbers have 32 bits, identifiers (bigint) 64; lists of numbers are arrays of the format. */
export type Value = number | bigint | string | Float64Array | Int32Array | BigInt64Array | Uint8Array;
export interface Record {
  readonly name: string;
  readonly values: readonly Value[];
  readonly children: readonly Record[];
}

export function record(
  name: string,
  values: readonly Value[] = [],
  children: readonly Record[] = [],
): Record {
  return { name, values, children };
}

/** A property with its values, as versions since 7.0 write it. */
export function property(name: string, type: string, ...values: readonly Value[]): Record {
  return record('P', [name, type, '', 'A', ...values]);
}

export function properties(...list: readonly Record[]): Record {
  return record('Properties70', [], list);
}

/** A file in binary: with 64-bit offsets since 7.5, and compressed arrays of more than a few numbers. */
export function binaryFbx(version: number, records: readonly Record[]): Uint8Array {
  const head = Buffer.concat([Buffer.from('Kaydara FBX Binary  \0\x1a\0', 'latin1'), Buffer.alloc(4)]);
  head.writeUInt32LE(version, 23);
  const isWide = version >= 7500;
  const body = binaryList(records, head.length, isWide, true);
  return new Uint8Array(Buffer.concat([head, body]));
}

function binaryList(records: readonly Record[], start: number, isWide: boolean, isEnded: boolean): Buffer {
  const parts: Buffer[] = [];
  let at = start;
  for (const one of records) {
    const part = binaryRecord(one, at, isWide);
    parts.push(part);
    at += part.length;
  }
  if (isEnded) parts.push(Buffer.alloc(isWide ? 25 : 13));
  return Buffer.concat(parts);
}

function binaryRecord({ name, values, children }: Record, start: number, isWide: boolean): Buffer {
  const list = Buffer.concat(values.map(binaryValue));
  const headBytes = (isWide ? 25 : 13) + name.length;
  const below = binaryList(children, start + headBytes + list.length, isWide, children.length > 0);
  const head = Buffer.alloc(headBytes);
  const numbers = [start + headBytes + list.length + below.length, values.length, list.length];
  for (const [field, number] of numbers.entries()) {
    if (isWide) head.writeBigUInt64LE(BigInt(number), field * 8);
    else head.writeUInt32LE(number, field * 4);
  }
  head[headBytes - name.length - 1] = name.length;
  head.write(name, headBytes - name.length);
  return Buffer.concat([head, list, below]);
}

function binaryValue(value: Value): Buffer {
  if (typeof value === 'string') return typed('S', Buffer.from(binaryName(value)), true);
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return typed('L', bytes);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(Number.isInteger(value) ? 4 : 8);
    if (Number.isInteger(value)) bytes.writeInt32LE(value);
    else bytes.writeDoubleLE(value);
    return typed(Number.isInteger(value) ? 'I' : 'D', bytes);
  }
  if (value instanceof Uint8Array) return typed('R', Buffer.from(value), true);
  const plain = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const packed = value.length > 8 ? deflateSync(plain) : plain;
  const head = Buffer.alloc(12);
  for (const [field, number] of [value.length, value.length > 8 ? 1 : 0, packed.length].entries())
    head.writeUInt32LE(number, field * 4);
  const type = value instanceof Int32Array ? 'i' : value instanceof BigInt64Array ? 'l' : 'd';
  return typed(type, Buffer.concat([head, packed]));
}

function typed(type: string, bytes: Buffer, hasLength = false): Buffer {
  const length = Buffer.alloc(hasLength ? 4 : 0);
  if (hasLength) length.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from(type), length, bytes]);
}

/** `Model::Cube` is `Cube␀␁Model` in binary files. */
function binaryName(text: string): string {
  const [type, name] = text.split('::');
  return name === undefined ? text : `${name}\0\x01${type}`;
}

/** The same file as text. Before 7.0 lists are plain values. */
export function textFbx(version: number, records: readonly Record[]): Uint8Array {
  const [major, minor] = [Math.floor(version / 1000), Math.floor(version / 100) % 10];
  const write = ({ name, values, children }: Record, indent: string): string => {
    const list = values.map((value) => textValue(value, version < 7000)).join(', ');
    const below = children.map((child) => write(child, `${indent}\t`)).join('');
    return `${indent}${name}: ${list}${children.length > 0 ? ` {\n${below}${indent}}` : ''}\n`;
  };
  return Buffer.from(
    `; FBX ${major}.${minor}.0 project file\n${records.map((one) => write(one, '')).join('\n')}`,
  );
}

function textValue(value: Value, isOld: boolean): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  return isOld ? value.join(',') : `*${value.length} {\n a: ${value.join(',')}\n}`;
}

/** The settings of a file in centimetres with Z up. */
export const Z_UP = record(
  'GlobalSettings',
  [],
  [
    properties(
      property('UpAxis', 'int', 2),
      property('UpAxisSign', 'int', 1),
      property('FrontAxis', 'int', 1),
      property('FrontAxisSign', 'int', -1),
      property('CoordAxis', 'int', 0),
      property('CoordAxisSign', 'int', 1),
    ),
  ],
);

/** Records of polygons, `outline` with the last corner of each counted from −1 down. */
export function meshRecords(positions: readonly number[], outline: readonly number[]): Record[] {
  return [
    record('Vertices', [Float64Array.from(positions)]),
    record('PolygonVertexIndex', [Int32Array.from(outline)]),
  ];
}

/** A layer of attributes of a mesh. */
export function layer(type: string, mapping: string, ...values: readonly Record[]): Record {
  return record(
    `LayerElement${type}`,
    [0],
    [
      record('MappingInformationType', [mapping]),
      record('ReferenceInformationType', ['IndexToDirect']),
      ...values,
    ],
  );
}

export function connect(
  child: bigint | string,
  parent: bigint | string,
  to?: string,
  name: 'C' | 'Connect' = 'C',
): Record {
  return record(name, to === undefined ? ['OO', child, parent] : ['OP', child, parent, to]);
}

const parts = pylon('z');
const points = parts.flatMap(({ positions }) => positions.map((value) => value * 100));
const mesh = [
  ...meshRecords(
    points,
    Array.from({ length: points.length / 3 }, (_, at) => (at % 3 === 2 ? -at - 1 : at)),
  ),
  layer(
    'Material',
    'ByPolygon',
    record('Materials', [
      Int32Array.from(parts.flatMap(({ positions }, part) => Array<number>(positions.length / 9).fill(part))),
    ]),
  ),
];

/** The pylon in centimetres, with Z up: one mesh of two materials. */
export function pylonFbx(form: 'binary' | 'text', version: number): Uint8Array {
  const write = form === 'binary' ? binaryFbx : textFbx;
  return write(version, version < 7000 ? oldPylon() : newPylon());
}

function newPylon(): Record[] {
  return [
    Z_UP,
    record(
      'Objects',
      [],
      [
        record('Geometry', [1n, 'Geometry::pylon', 'Mesh'], mesh),
        record('Model', [2n, 'Model::pylon', 'Mesh']),
        ...parts.map(({ name, color }, part) =>
          record(
            'Material',
            [BigInt(part + 3), `Material::${name}`, ''],
            [properties(property('DiffuseColor', 'Color', ...color))],
          ),
        ),
      ],
    ),
    record('Connections', [], [connect(2n, 0n), connect(1n, 2n), connect(3n, 2n), connect(4n, 2n)]),
  ];
}

/** Before 7.0 the mesh is part of its node, and objects are connected by their names. */
function oldPylon(): Record[] {
  const settings = Z_UP.children[0]?.children.map(({ values: [name = '', type = '', , , value = 0] }) =>
    record('Property', [name, type, '', value]),
  );
  return [
    record(
      'Objects',
      [],
      [
        record('GlobalSettings', [], [record('Properties60', [], settings)]),
        record('Model', ['Model::pylon', 'Mesh'], mesh),
        ...parts.map(({ name, color }) =>
          record(
            'Material',
            [`Material::${name}`, ''],
            [record('Properties60', [], [record('Property', ['DiffuseColor', 'Color', 'A', ...color])])],
          ),
        ),
      ],
    ),
    record(
      'Connections',
      [],
      [
        connect('Model::pylon', 'Model::Scene', undefined, 'Connect'),
        ...parts.map(({ name }) => connect(`Material::${name}`, 'Model::pylon', undefined, 'Connect')),
      ],
    ),
  ];
}
