import type { ViewerShortcut } from '../../viewer-protocol.ts';

const KEYS: Readonly<Record<ViewerShortcut, KeyboardEventInit>> = {
  palette: { key: 'k', ctrlKey: true },
  keys: { key: '?' },
};

/** Does on this page what a shortcut does that was pressed in the frame, which keeps its keys to itself. */
export function pressShortcut(shortcut: ViewerShortcut): void {
  dispatchEvent(new KeyboardEvent('keydown', KEYS[shortcut]));
}

/** Shows the list of keys, also where keys without Ctrl are off. */
export function pressKeysShortcut(): void {
  dispatchEvent(new KeyboardEvent('keydown', { key: '?', ctrlKey: true }));
}
