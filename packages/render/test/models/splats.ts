import { gzipSync, zstdCompressSync } from 'node:zlib';
import sharp from 'sharp';

/** One round Gaussian. Positions have Y up. */
export interface Splat {
  readonly position: readonly [number, number, number];
  readonly color: readonly [number, number, number];
}

const SIGMA = 0.06;
const OPACITY = 0.95;
const SH_C0 = 0.28209479177387814;

/** The pylon as a cloud: a wide green base below a narrow red tower. */
export function pylonSplats(): Splat[] {
  const splats: Splat[] = [];
  for (let x = -1; x <= 1.001; x += 0.1) {
    for (let z = -1; z <= 1.001; z += 0.1) splats.push({ position: [x, 0.1, z], color: [0.1, 0.7, 0.2] });
  }
  for (let y = 0.2; y <= 2.001; y += 0.1) {
    for (const x of [-0.2, 0, 0.2]) {
      for (const z of [-0.2, 0, 0.2]) splats.push({ position: [x, y, z], color: [0.85, 0.1, 0.1] });
    }
  }
  return splats;
}

/** As the formats with Y down hold it. */
function yDown([x, y, z]: readonly [number, number, number]): [number, number, number] {
  return [-x, -y, z];
}

/** What a PLY has in place of the usual three scales and harmonics: two-dimensional Gaussians, or plain colours. */
type PlyVariant = 'usual' | 'flat' | 'plain colours' | 'far away';

export function splatPly(variant: PlyVariant = 'usual'): Uint8Array {
  const splats = pylonSplats();
  const scales = variant === 'flat' ? 2 : 3;
  const position = variant === 'far away' ? 'double' : 'float';
  const color =
    variant === 'plain colours'
      ? ['uchar red', 'uchar green', 'uchar blue']
      : [0, 1, 2].map((k) => `float f_dc_${k}`);
  const properties = [
    ...['x', 'y', 'z'].map((name) => `${position} ${name}`),
    ...color,
    'float opacity',
    ...Array.from({ length: scales }, (_, k) => `float scale_${k}`),
    ...[0, 1, 2, 3].map((k) => `float rot_${k}`),
  ];
  const header = `ply\nformat binary_little_endian 1.0\nelement vertex ${splats.length}\n${properties.map((one) => `property ${one}\n`).join('')}end_header\n`;
  const rows = splats.flatMap((one) => {
    const place = yDown(one.position);
    const far = place.map((value, axis) => value + ([408_201.584, -4_080_928.016, 300][axis] ?? 0));
    // Round seen from the side, on which the pylon stands.
    const turned = variant === 'flat' ? [Math.SQRT1_2, 0, 0, Math.SQRT1_2] : [1, 0, 0, 0];
    return [
      variant === 'far away' ? bytesOf(Float64Array.from(far)) : floats(place),
      variant === 'plain colours'
        ? Uint8Array.from(one.color, (value) => Math.round(value * 255))
        : floats(one.color.map((value) => (value - 0.5) / SH_C0)),
      floats([Math.log(OPACITY / (1 - OPACITY)), ...Array(scales).fill(Math.log(SIGMA)), ...turned]),
    ];
  });
  return joined(Buffer.from(header), ...rows);
}

