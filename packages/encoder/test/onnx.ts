/** Field and enum numbers are those of `onnx.proto` (IR version 8). */
const IR_VERSION = 8;
const OPERATOR_SET = 13;

const ELEMENT = { float: 1, int64: 7 } as const;
const ATTRIBUTE = { float: 1, integer: 2, integers: 7 } as const;

export interface Tensor {
  name: string;
  dims: readonly number[];
  numbers: Float32Array | BigInt64Array;
}

/** An input or output; a dimension with a name instead of a number can have any size. */
interface Value {
  name: string;
  element: keyof typeof ELEMENT;
  dims: readonly (number | string)[];
}

export interface Operation {
  operator: string;
  inputs: readonly string[];
  output: string;
  integers?: Readonly<Record<string, number | readonly number[]>>;
  floats?: Readonly<Record<string, number>>;
}

export interface Graph {
  inputs: readonly Value[];
  outputs: readonly Value[];
  constants: readonly Tensor[];
  operations: readonly Operation[];
}

/** The bytes of an ONNX file. */
export function writeOnnx(graph: Graph): Uint8Array {
  const body = [
    ...graph.operations.map((operation) => messageField(1, operationFields(operation))),
    stringField(2, 'graph'),
    ...graph.constants.map((tensor) => messageField(5, tensorFields(tensor))),
    ...graph.inputs.map((value) => messageField(11, valueFields(value))),
    ...graph.outputs.map((value) => messageField(12, valueFields(value))),
  ];
  return concat([
    integerField(1, IR_VERSION),
    messageField(7, body),
    messageField(8, [stringField(1, ''), integerField(2, OPERATOR_SET)]),
  ]);
}

function operationFields({ operator, inputs, output, integers = {}, floats = {} }: Operation): Field[] {
  return [
    ...inputs.map((name) => stringField(1, name)),
    stringField(2, output),
    stringField(4, operator),
    ...Object.entries(integers).map(([name, value]) => messageField(5, integerAttribute(name, value))),
    ...Object.entries(floats).map(([name, value]) =>
      messageField(5, [stringField(1, name), floatField(2, value), integerField(20, ATTRIBUTE.float)]),
    ),
  ];
}

function integerAttribute(name: string, value: number | readonly number[]): Field[] {
  if (typeof value === 'number') {
    return [stringField(1, name), integerField(3, value), integerField(20, ATTRIBUTE.integer)];
  }
  const list = value.map((one) => integerField(8, one));
  return [stringField(1, name), ...list, integerField(20, ATTRIBUTE.integers)];
}

function tensorFields({ name, dims, numbers }: Tensor): Field[] {
  const element = numbers instanceof Float32Array ? ELEMENT.float : ELEMENT.int64;
  return [
    ...dims.map((size) => integerField(1, size)),
    integerField(2, element),
    stringField(8, name),
    bytesField(9, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)),
  ];
}

function valueFields({ name, element, dims }: Value): Field[] {
  const shape = dims.map((size) =>
    messageField(1, [typeof size === 'number' ? integerField(1, size) : stringField(2, size)]),
  );
  const type = messageField(1, [integerField(1, ELEMENT[element]), messageField(2, shape)]);
  return [stringField(1, name), messageField(2, [type])];
}

/** An encoded protocol buffer field (https://protobuf.dev/programming-guides/encoding), of a kind ONNX files need. */
type Field = Uint8Array;

const WIRE_VARINT = 0;
const WIRE_BYTES = 2;
const WIRE_32_BITS = 5;

/** Encodes a non-negative integer. */
function integerField(number: number, value: number): Field {
  return concat([varint((number << 3) | WIRE_VARINT), varint(value)]);
}

function floatField(number: number, value: number): Field {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return concat([varint((number << 3) | WIRE_32_BITS), bytes]);
}

function bytesField(number: number, bytes: Uint8Array): Field {
  return concat([varint((number << 3) | WIRE_BYTES), varint(bytes.length), bytes]);
}

function stringField(number: number, text: string): Field {
  return bytesField(number, new TextEncoder().encode(text));
}

function messageField(number: number, fields: readonly Field[]): Field {
  return bytesField(number, concat(fields));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
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
