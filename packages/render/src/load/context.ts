import { AssetFiles, type FileSource } from '../files.ts';
import { Budget, type RenderLimits } from '../limits.ts';
import { OmissionLog } from '../omissions.ts';
import { type ImageDecoder, TextureLoader } from './textures.ts';

/** What every loader works with. */
export interface LoadContext {
  readonly files: AssetFiles;
  readonly budget: Budget;
  readonly omissions: OmissionLog;
  readonly textures: TextureLoader;
  /** Absent where STEP is not read: in browsers. */
  readonly readStep?: ReadStep | undefined;
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
  images: ImageDecoder,
  limits?: Partial<RenderLimits>,
  readStep?: ReadStep,
): LoadContext {
  const budget = new Budget(limits);
  const files = new AssetFiles(source, budget);
  const omissions = new OmissionLog();
  const textures = new TextureLoader(files, budget, omissions, images);
  return { files, budget, omissions, textures, readStep };
}