/** Splats in glTF, moved and scaled by their node. */
export function gltfSplats(): { document: object; buffer: Uint8Array } {
  const splats = pylonSplats();
  const columns = [
    floats(splats.flatMap(({ position }) => position.map((value) => value / 2))),
    floats(splats.flatMap(() => Array(3).fill(Math.log(SIGMA / 2)))),
    floats(splats.flatMap(() => [0, 0, 0, 1])),
    floats(splats.map(() => OPACITY)),
    floats(splats.flatMap(({ color }) => color.map((value) => (value - 0.5) / SH_C0))),
  ];
  const types = ['VEC3', 'VEC3', 'VEC4', 'SCALAR', 'VEC3'];
  const names = ['SCALE', 'ROTATION', 'OPACITY', 'SH_DEGREE_0_COEF_0'].map(
    (name) => `KHR_gaussian_splatting:${name}`,
  );
  let byteOffset = 0;
  const bufferViews = columns.map(({ byteLength }) => {
    const view = { buffer: 0, byteOffset, byteLength };
    byteOffset += byteLength;
    return view;
  });
  const buffer = joined(...columns);
  const extensions = { KHR_gaussian_splatting: { kernel: 'ellipse', colorSpace: 'srgb_rec709_display' } };
  const attributes = Object.fromEntries(['POSITION', ...names].map((name, at) => [name, at]));
  const document = {
    asset: { version: '2.0' },
    extensionsUsed: ['KHR_gaussian_splatting'],
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, scale: [2, 2, 2], translation: [0, 5, 0] }],
    meshes: [{ primitives: [{ attributes, mode: 0, extensions }] }],
    accessors: types.map((type, bufferView) => ({
      bufferView,
      componentType: 5126,
      count: splats.length,
      type,
      ...(bufferView === 0 && { min: [-0.5, 0, -0.5], max: [0.5, 1.1, 0.5] }),
    })),
    bufferViews,
    buffers: [{ byteLength: buffer.byteLength }],
  };
  return { document, buffer };
}

export function compressedPly(): Uint8Array {
  const splats = pylonSplats();
  const chunks = Math.ceil(splats.length / 256);
  const limits = [
    'min_x',
    'min_y',
    'min_z',
    'max_x',
    'max_y',
    'max_z',
    'min_scale_x',
    'min_scale_y',
    'min_scale_z',
    'max_scale_x',
    'max_scale_y',
    'max_scale_z',
  ];
  const packed = ['packed_position', 'packed_rotation', 'packed_scale', 'packed_color'];
  const header = `ply\nformat binary_little_endian 1.0\nelement chunk ${chunks}\n${limits.map((name) => `property float ${name}`).join('\n')}\nelement vertex ${splats.length}\n${packed.map((name) => `property uint ${name}`).join('\n')}\nend_header\n`;
  const range = [
    -3,
    -3,
    -3,
    3,
    3,
    3,
    ...Array(3).fill(Math.log(SIGMA)),
    ...Array(3).fill(Math.log(SIGMA) + 1),
  ];
  const words = splats.flatMap(({ position, color }) => {
    const [x, y, z] = yDown(position).map((value) => (value + 3) / 6) as [number, number, number];
    const bytes = color.map((value) => Math.round(value * 255));
    return [
      ((Math.round(x * 2047) << 21) | (Math.round(y * 1023) << 11) | Math.round(z * 2047)) >>> 0,
      ((512 << 20) | (512 << 10) | 512) >>> 0,
      0,
      ((bytes[0]! << 24) | (bytes[1]! << 16) | (bytes[2]! << 8) | Math.round(OPACITY * 255)) >>> 0,
    ];
  });
  return joined(
    Buffer.from(header),
    floats(Array(chunks).fill(range).flat()),
    bytesOf(Uint32Array.from(words)),
  );
}

export function splat(): Uint8Array {
  return joined(
    ...pylonSplats().flatMap(({ position, color }) => [
      floats([...yDown(position), SIGMA, SIGMA, SIGMA]),
      Uint8Array.from([...color, OPACITY].map((value) => Math.round(value * 255))),
      Uint8Array.from([255, 128, 128, 128]),
    ]),
  );
}

