import { randomBytes } from 'node:crypto';

let made = 0;

/** Returns 32 hexadecimal digits: the time in milliseconds, then a counter of this process, then random digits. */
export function sortableId(now: number): string {
  made = (made + 1) % 0x1_0000;
  return hex(now, 12) + hex(made, 4) + randomBytes(8).toString('hex');
}

/** Returns a lower bound of the ids of this time or later; all earlier ids are below it. */
export function firstSortableId(time: number): string {
  return hex(time, 12);
}

function hex(number: number, digits: number): string {
  return Math.max(0, Math.trunc(number)).toString(16).padStart(digits, '0');
}
