declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  export interface DracoAttribute {
    num_components(): number;
  }
  export interface DracoMesh {
    num_faces(): number;
    num_points(): number;
  }
  export interface DracoBuffer {
    Init(bytes: Int8Array, length: number): void;
  }
  export interface DracoStatus {
    ok(): boolean;
  }
  export interface DracoArray {
    size(): number;
    GetValue(index: number): number;
  }
  export interface DracoDecoder {
    DecodeBufferToMesh(buffer: DracoBuffer, mesh: DracoMesh): DracoStatus;
    GetAttributeByUniqueId(mesh: DracoMesh, id: number): DracoAttribute;
    GetAttributeFloatForAllPoints(mesh: DracoMesh, attribute: DracoAttribute, out: DracoArray): boolean;
    GetTrianglesUInt32Array(mesh: DracoMesh, bytes: number, pointer: number): boolean;
  }
  export interface DracoModule {
    readonly HEAPU32: Uint32Array;
    readonly Decoder: new () => DracoDecoder;
    readonly DecoderBuffer: new () => DracoBuffer;
    readonly Mesh: new () => DracoMesh;
    readonly DracoFloat32Array: new () => DracoArray;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    destroy(object: object): void;
  }
  export default function createDecoderModule(options?: object): Promise<DracoModule>;
}
