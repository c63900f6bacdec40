import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { nextTurn, turnIsOver } from '../../process/turns.ts';

/** Lists longer than this are written in pieces. */
const LONG_LIST = 50;

/** Sends an object whose last member is a list, which may be long; `length` is its number of elements. */
export async function sendList(
  reply: FastifyReply,
  head: Record<string, unknown>,
  listName: string,
  length: number,
  elements: Elements,
): Promise<FastifyReply> {
  if (length <= LONG_LIST) return reply.send({ ...head, [listName]: await Array.fromAsync(elements) });
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(streamJson(head, listName, elements));
}

/** Like `sendList`, for a list that is the whole answer. */
export async function sendItems(
  reply: FastifyReply,
  length: number,
  elements: Elements,
): Promise<FastifyReply> {
  if (length <= LONG_LIST) return reply.send(await Array.fromAsync(elements));
  reply.header('content-type', 'application/json; charset=utf-8');
  return reply.send(Readable.from(write('[', elements, ']'), { objectMode: false }));
}

/** Length of a piece in characters, roughly. */
const PIECE = 32_768;

/** The elements of a list, in order. */
export type Elements = Iterable<unknown> | AsyncIterable<unknown>;

/**
 * Streams a JSON object whose last member is a long list. It is written in pieces, so that neither building nor sending
 * it blocks the event loop or keeps the whole text in memory.
 */
export function streamJson(head: Record<string, unknown>, listName: string, elements: Elements): Readable {
  const opening = JSON.stringify(head).slice(0, -1);
  const start = `${opening}${opening === '{' ? '' : ','}${JSON.stringify(listName)}:[`;
  return Readable.from(write(start, elements, ']}'), { objectMode: false });
}

async function* write(start: string, elements: Elements, end: string) {
  let piece = start;
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
  yield piece + end;
}
