import { BoundedProcesses, type ProcessBounds } from './bounded-processes.ts';
import type { ModelFindings, ModelsToCheck } from './check-models.ts';

/** What is found in the models of an asset; or why nobody can say. */
export type ModelVerdict = ModelFindings | { readonly unfinished: string };

export interface ModelCheckPool extends AsyncDisposable {
  /** How many assets are checked at once. */
  readonly atOnce: number;
  /**
   * As `checkModels`, in a process beside this one. Models that take too much time or memory, or crash what checks them,
   * end in `unfinished`. Throws `RangeError` where too many wait.
   */
  check(models: ModelsToCheck): Promise<ModelVerdict>;
}

export function createModelCheckPool(bounds: ProcessBounds): ModelCheckPool {
  const processes = new BoundedProcesses(new URL('./check-process.ts', import.meta.url), bounds, 'checked');
  return {
    atOnce: bounds.workers,
    check: (value) =>
      processes
        .run<ModelVerdict>({ value })
        .catch((error: unknown) => ({ unfinished: processes.failureOf(error) })),
    [Symbol.asyncDispose]: () => processes.close(),
  };
}
