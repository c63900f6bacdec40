import type { Completions } from '@bindery/contract';
import type { Parts } from '../../parts.ts';
import type { ValueIndex } from '../../revision/values/value-index.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { mostFrequent, type ValueCount } from '../facet-counts.ts';
import type { Target } from '../targets.ts';
import { BegunNames } from './begun-names.ts';
import { eachIndex, RevisionGone } from './open-words.ts';
import { parseQuery } from './parse-query.ts';

/** Values looked at before other work gets its turn, where it is due. */
const STRIDE = 256;

/** Completes what was typed over some targets; those that are replaced meanwhile suggest nothing. */
export async function completeOver(
  parts: Pick<Parts, 'revisions'>,
  targets: readonly Target[],
  { q, limit }: { q: string; limit: number },
): Promise<Completions> {
  const beginning = q.trimStart();
  const names = new BegunNames(parseQuery(beginning), limit);
  const tags = new Map<string, ValueCount>();
  if (beginning !== '') {
    try {
      await eachIndex(parts, targets, async (index, target) => {
        await addTags(tags, index.values, beginning);
        await names.add(index, target);
      });
    } catch (error) {
      if (!(error instanceof RevisionGone)) throw error;
    }
  }
  return { names: names.best(), tags: mostFrequent(tags.values()).slice(0, limit) };
}

async function addTags(tags: Map<string, ValueCount>, values: ValueIndex, beginning: string): Promise<void> {
  const { first, end } = values.rangeOf('tag', beginning);
  for (let place = first; place < end; place++) {
    const key = values.folded('tag', place);
    const count = values.documents(place).length;
    const known = tags.get(key);
    if (known) known.count += count;
    else tags.set(key, { key, value: values.spelling(place), count });
    if (place % STRIDE === 0 && turnIsOver()) await nextTurn();
  }
}
