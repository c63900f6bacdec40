import type { Visibility } from '@bindery/contract';
import type { ThumbnailRenderer } from '../artifacts/thumbnails.ts';
import type { EmbeddingModel } from '../artifacts/vectors.ts';
import type { ManifestStore } from '../library/read-library.ts';
import type { ProgressListener } from '../tree/progress.ts';
import type { PublishOptions } from '../tree/publish-rules.ts';
import type { PushPlan } from './push-plan.ts';

/** How the next revision of a library is planned and published. */
export interface PlanOptions {
  manifests?: ManifestStore | undefined;
  /** Plan only. */
  dryRun?: boolean | undefined;
  /** What to do with assets that only the library has. They are removed by default. */
  others?: 'keep' | 'remove' | undefined;
  /** Push even if this undoes what others did since this folder was last in step with the library. */
  force?: boolean | undefined;
  /** Read every local file, whatever the cache says, and have the service read its copies. */
  verify?: boolean | undefined;
  visibility?: Visibility | undefined;
  /**
   * Called before anything is sent if texts, licences or files that are only left out would be removed. If it throws, nothing is published. Without
   * it such a push is refused.
   */
  confirmRemovals?: ((plan: PushPlan) => Promise<void>) | undefined;
  /** Called when everything has arrived and nothing is published yet. If it throws, nothing is published. */
  beforeRegister?: (() => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface PushOptions extends Omit<PlanOptions, 'manifests' | 'others'>, PublishOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Publish only if the plan still has this digest, which a dry run returned. */
  plan?: string | undefined;
  /** Draw thumbnails of the assets that have none. */
  renderer?: ThumbnailRenderer | undefined;
  /** Make vectors of all thumbnails and texts. */
  model?: EmbeddingModel | undefined;
}
