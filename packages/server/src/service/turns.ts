/** Milliseconds for which long work may go on at a time. A turn has two of these: for what came in, and for who waits. */
const SLICE = 2;

/** When work in this turn of the event loop was first asked about. */
let began: number | null = null;
let scheduled = false;
const waiting: (() => void)[] = [];

/**
 * Whether this turn of the event loop has seen enough work. Long work asks after every step, and goes on in a
 * `nextTurn` where it has: then it holds others up for a few milliseconds, however much there is to do.
 */
export function turnIsOver(): boolean {
  const now = performance.now();
  if (began !== null) return now - began >= SLICE;
  began = now;
  schedule();
  return false;
}

/** Resolves in a later turn of the event loop. Each turn is for one of those who wait, in the order in which they came. */
export function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  waiting.push(resolve);
  schedule();
  return promise;
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(beginTurn);
}

function beginTurn(): void {
  scheduled = false;
  began = null;
  const next = waiting.shift();
  if (!next) return;
  began = performance.now();
  schedule();
  next();
}
