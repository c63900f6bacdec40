import type { Picked } from './protocol.ts';

let handedOver: Picked | null = null;

/** Holds what was dropped on one page for the page that pushes it. */
export function handOver(picked: Picked): void {
  handedOver = picked;
}

export function takeHandedOver(): Picked | null {
  const picked = handedOver;
  handedOver = null;
  return picked;
}
