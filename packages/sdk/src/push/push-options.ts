import type { Visibility } from '@bindery/contract';
import type { EmbeddingModel } from '../artifacts/embedder.ts';
import type { ThumbnailRenderer } from '../artifacts/thumbnail-renderer.ts';
import type { ManifestMemory } from '../library/manifest-memory.ts';
import type { ProgressListener } from '../tree/progress.ts';

/** How the next revision of a library is planned and published. */
export interface PlanOptions {
  manifests?: ManifestMemory | undefined;
  /** Plan only. */
  dryRun?: boolean | undefined;
  /** What becomes of assets that the library has and the folder has not; they are removed unless told. */
  others?: 'keep' | 'remove' | undefined;
  /** Undo what others did since this folder was last in step with the library. */
  force?: boolean | undefined;
  /** Read every local file, whatever the cache says, and have the service read what it holds of them. */
  verify?: boolean | undefined;
  visibility?: Visibility | undefined;
  /** Called when everything has arrived and nothing is published yet; where it throws, nothing is. */
  beforeRegister?: (() => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface PushOptions extends Omit<PlanOptions, 'manifests' | 'others'> {
  cacheFolder: string;
  stateFolder: string;
  /** Publish only what this plan of a dry run stands for. */
  plan?: string | undefined;
  /** Draw thumbnails of the assets that bring none. */
  renderer?: ThumbnailRenderer | undefined;
  /** Make vectors of all thumbnails and texts. */
  model?: EmbeddingModel | undefined;
}
