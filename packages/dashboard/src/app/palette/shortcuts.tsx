import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { lazyPage } from '../lazy-page.ts';
import { paletteMessages } from '../messages/palette.ts';
import { hasSingleKeys, isTyping } from './keys.ts';
import styles from './palette.module.css';

const Palette = lazyPage(() => import('./palette.tsx'), 'Palette');
const ShortcutsDialog = lazyPage(() => import('./shortcuts-dialog.tsx'), 'ShortcutsDialog');

/** The shortcuts that work on every page, and a button for the palette. */
export function Shortcuts() {
  const [shown, setShown] = useState<'palette' | 'keys' | null>(null);
  // What is typed while the palette is loading; null when it is not.
  const typedAhead = useRef<string | null>(null);
  const showPalette = useCallback(() => {
    typedAhead.current = '';
    setShown('palette');
  }, []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (typedAhead.current !== null && !isCommand && event.key.length === 1) {
        typedAhead.current += event.key;
        event.preventDefault();
        return;
      }
      const isPalette = isCommand && event.key.toLowerCase() === 'k';
      const isKeys = event.key === '?' && (isCommand || (hasSingleKeys() && !isTyping(event.target)));
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') !== null) return;
      if (isPalette) showPalette();
      else setShown('keys');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [showPalette]);
  const close = () => setShown(null);
  return (
    <>
      <button
        type="button"
        className={styles.opener}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={showPalette}
      >
        {paletteMessages.open}
        <span aria-hidden="true">
          <kbd>Ctrl K</kbd>
        </span>
      </button>
      <Suspense fallback={null}>
        {shown === 'palette' && <Palette typedAhead={typedAhead} onClose={close} />}
        {shown === 'keys' && <ShortcutsDialog onClose={close} />}
      </Suspense>
    </>
  );
}
