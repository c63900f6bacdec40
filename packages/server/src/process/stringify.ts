import { nextTurn, turnIsOver } from './turns.ts';

/** Lists of at least this length are written in pieces. */
const LONG = 50;

/** Elements per piece: few enough to take a fraction of a turn, whatever they are. */
const PIECE = 10;

/** How deep to look for long lists. */
const DEPTH = 3;

/** Like `JSON.stringify`, for values that are large because of long lists, without blocking the event loop. */
export async function stringifyInTurns(value: unknown, depth = DEPTH): Promise<string> {
  if (turnIsOver()) await nextTurn();
  if (typeof value !== 'object' || value === null || depth === 0) return JSON.stringify(value);
  if (Array.isArray(value)) return value.length < LONG ? JSON.stringify(value) : writeList(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    members.push(`${JSON.stringify(name)}:${await stringifyInTurns(member, depth - 1)}`);
  }
  return `{${members.join(',')}}`;
}

async function writeList(list: readonly unknown[]): Promise<string> {
  const pieces: string[] = [];
  for (let at = 0; at < list.length; at += PIECE) {
    pieces.push(JSON.stringify(list.slice(at, at + PIECE)).slice(1, -1));
    if (turnIsOver()) await nextTurn();
  }
  return `[${pieces.join(',')}]`;
}
