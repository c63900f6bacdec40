import { addAbortListener } from 'node:events';
import { forEachBounded } from '@bindery/concurrency';
import { type ProgressListener, type WorkTotal, withProgress } from '../tree/progress.ts';

/** Works on all items, as many at once as the worker can, and shows the progress; aborting closes the worker. */
export async function workThrough<Item>(
  items: readonly Item[],
  { label, unit }: Pick<WorkTotal, 'unit'> & { label: string },
  worker: { readonly concurrency: number; close(): Promise<void> },
  { signal, progress }: { signal?: AbortSignal | undefined; progress?: ProgressListener | undefined },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  using _ = signal && addAbortListener(signal, () => void worker.close());
  await withProgress(progress, label, { bytes: 0, items: items.length, unit }, (done) =>
    forEachBounded(items, { concurrency: worker.concurrency, signal }, async (item) => {
      await work(item);
      signal?.throwIfAborted();
      done.advance({ items: 1 });
    }),
  );
}
