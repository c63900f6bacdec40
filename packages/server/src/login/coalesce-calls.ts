import { setImmediate as endOfTurn } from 'node:timers/promises';

/**
 * Coalesces calls with the same key within one turn of the event loop. `ask` runs when the turn ends, so a result is
 * never older than any of its calls.
 */
export function coalesceCalls<Value>(ask: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
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
