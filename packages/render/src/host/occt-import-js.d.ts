declare module 'occt-import-js' {
  type Color = readonly [number, number, number];
  interface OcctMesh {
    name: string;
    color?: Color;
    attributes: { position: { array: number[] }; normal?: { array: number[] } };
    index: { array: number[] };
    brep_faces?: { first: number; last: number; color: Color | null }[];
  }
  interface Occt {
    ReadStepFile(
      bytes: Uint8Array,
      parameters: { linearUnit: 'meter' },
    ): { success: boolean; meshes: OcctMesh[] };
  }
  export default function open(module: { print(): void; printErr(): void }): Promise<Occt>;
}
