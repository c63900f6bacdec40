import type { Completions } from '@bindery/contract';
import type { MaintenanceContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import { minTopCount, mostFrequent, type ValueCount } from '../facet-counts.ts';
import type { Target } from '../targets.ts';
import { NameCompletions } from './name-completions.ts';
import { eachIndex, RevisionGone } from './open-indexes.ts';
import { parseQuery } from './parse-query.ts';

/** How many values are read between checks whether to yield. */
const STRIDE = 256;

/** Completes typed text over some targets. If one is replaced meanwhile, it and those after it suggest nothing. */
export async function completeInTargets(
  context: MaintenanceContext,
  targets: readonly Target[],
  { q, limit }: { q: string; limit: number },
): Promise<Completions> {
  const beginning = q.trimStart();
  const names = new NameCompletions(parseQuery(beginning), limit);
  const tags = new Map<string, ValueCount>();
  if (beginning !== '') {
    try {
      await eachIndex(context, targets, async (index, target) => {
        await addTags(tags, index, beginning, { isOnly: targets.length === 1, limit });
        await names.add(index, target);
      });
    } catch (error) {
      if (!(error instanceof RevisionGone)) throw error;
    }
  }
  return { names: names.best(), tags: mostFrequent(tags.values()).slice(0, limit) };
}

/** If this is the only index, reads only its most frequent values. */
async function addTags(
  tags: Map<string, ValueCount>,
  { values, assetCount }: RelevanceIndex,
  beginning: string,
  { isOnly, limit }: { isOnly: boolean; limit: number },
): Promise<void> {
  const { first, end } = values.rangeOf('tag', beginning);
  const counts = Uint32Array.from({ length: end - first }, (_, at) => values.frequency(first + at));
  const least = isOnly ? minTopCount(counts, assetCount, limit) : 1;
  for (const [at, count] of counts.entries()) {
    if (count < least) continue;
    const key = values.folded('tag', first + at);
    const known = tags.get(key);
    if (known) known.count += count;
    else tags.set(key, { key, value: values.spelling(first + at), count });
    if (at % STRIDE === 0 && turnIsOver()) await nextTurn();
  }
}
