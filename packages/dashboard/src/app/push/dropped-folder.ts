import type { PickedFolder } from './protocol.ts';

let droppedFolder: PickedFolder | null = null;

/** Holds what was dropped on one page for the page that pushes it. */
export function setDroppedFolder(picked: PickedFolder): void {
  droppedFolder = picked;
}

export function takeDroppedFolder(): PickedFolder | null {
  const picked = droppedFolder;
  droppedFolder = null;
  return picked;
}
