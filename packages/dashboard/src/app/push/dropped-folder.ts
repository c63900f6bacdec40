import type { PickedFolder, Target } from './protocol.ts';

let dropped: { onto: Target; picked: PickedFolder } | null = null;

/** Holds what was dropped on the page of a library for the page that pushes it there. */
export function setDroppedFolder(onto: Target, picked: PickedFolder): void {
  dropped = { onto, picked };
}

/** Returns what was dropped on the page of this library; anything else is forgotten. */
export function takeDroppedFolder(target: Target | null): PickedFolder | null {
  const taken = dropped;
  dropped = null;
  const isHere = taken?.onto.namespace === target?.namespace && taken?.onto.name === target?.name;
  return isHere ? (taken?.picked ?? null) : null;
}
