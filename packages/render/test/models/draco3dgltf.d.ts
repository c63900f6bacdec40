declare module 'draco3dgltf' {
  interface EncoderModule {
    readonly POSITION: number;
    readonly MeshBuilder: new () => {
      AddFacesToMesh(mesh: object, count: number, faces: Uint32Array): void;
      AddFloatAttributeToMesh(
        mesh: object,
        type: number,
        count: number,
        width: number,
        values: Float32Array,
      ): number;
    };
    readonly Mesh: new () => object;
    readonly Encoder: new () => { EncodeMeshToDracoBuffer(mesh: object, out: object): number };
    readonly DracoInt8Array: new () => { GetValue(index: number): number };
  }
  const draco3d: { createEncoderModule(): Promise<EncoderModule> };
  export default draco3d;
}
