const [WIDTH, HEIGHT] = [24, 20] as const;
/** Red on the left, green on the right: bytes in sRGB. */
export const [LEFT, RIGHT] = [
  [200, 30, 20],
  [20, 180, 90],
] as const;

function colorAt(x: number): readonly [number, number, number] {
  return x < WIDTH / 2 ? LEFT : RIGHT;
}

/** The same picture in formats of which browsers decode none. */
export function pictures(): Record<string, Uint8Array> {
  return {
    'true colours.tga': tga(false),
    'runs.tga': tga(true),
    'masks.dds': maskedDds(),
    'blocks.dds': blockDds('DXT1', 8),
    'blocks with opacity.dds': blockDds('DXT5', 16),
    'radiance.hdr': hdr(),
    'plain.exr': exr(),
    'plain.ktx2': plainKtx2(),
    'etc1s.ktx2': Buffer.from(ETC1S, 'base64'),
  };
}

function rows(pixel: (x: number) => readonly number[]): Buffer {
  return Buffer.from(Array.from({ length: WIDTH * HEIGHT }, (_, index) => pixel(index % WIDTH)).flat());
}

function tga(isPacked: boolean): Uint8Array {
  const head = Buffer.alloc(18);
  head[2] = isPacked ? 10 : 2;
  head.writeUInt16LE(WIDTH, 12);
  head.writeUInt16LE(HEIGHT, 14);
  head[16] = 24;
  const bgr = (color: readonly number[]) => [...color].reverse();
  if (!isPacked) return Buffer.concat([head, rows((x) => bgr(colorAt(x)))]);
  const run = (color: readonly number[]) => [127 + WIDTH / 2, ...bgr(color)];
  const row = Buffer.from([...run(LEFT), ...run(RIGHT)]);
  return Buffer.concat([head, ...Array<Buffer>(HEIGHT).fill(row)]);
}

function ddsHead(): Buffer {
  const head = Buffer.alloc(128);
  head.write('DDS ');
  head.writeUInt32LE(124, 4);
  head.writeUInt32LE(HEIGHT, 12);
  head.writeUInt32LE(WIDTH, 16);
  head.writeUInt32LE(32, 76);
  return head;
}

function maskedDds(): Uint8Array {
  const head = ddsHead();
  head.writeUInt32LE(0x40, 80);
  head.writeUInt32LE(24, 88);
  for (const [channel, mask] of [0xff0000, 0xff00, 0xff].entries())
    head.writeUInt32LE(mask, 92 + channel * 4);
  return Buffer.concat([head, rows((x) => [...colorAt(x)].reverse())]);
}

