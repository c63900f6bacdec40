import { setImmediate as endOfTurn } from 'node:timers/promises';

/**
 * Asks once for all who want to know the same in one turn of the event loop. Asked is when the turn ends, so an answer is never
 * older than the question of any of them.
 */
export function askedTogether<Value>(ask: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const waiting = new Map<string, Promise<Value>>();
  return (key) => {
    const known = waiting.get(key);
    if (known) return known;
    const asked = endOfTurn().then(() => {
      waiting.delete(key);
      return ask(key);
    });
    waiting.set(key, asked);
    return asked;
  };
}
