import { Readable } from 'node:stream';
import { nextTurn, turnIsOver } from '../../service/turns.ts';

/** Characters of a piece, roughly. */
const PIECE = 32_768;

/** What a list is made of, one after another. */
export type Elements = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * A JSON object whose last member is a long list, written piece by piece, so that neither building nor sending it
 * holds the event loop or the whole text in memory.
 */
export function streamJson(head: Record<string, unknown>, listName: string, elements: Elements): Readable {
  return Readable.from(write(head, listName, elements), { objectMode: false });
}

async function* write(head: Record<string, unknown>, listName: string, elements: Elements) {
  const opening = JSON.stringify(head).slice(0, -1);
  let piece = `${opening}${opening === '{' ? '' : ','}${JSON.stringify(listName)}:[`;
  let separator = '';
  for await (const element of elements) {
    piece += separator + JSON.stringify(element);
    separator = ',';
    if (piece.length >= PIECE) {
      yield piece;
      piece = '';
    }
    if (turnIsOver()) await nextTurn();
  }
  yield `${piece}]}`;
}
