import { setImmediate } from 'node:timers/promises';

/** Elements worked through between two turns of the event loop: a few milliseconds at most. */
const TURN = 1_000_000;

/** Keeps one search from holding the event loop: counts its work and lets others run in between. */
export class Pace {
  #left = TURN;

  /** Notes that work on so many elements was done, and pauses where a turn is used up. */
  async spend(elements: number): Promise<void> {
    this.#left -= elements;
    if (this.#left > 0) return;
    await setImmediate();
    this.#left = TURN;
  }
}
