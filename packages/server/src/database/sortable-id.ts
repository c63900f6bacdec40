import { randomBytes } from 'node:crypto';

let made = 0;

/** Milliseconds, then the order of one process within them, then chance: 32 hexadecimal digits. */
export function sortableId(now: number): string {
  made = (made + 1) % 0x1_0000;
  return hex(now, 12) + hex(made, 4) + randomBytes(8).toString('hex');
}

/** No id of this time or later is below it, and every earlier one is. */
export function firstSortableId(time: number): string {
  return hex(time, 12);
}

function hex(number: number, digits: number): string {
  return Math.max(0, Math.trunc(number)).toString(16).padStart(digits, '0');
}
