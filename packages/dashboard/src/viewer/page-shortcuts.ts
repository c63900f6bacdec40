import type { ViewerShortcut } from '../viewer-protocol.ts';

/** Reports the shortcuts of the page that are pressed in this frame, whose keys the page does not see. */
export function reportPageShortcuts(report: (shortcut: ViewerShortcut) => void): void {
  addEventListener('keydown', (event) => {
    const shortcut = shortcutOf(event);
    if (shortcut === null) return;
    event.preventDefault();
    report(shortcut);
  });
}

function shortcutOf({ key, ctrlKey, metaKey, target }: KeyboardEvent): ViewerShortcut | null {
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
  return key === '?' && !(target instanceof HTMLInputElement) ? 'keys' : null;
}
