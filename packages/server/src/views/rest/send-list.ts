import type { FastifyReply } from 'fastify';
import { type Elements, streamJson } from './json-stream.ts';

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
