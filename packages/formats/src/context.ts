import type { MainModule } from '@mujoco/mujoco';
import { type ImageDecoder, TextureLoader } from './images/textures.ts';
import { AssetFiles, type FileSource } from './reading/asset-files.ts';
import { Budget, type RenderLimits } from './reading/limits.ts';
import { OmissionLog } from './reading/omissions.ts';

/** What every loader works with. */
export interface LoadContext extends Omit<Host, 'images'> {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly omissions: OmissionLog;
  readonly textures: TextureLoader;
}

/** What reads files that Bindery does not read by itself, as far as a host has it. */
export interface Host {
  readonly images: ImageDecoder;
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
  { images, ...host }: Host,
  limits?: Partial<RenderLimits>,
): LoadContext {
  const budget = new Budget(limits);
  const files = new AssetFiles(source, budget);
  const omissions = new OmissionLog();
  const textures = new TextureLoader(files, budget, omissions, images);
  return { files, budget, omissions, textures, ...host };
}