export function ksplat(level: 0 | 1): Uint8Array {
  const splats = pylonSplats();
  const header = Buffer.alloc(4096);
  header.writeUInt8(1, 1);
  header.writeUInt32LE(1, 4);
  header.writeUInt32LE(splats.length, 16);
  header.writeUInt16LE(level, 20);
  const section = Buffer.alloc(1024);
  const bucketCapacity = 256;
  const full = Math.floor(splats.length / bucketCapacity);
  section.writeUInt32LE(splats.length, 0);
  section.writeUInt32LE(splats.length, 4);
  section.writeUInt32LE(bucketCapacity, 8);
  section.writeUInt32LE(full + 1, 12);
  section.writeFloatLE(6, 16);
  section.writeUInt16LE(12, 20);
  section.writeUInt32LE(full, 32);
  section.writeUInt32LE(1, 36);
  const partial = bytesOf(Uint32Array.from([splats.length - full * bucketCapacity]));
  const centers = floats(Array((full + 1) * 3).fill(0));
  const halves = (values: readonly number[]) => bytesOf(Uint16Array.from(values.map(toHalf)));
  const body = splats.flatMap(({ position, color }) => {
    const [place, shape] =
      level === 0
        ? [floats(yDown(position)), floats([SIGMA, SIGMA, SIGMA, 1, 0, 0, 0])]
        : [
            bytesOf(Uint16Array.from(yDown(position), (value) => Math.round((value / 3) * 32767 + 32767))),
            halves([SIGMA, SIGMA, SIGMA, 1, 0, 0, 0]),
          ];
    return [place, shape, Uint8Array.from([...color, OPACITY].map((value) => Math.round(value * 255)))];
  });
  return joined(header, section, partial, centers, ...body);
}

/** `isZUp`: in right, front and up, as an extension of the format says, behind harmonics of the first degree. */
export function spz(version: 1 | 2 | 3 | 4, isZUp = false): Uint8Array {
  const splats = pylonSplats().map(({ position: [x, y, z], color }) => ({
    position: isZUp ? [x, -z, y] : [x, y, z],
    color,
  }));
  const positions =
    version === 1
      ? bytesOf(Uint16Array.from(splats.flatMap(({ position }) => position.map(toHalf))))
      : Uint8Array.from(splats.flatMap(({ position }) => position.flatMap((value) => fixed24(value * 4096))));
  const columns = [
    positions,
    new Uint8Array(splats.length).fill(Math.round(OPACITY * 255)),
    Uint8Array.from(
      splats.flatMap(({ color }) =>
        color.map((value) => Math.round((((value - 0.5) / SH_C0) * 0.15 + 0.5) * 255)),
      ),
    ),
    new Uint8Array(splats.length * 3).fill(Math.round((Math.log(SIGMA) + 10) * 16)),
    version < 3
      ? new Uint8Array(splats.length * 3).fill(128)
      : bytesOf(new Uint32Array(splats.length).fill((3 << 30) >>> 0)),
  ];
  const header = Buffer.alloc(version === 4 ? 32 : 16);
  header.write('NGSP', 0, 'latin1');
  header.writeUInt32LE(version, 4);
  header.writeUInt32LE(splats.length, 8);
  header.writeUInt8(12, 13);
  const extension = isZUp ? bytesOf(Uint32Array.of(0xadbe0002, 4, 0, 0xadbe0003, 4, 12)) : new Uint8Array();
  if (isZUp) {
    header.writeUInt8(1, 12);
    header.writeUInt8(2, 14);
    columns.push(new Uint8Array(splats.length * 9).fill(128));
  }
  if (version !== 4) return new Uint8Array(gzipSync(joined(header, ...columns, extension)));
  header.writeUInt8(columns.length, 15);
  header.writeUInt32LE(32 + extension.length, 16);
  const streams = columns.map((column) => zstdCompressSync(column));
  const table = bytesOf(
    BigUint64Array.from(streams.flatMap((stream, k) => [BigInt(stream.length), BigInt(columns[k]!.length)])),
  );
  return joined(header, extension, table, ...streams);
}

