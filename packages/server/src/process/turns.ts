/**
 * How many milliseconds long work can take at a time. A turn has two of these: one for new work, one for waiting work.
 */
const SLICE = 2;

/** When work began in this turn of the event loop; null if none has. */
let began: number | null = null;
let scheduled = false;
const waiting: (() => void)[] = [];

/**
 * Whether this turn of the event loop has done enough work. Long work checks this after every step and then awaits
 * `nextTurn`, so that it delays other work by only a few milliseconds, however much there is to do.
 */
export function turnIsOver(): boolean {
  const now = performance.now();
  if (began !== null) return now - began >= SLICE;
  began = now;
  schedule();
  return false;
}

/** Resolves in a later turn of the event loop. Each turn serves one waiter, in order of arrival. */
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
