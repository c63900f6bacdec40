import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';

/** Elements written between two turns of the event loop. */
const BATCH = 200;

/**
 * A JSON object whose last member is a long list, written piece by piece, so that neither building nor sending it
 * holds the event loop or the whole text in memory.
 */
export function streamJson(
  head: Record<string, unknown>,
  listName: string,
  elements: Iterable<unknown>,
): Readable {
  return Readable.from(write(head, listName, elements), { objectMode: false });
}

async function* write(head: Record<string, unknown>, listName: string, elements: Iterable<unknown>) {
  const opening = JSON.stringify(head).slice(0, -1);
  let batch = `${opening}${opening === '{' ? '' : ','}${JSON.stringify(listName)}:[`;
  let written = 0;
  for (const element of elements) {
    batch += `${written === 0 ? '' : ','}${JSON.stringify(element)}`;
    written++;
    if (written % BATCH === 0) {
      yield batch;
      batch = '';
      await setImmediate();
    }
  }
  yield `${batch}]}`;
}