/** A SOG folder: `meta.json` and its planes. */
export async function sog(
  version: 1 | 2,
  splats: readonly Splat[] = pylonSplats(),
): Promise<Map<string, Uint8Array>> {
  const side = Math.ceil(Math.sqrt(splats.length));
  const plane = async (texel: (splat: Splat) => readonly number[]) => {
    const data = new Uint8Array(side * side * 4);
    for (const [index, one] of splats.entries()) data.set(texel(one), index * 4);
    return new Uint8Array(
      await sharp(data, { raw: { width: side, height: side, channels: 4 } })
        .webp({ lossless: true, exact: true })
        .toBuffer(),
    );
  };
  const steps = ({ position }: Splat) =>
    yDown(position).map((value) =>
      Math.round(((Math.sign(value) * Math.log(Math.abs(value) + 1) + 2) / 4) * 65535),
    );
  const harmonic = (value: number) => (value - 0.5) / SH_C0;
  const byteOf = (value: number) => Math.round(((harmonic(value) + 4) / 8) * 255);
  const logit = Math.log(OPACITY / (1 - OPACITY));
  const files = new Map<string, Uint8Array>([
    ['means_l.webp', await plane((one) => [...steps(one).map((step) => step & 255), 255])],
    ['means_u.webp', await plane((one) => [...steps(one).map((step) => step >> 8), 255])],
    ['scales.webp', await plane(() => [0, 0, 0, 255])],
    ['quats.webp', await plane(() => [128, 128, 128, 252])],
    [
      'sh0.webp',
      await plane(({ color }) => [
        ...color.map(byteOf),
        version === 2 ? Math.round(OPACITY * 255) : Math.round(((logit + 8) / 16) * 255),
      ]),
    ],
  ]);
  const means = { mins: [-2, -2, -2], maxs: [2, 2, 2], files: ['means_l.webp', 'means_u.webp'] };
  const book = Array.from({ length: 256 }, (_, index) => (index / 255) * 8 - 4);
  const sigma = Math.log(SIGMA);
  const meta =
    version === 2
      ? {
          version,
          count: splats.length,
          means,
          scales: { codebook: Array(256).fill(sigma), files: ['scales.webp'] },
          quats: { files: ['quats.webp'] },
          sh0: { codebook: book, files: ['sh0.webp'] },
        }
      : {
          means: { ...means, shape: [splats.length, 3] },
          scales: { mins: Array(3).fill(sigma), maxs: Array(3).fill(sigma + 1), files: ['scales.webp'] },
          quats: { files: ['quats.webp'] },
          sh0: { mins: [-4, -4, -4, -8], maxs: [4, 4, 4, 8], files: ['sh0.webp'] },
        };
  return files.set('meta.json', Buffer.from(JSON.stringify(meta)));
}

/** A streamed SOG of some levels, the finest first, one file a level and two regions that share it. */
export async function streamedSog(levels: readonly (readonly Splat[])[]): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const [level, splats] of levels.entries()) {
    for (const [name, bytes] of await sog(2, splats)) files.set(`scene/${level}_0/${name}`, bytes);
  }
  const half = (second: boolean) =>
    Object.fromEntries(
      levels.map(({ length }, level) => {
        const middle = Math.floor(length / 2);
        const range = second ? { offset: middle, count: length - middle } : { offset: 0, count: middle };
        return [level, { file: level, ...range }];
      }),
    );
  const index = {
    version: 1,
    lodLevels: levels.length,
    filenames: levels.map((_, level) => `${level}_0/meta.json`),
    tree: { children: [{ lods: half(false) }, { lods: half(true) }] },
  };
  return files.set('scene/lod-meta.json', Buffer.from(JSON.stringify(index)));
}

function fixed24(value: number): number[] {
  const whole = Math.round(value);
  return [whole & 255, (whole >> 8) & 255, (whole >> 16) & 255];
}

/** Half precision for normal numbers and zero. */
function toHalf(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  const fraction = Math.round((Math.abs(value) / 2 ** exponent - 1) * 1024);
  return (value < 0 ? 0x8000 : 0) | (((exponent + 15) << 10) + fraction);
}

function floats(values: readonly number[]): Uint8Array {
  return bytesOf(Float32Array.from(values));
}

function bytesOf(
  values: Float32Array | Uint32Array | Uint16Array | BigUint64Array | Float64Array,
): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
