import { lazy, Suspense, useEffect, useState } from 'react';
import { messages } from '../messages.ts';
import { isTyping } from './keys.ts';
import styles from './palette.module.css';

const loadPalette = () => import('./palette.tsx');
const Palette = lazy(() => loadPalette().then(({ Palette: component }) => ({ default: component })));
const Keys = lazy(() => import('./keys-dialog.tsx').then(({ Keys: component }) => ({ default: component })));

/** The keys that work on every page, and a button for the most useful of them. */
export function Shortcuts() {
  const [shown, setShown] = useState<'palette' | 'keys' | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // K follows, and then what is typed into the palette: it should be there by then.
      if (event.key === 'Control' || event.key === 'Meta') loadPalette().catch(() => {});
      const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k';
      const isKeys = event.key === '?' && !isTyping(event.target);
      if (!isPalette && !isKeys) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) setShown(isPalette ? 'palette' : 'keys');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const close = () => setShown(null);
  return (
    <>
      <button
        type="button"
        className={styles.opener}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setShown('palette')}
      >
        {messages.palette.open}
        <span className={styles.key} aria-hidden="true">
          Ctrl K
        </span>
      </button>
      <Suspense fallback={null}>
        {shown === 'palette' && <Palette onClose={close} />}
        {shown === 'keys' && <Keys onClose={close} />}
      </Suspense>
    </>
  );
}
