import draco3d from 'draco3dgltf';
import { MeshoptEncoder } from 'meshoptimizer';
import { pylon } from './pylon.ts';

type Packing = 'plain' | 'draco' | 'meshopt';

/** The pylon as glTF with one coloured material a part: the document and its only buffer. */
export async function gltfPylon(
  packing: Packing = 'plain',
): Promise<{ document: object; buffer: Uint8Array }> {
  const writer = new GltfWriter();
  const primitives: object[] = [];
  for (const [material, part] of pylon().entries()) {
    const positions = Float32Array.from(part.positions);
    primitives.push({ ...(await writer.primitive(positions, packing)), material });
  }
  const document = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives }],
    materials: pylon().map(({ color }) => ({
      pbrMetallicRoughness: {
        baseColorFactor: [...color.map((value) => value ** 2.2), 1],
        metallicFactor: 0,
      },
    })),
    ...writer.lists(),
  };
  return { document, buffer: writer.bytes() };
}

/** A GLB file of a document and its buffer. */
export function glb(document: object, buffer: Uint8Array): Uint8Array {
  const json = padded(Buffer.from(JSON.stringify(document)), 0x20);
  const binary = padded(buffer, 0);
  const out = Buffer.alloc(12 + 8 + json.length + 8 + binary.length);
  out.write('glTF', 0, 'latin1');
  out.writeUInt32LE(2, 4);
  out.writeUInt32LE(out.length, 8);
  out.writeUInt32LE(json.length, 12);
  out.write('JSON', 16, 'latin1');
  out.set(json, 20);
  out.writeUInt32LE(binary.length, 20 + json.length);
  out.write('BIN\0', 24 + json.length, 'latin1');
  out.set(binary, 28 + json.length);
  return new Uint8Array(out);
}

function padded(bytes: Uint8Array, filler: number): Uint8Array {
  const out = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(filler);
  out.set(bytes);
  return out;
}

class GltfWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #views: object[] = [];
  readonly #accessors: object[] = [];
  #length = 0;

  async primitive(positions: Float32Array, packing: Packing): Promise<object> {
    const count = positions.length / 3;
    const indices = Uint16Array.from({ length: count }, (_, vertex) => vertex);
    if (packing === 'draco') {
      const bufferView = this.#view(await packWithDraco(positions, indices));
      return {
        attributes: { POSITION: this.#accessor({ componentType: 5126, type: 'VEC3', count }) },
        indices: this.#accessor({ componentType: 5123, type: 'SCALAR', count }),
        extensions: { KHR_draco_mesh_compression: { bufferView, attributes: { POSITION: 0 } } },
      };
    }
    const attribute =
      packing === 'plain'
        ? this.#view(bytesOf(positions))
        : await this.#packed(positions, count, 12, 'ATTRIBUTES');
    const index =
      packing === 'plain' ? this.#view(bytesOf(indices)) : await this.#packed(indices, count, 2, 'TRIANGLES');
    return {
      attributes: {
        POSITION: this.#accessor({ bufferView: attribute, componentType: 5126, type: 'VEC3', count }),
      },
      indices: this.#accessor({ bufferView: index, componentType: 5123, type: 'SCALAR', count }),
    };
  }

  lists(): object {
    return { accessors: this.#accessors, bufferViews: this.#views, buffers: [{ byteLength: this.#length }] };
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }

  async #packed(
    values: Float32Array | Uint16Array,
    count: number,
    byteStride: number,
    mode: string,
  ): Promise<number> {
    await MeshoptEncoder.ready;
    const bytes = MeshoptEncoder.encodeGltfBuffer(bytesOf(values), count, byteStride, mode);
    const byteOffset = this.#append(bytes);
    const packed = { buffer: 0, byteOffset, byteLength: bytes.length, byteStride, count, mode };
    this.#views.push({
      buffer: 0,
      byteLength: count * byteStride,
      extensions: { EXT_meshopt_compression: packed },
    });
    return this.#views.length - 1;
  }

  #view(bytes: Uint8Array): number {
    this.#views.push({ buffer: 0, byteOffset: this.#append(bytes), byteLength: bytes.length });
    return this.#views.length - 1;
  }

  #append(bytes: Uint8Array): number {
    const start = this.#length;
    const whole = padded(bytes, 0);
    this.#parts.push(whole);
    this.#length += whole.length;
    return start;
  }

  #accessor(accessor: object): number {
    this.#accessors.push(accessor);
    return this.#accessors.length - 1;
  }
}

function bytesOf(values: Float32Array | Uint16Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

async function packWithDraco(positions: Float32Array, indices: Uint16Array): Promise<Uint8Array> {
  const draco = await draco3d.createEncoderModule();
  const builder = new draco.MeshBuilder();
  const mesh = new draco.Mesh();
  builder.AddFacesToMesh(mesh, indices.length / 3, Uint32Array.from(indices));
  builder.AddFloatAttributeToMesh(mesh, draco.POSITION, positions.length / 3, 3, positions);
  const encoder = new draco.Encoder();
  const out = new draco.DracoInt8Array();
  const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
  return Uint8Array.from({ length }, (_, index) => out.GetValue(index) & 255);
}
