import type { MainModule } from '@mujoco/mujoco';
import { type ImageDecoder, TextureLoader } from './images/textures.ts';
import type { MeshFile, MeshOptions } from './model/mesh-file.ts';
import { AssetFiles, type FileSource } from './reading/asset-files.ts';
import { Budget, type RenderLimits } from './reading/limits.ts';
import { OmissionLog } from './reading/omissions.ts';

/** What every loader works with. */
export interface LoadContext extends Omit<Host, 'images' | 'readMesh'> {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly omissions: OmissionLog;
  readonly textures: TextureLoader;
  /** Reads a mesh in any format. @throws Unrenderable */
  readonly readMesh: (path: string, options: MeshOptions) => Promise<MeshFile>;
}

/** What a host brings: what it can read, and what reads files that Bindery does not read by itself. */
export interface Host {
  readonly images: ImageDecoder;
  /** `readMesh` of `read.ts`, where all formats of meshes are read. */
  readonly readMesh: (path: string, context: LoadContext, options: MeshOptions) => Promise<MeshFile>;
  /** Absent where STEP is not read: in browsers. */
  readonly readStep?: ReadStep | undefined;
  /** Lends out MuJoCo without any files. What is created there must be deleted before the promise settles. */
  readonly withMujoco?: <T>(use: (mujoco: MainModule) => Promise<T>) => Promise<T>;
}

/** Turns the solids of a STEP file into triangles. @throws Unrenderable */
export type ReadStep = (bytes: Uint8Array) => Promise<readonly StepMesh[]>;

/** One solid, in metres. Colours are linear. */
export interface StepMesh {
  readonly name: string;
  readonly color?: readonly [number, number, number] | undefined;
  readonly positions: Float32Array;
  readonly normals?: Float32Array | undefined;
  readonly indices: Uint32Array;
  /** The first and the last triangle of faces that have a colour of their own. */
  readonly faces: readonly {
    readonly first: number;
    readonly last: number;
    readonly color: readonly [number, number, number] | null;
  }[];
}

export function createLoadContext(
  source: FileSource,
  { images, readMesh, ...host }: Host,
  limits?: Partial<RenderLimits>,
): LoadContext {
  const budget = new Budget(limits);
  const files = new AssetFiles(source, budget);
  const omissions = new OmissionLog();
  const textures = new TextureLoader(files, budget, omissions, images);
  const context: LoadContext = {
    files,
    budget,
    omissions,
    textures,
    ...host,
    readMesh: (path, options) => readMesh(path, context, options),
  };
  return context;
}
