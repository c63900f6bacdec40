import type { ViewerShortcut } from '../../viewer-protocol.ts';

/** Whether keys are typed into a field, and so are not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}

/** Where this browser keeps that keys without Ctrl are no shortcuts, for people who speak to it or touch keys unawares. */
const NAME = 'bindery.single-keys';

export function hasSingleKeys(): boolean {
  return localStorage.getItem(NAME) !== 'off';
}

export function setSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, 'off');
}

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
