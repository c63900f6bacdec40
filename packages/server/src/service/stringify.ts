import { nextTurn, turnIsOver } from './turns.ts';

/** Lists from this length on are written element by element. */
const LONG = 50;

/** How deep long lists are looked for. */
const DEPTH = 3;

/** As `JSON.stringify`, for values that are large because of long lists, without blocking the event loop. */
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
  const elements: string[] = [];
  for (const element of list) {
    elements.push(JSON.stringify(element));
    if (turnIsOver()) await nextTurn();
  }
  return `[${elements.join(',')}]`;
}
