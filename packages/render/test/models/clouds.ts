import { pylon } from './pylon.ts';

interface Point {
  readonly place: readonly number[];
  readonly color: readonly number[];
}

/** Points on the surface of the pylon, Z up, more than its corners. */
function points(): Point[] {
  return pylon('z').flatMap(({ color, positions }) =>
    Array.from({ length: positions.length / 9 }, (_, face) =>
      positions.slice(face * 9, face * 9 + 9),
    ).flatMap((corners) =>
      Array.from({ length: 60 }, (_, step) => {
        const [u, v] = [((step * 7) % 60) / 60, step / 60];
        const [a, b] = u + v > 1 ? [1 - u, 1 - v] : [u, v];
        const place = [0, 1, 2].map(
          (k) => corners[k]! * (1 - a - b) + corners[3 + k]! * a + corners[6 + k]! * b,
        );
        return { place, color: color.map((part) => Math.round(part * 255)) };
      }),
    ),
  );
}

function bits([red = 0, green = 0, blue = 0]: readonly number[]): number {
  return (red << 16) | (green << 8) | blue;
}

function fractionOf(color: readonly number[]): number {
  return new Float32Array(Uint32Array.of(bits(color)).buffer)[0]!;
}

/** A cloud of PCL; the first point of a cloud with `gaps` has no place. */
export function pcd(data: 'ascii' | 'binary' | 'binary_compressed', gaps = false): Uint8Array {
  const list = gaps ? [{ place: [Number.NaN, 0, 0], color: [0, 0, 0] }, ...points()] : points();
  const header = `# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F ${data === 'ascii' ? 'F' : 'U'}\nCOUNT 1 1 1 1\nWIDTH ${list.length}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS ${list.length}\nDATA ${data}\n`;
  if (data === 'ascii')
    return Buffer.from(
      header + list.map(({ place, color }) => `${place.join(' ')} ${fractionOf(color)}\n`).join(''),
    );
  const body = Buffer.alloc(list.length * 16);
  for (const [row, { place, color }] of list.entries()) {
    const at = (field: number) =>
      data === 'binary' ? row * 16 + field * 4 : (field * list.length + row) * 4;
    for (const [axis, value] of place.entries()) body.writeFloatLE(value, at(axis));
    body.writeUInt32LE(bits(color), at(3));
  }
  if (data === 'binary') return Buffer.concat([Buffer.from(header), body]);
  const packed = lzf(body);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(packed.length, 0);
  sizes.writeUInt32LE(body.length, 4);
  return Buffer.concat([Buffer.from(header), sizes, packed]);
}

/** Packs as LibLZF does: whole 32-byte runs that repeat the one before become copies. */
function lzf(bytes: Buffer): Buffer {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at += 32) {
    const run = bytes.subarray(at, at + 32);
    const isRepeated = at >= 32 && run.length === 32 && run.equals(bytes.subarray(at - 32, at));
    if (isRepeated) out.push(7 << 5, 32 - 9, 31);
    else out.push(run.length - 1, ...run);
  }
  return Buffer.from(out);
}

export function xyz(): Uint8Array {
  return Buffer.from(
    `# a scan\n${points()
      .map(({ place, color }) => [...place, ...color].join(' '))
      .join('\n')}\n`,
  );
}

export function pts(): Uint8Array {
  const rows = points().map(({ place, color }) => [...place, -1200, ...color].join(' '));
  return Buffer.from(`${rows.length}\r\n${rows.join('\r\n')}\r\n`);
}

/** The pylon in Object File Format, Y up, with colours of its faces or of its vertices. */
export function off(form: 'face colours' | 'vertex colours' | 'binary'): Uint8Array {
  const parts = pylon('y');
  const vertices = parts.flatMap(({ positions, color }) =>
    Array.from({ length: positions.length / 3 }, (_, at) => ({
      place: positions.slice(at * 3, at * 3 + 3),
      color,
    })),
  );
  const faces = Array.from({ length: vertices.length / 3 }, (_, face) => ({
    loop: [face * 3, face * 3 + 1, face * 3 + 2],
    color: vertices[face * 3]!.color,
  }));
  if (form === 'binary') {
    const words: Buffer[] = [Buffer.from('OFF BINARY\n'), int(vertices.length, faces.length, 0)];
    for (const { place } of vertices) words.push(float(...place));
    for (const { loop, color } of faces) words.push(int(3, ...loop, 4), float(...color, 1));
    return Buffer.concat(words);
  }
  const isPainted = form === 'vertex colours';
  const rows = [
    ...vertices.map(({ place, color }) => (isPainted ? [...place, ...color, 1] : place).join(' ')),
    ...faces.map(({ loop, color }) =>
      [3, ...loop, ...(isPainted ? [] : color.map((part) => Math.round(part * 255)))].join(' '),
    ),
  ];
  return Buffer.from(
    `${isPainted ? 'COFF' : 'OFF'}\n# a pylon\n${vertices.length} ${faces.length} 0\n${rows.join('\n')}\n`,
  );
}

function int(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) out.writeInt32BE(value, at * 4);
  return out;
}

function float(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) out.writeFloatBE(value, at * 4);
  return out;
}
