import { AssetProcessPool, type ProcessLimits } from './asset-process-pool.ts';
import type { ModelFindings, ModelsToCheck } from './check-models.ts';

/** The findings in the models of an asset, or why the check could not be finished. */
export type ModelVerdict = ModelFindings | { readonly unfinished: string };

export interface ModelCheckPool extends AsyncDisposable {
  /** How many assets are checked at once. */
  readonly concurrency: number;
  /**
   * Like `checkModels`, but in a separate process. Models that take too much time or memory, or crash that process,
   * yield `unfinished`. Throws `RangeError` if too many assets are waiting.
   */
  check(models: ModelsToCheck): Promise<ModelVerdict>;
}

export function createModelCheckPool(bounds: ProcessLimits): ModelCheckPool {
  const processes = new AssetProcessPool(
    new URL('./model-check-process.ts', import.meta.url),
    bounds,
    'checked',
  );
  return {
    concurrency: bounds.workers,
    check: (value) =>
      processes
        .run<ModelVerdict>({ value })
        .catch((error: unknown) => ({ unfinished: processes.failureOf(error) })),
    [Symbol.asyncDispose]: () => processes.close(),
  };
}