function blockDds(name: string, size: 8 | 16): Uint8Array {
  const head = ddsHead();
  head.writeUInt32LE(4, 80);
  head.write(name, 84);
  const block = ([red = 0, green = 0, blue = 0]: readonly number[]) => {
    const out = Buffer.alloc(size);
    if (size === 16) out.fill(255, 0, 2);
    out.writeUInt16LE(((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3), size - 8);
    return out;
  };
  const across = Array.from({ length: WIDTH / 4 }, (_, column) => block(colorAt(column * 4)));
  return Buffer.concat([
    head,
    ...Array<Buffer[]>(HEIGHT / 4)
      .fill(across)
      .flat(),
  ]);
}

function linear(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function hdr(): Uint8Array {
  const head = Buffer.from(`#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${HEIGHT} +X ${WIDTH}\n`);
  const channel = (of: (color: readonly number[]) => number) => [
    ...[128 + WIDTH / 2, of(LEFT)],
    ...[128 + WIDTH / 2, of(RIGHT)],
  ];
  const mantissa = (at: number) => channel((color) => Math.round(linear(color[at] ?? 0) * 255));
  const row = Buffer.from([
    2,
    2,
    0,
    WIDTH,
    ...mantissa(0),
    ...mantissa(1),
    ...mantissa(2),
    ...channel(() => 128),
  ]);
  return Buffer.concat([head, ...Array<Buffer>(HEIGHT).fill(row)]);
}

function exr(): Uint8Array {
  const u32 = (...values: number[]) => {
    const out = Buffer.alloc(values.length * 4);
    for (const [at, value] of values.entries()) out.writeInt32LE(value, at * 4);
    return out;
  };
  const attribute = (name: string, type: string, value: Buffer) =>
    Buffer.concat([Buffer.from(`${name}\0${type}\0`), u32(value.length), value]);
  const float = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer);
  const channel = (name: string) => Buffer.concat([Buffer.from(`${name}\0`), u32(2, 0, 1, 1)]);
  const window = u32(0, 0, WIDTH - 1, HEIGHT - 1);
  const head = Buffer.concat([
    u32(0x01312f76, 2),
    attribute('channels', 'chlist', Buffer.concat([...['B', 'G', 'R'].map(channel), Buffer.alloc(1)])),
    attribute('compression', 'compression', Buffer.alloc(1)),
    attribute('dataWindow', 'box2i', window),
    attribute('displayWindow', 'box2i', window),
    attribute('lineOrder', 'lineOrder', Buffer.alloc(1)),
    attribute('pixelAspectRatio', 'float', float(1)),
    attribute('screenWindowCenter', 'v2f', float(0, 0)),
    attribute('screenWindowWidth', 'float', float(1)),
    Buffer.alloc(1),
  ]);
  const row = float(
    ...[2, 1, 0].flatMap((at) => Array.from({ length: WIDTH }, (_, x) => linear(colorAt(x)[at] ?? 0))),
  );
  const offsets = Buffer.alloc(HEIGHT * 8);
  const lines = Array.from({ length: HEIGHT }, (_, y) => {
    offsets.writeBigUInt64LE(BigInt(head.length + offsets.length + y * (8 + row.length)), y * 8);
    return Buffer.concat([u32(y, row.length), row]);
  });
  return Buffer.concat([head, offsets, ...lines]);
}

function plainKtx2(): Uint8Array {
  const head = Buffer.alloc(104);
  Buffer.from('ab4b5458203230bb0d0a1a0a', 'hex').copy(head);
  const pixels = rows((x) => [...colorAt(x), 255]);
  for (const [at, value] of [43, 1, WIDTH, HEIGHT, 0, 0, 1, 1].entries())
    head.writeUInt32LE(value, 12 + at * 4);
  head.writeBigUInt64LE(104n, 80);
  head.writeBigUInt64LE(BigInt(pixels.length), 88);
  return Buffer.concat([head, pixels]);
}

/** Written by the encoder of Basis Universal; the lower half is a little transparent. */
const ETC1S =
  'q0tUWCAyMLsNChoKAAAAAAEAAAAYAAAAFAAAAAAAAAAAAAAAAQAAAAEAAAABAAAAaAAAADwAAACkAAAAJAAAAMgAAAAAAAAApAAAAAAAAABsAQAAAAAAABwAAAAAAAAAAAAAAAAAAAA8AAAAAAAAAAIAOACjAQIAAwMAAAgIAAAAAAAAAAA/AAAAAAAAAAAA/////0AAPw8AAAAAAAAAAP////8fAAAAS1RYd3JpdGVyAEJhc2lzIFVuaXZlcnNhbCAyLjUwAAAFAAQAMQAAABEAAAA6AAAAAAAAAAAAAAAAAAAAEAAAABAAAAAMAAAAFcBEAAAAAAAAMuECmBIAAAAAAEAG6DCAKQACAACAMAyG8d0DIAJAAAAAAKQJiMFeCvz/r6qqqqqq+v///1dVVVUF9UCkgAEAAEHgVXBEsYJP++eAjQJgAkAAAAAAAKFFQNwAAgAEYeCpeS4FZUaQTRgAJgAEAAAAABACAfr+52GSdtrjOkyBhBRUYQnyPmlcrM2Cd9KusGw=';
