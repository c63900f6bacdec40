import { Readable } from 'node:stream';
import { nextTurn, turnIsOver } from '../../process/turns.ts';

/** Length of a piece in characters, roughly. */
const PIECE = 32_768;

/** The elements of a list, in order. */
export type Elements = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * Streams a JSON object whose last member is a long list. It is written in pieces, so that neither building nor sending
 * it blocks the event loop or keeps the whole text in memory.
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
