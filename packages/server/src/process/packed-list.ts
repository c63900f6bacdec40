import { nextTurn, turnIsOver } from './turns.ts';

/** Elements per piece, which takes about a millisecond to write or read. */
const PIECE = 1_000;

/**
 * A list in transit between workers: JSON texts of a thousand elements each, whose memory can be transferred.
 * Objects would be cloned on the event loop all at once.
 */
export type PackedList<_Element> = Uint8Array<ArrayBuffer>[];

export function packList<Element>(list: readonly Element[]): PackedList<Element> {
  return Array.from({ length: Math.ceil(list.length / PIECE) }, (_, number) => packPiece(list, number));
}

export function unpackList<Element>(packed: PackedList<Element>): Element[] {
  return packed.flatMap((piece) => unpackPiece<Element>(piece));
}

/** Like `packList`, without blocking the event loop. */
export async function packListInTurns<Element>(list: readonly Element[]): Promise<PackedList<Element>> {
  const packed: PackedList<Element> = [];
  while (packed.length * PIECE < list.length) {
    packed.push(packPiece(list, packed.length));
    if (turnIsOver()) await nextTurn();
  }
  return packed;
}

/** Like `unpackList`, without blocking the event loop. */
export async function unpackListInTurns<Element>(packed: PackedList<Element>): Promise<Element[]> {
  const list: Element[] = [];
  for (const piece of packed) {
    list.push(...unpackPiece<Element>(piece));
    if (turnIsOver()) await nextTurn();
  }
  return list;
}

function packPiece(list: readonly unknown[], number: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(list.slice(number * PIECE, (number + 1) * PIECE)));
}

function unpackPiece<Element>(piece: Uint8Array): Element[] {
  return JSON.parse(new TextDecoder().decode(piece));
}
