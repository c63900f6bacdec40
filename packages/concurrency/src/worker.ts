import { move, transferableSymbol, valueSymbol } from 'piscina';

/** An answer of a worker that gives memory of it away, instead of copying it. */
export function transferring<Answer extends object>(answer: Answer, memory: readonly ArrayBuffer[]): Answer {
  // The pool takes the answer out again.
  return move({ [transferableSymbol]: memory, [valueSymbol]: answer }) as unknown as Answer;
}
