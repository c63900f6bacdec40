/** An encoded protocol buffer field (https://protobuf.dev/programming-guides/encoding), of a kind ONNX files need. */
export type Field = Uint8Array;

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;
const WIRE_32_BITS = 5;

/** Encodes a non-negative integer. */
export function integerField(number: number, value: number): Field {
  return concat([varint((number << 3) | WIRE_VARINT), varint(value)]);
}

export function floatField(number: number, value: number): Field {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return concat([varint((number << 3) | WIRE_32_BITS), bytes]);
}

export function bytesField(number: number, bytes: Uint8Array): Field {
  return concat([varint((number << 3) | WIRE_BYTES), varint(bytes.length), bytes]);
}

export function stringField(number: number, text: string): Field {
  return bytesField(number, new TextEncoder().encode(text));
}

export function messageField(number: number, fields: readonly Field[]): Field {
  return bytesField(number, concat(fields));
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...bytes, rest]);
}
