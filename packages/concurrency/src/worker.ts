import { move, transferableSymbol, valueSymbol } from 'piscina';

/** Returns an answer of a worker that transfers the given memory instead of copying it. */
export function withTransferList<Answer extends object>(
  answer: Answer,
  memory: readonly ArrayBuffer[],
): Answer {
  // The pool unwraps the answer.
  return move({ [transferableSymbol]: memory, [valueSymbol]: answer }) as unknown as Answer;
}
