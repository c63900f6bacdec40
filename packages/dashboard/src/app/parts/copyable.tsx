import { useRef, useState } from 'react';
import { messages } from '../messages.ts';
import styles from './copyable.module.css';

/** How long it is shown that something was copied, in milliseconds. */
export const FEEDBACK_MS = 2_000;

/** A command that is copied in one click. If the page cannot write to the clipboard, its text is selected instead. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const code = useRef<HTMLElement>(null);
  const [state, setState] = useState<'idle' | 'copied' | 'selected'>('idle');

  async function copy() {
    const copied = await copyText(text);
    if (!copied && code.current) getSelection()?.selectAllChildren(code.current);
    setState(copied ? 'copied' : 'selected');
    setTimeout(() => setState('idle'), FEEDBACK_MS);
  }

  return (
    <div className={text.includes('\n') ? `${styles.box} ${styles.lines}` : styles.box}>
      {text.includes('\n') && (
        <span className={`small ${styles.label}`} aria-hidden="true">
          {label}
        </span>
      )}
      <pre className={styles.text}>
        <code ref={code}>{text}</code>
      </pre>
      <button
        type="button"
        className={styles.button}
        onClick={copy}
        aria-label={`${messages.copy}: ${label}`}
      >
        {state === 'copied' ? messages.copied : messages.copy}
      </button>
      <span role="status" className={state === 'selected' ? styles.hint : 'visually-hidden'}>
        {state === 'copied' ? messages.copied : state === 'selected' ? messages.copyByHand : ''}
      </span>
    </div>
  );
}

function show(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** A secret that was just made. The list above has grown by it, which may move it out of view. */
export function ShownOnce({ text, value, label }: { text: string; value: string; label: string }) {
  return (
    <div ref={show} className="done" role="status">
      <p>{text}</p>
      <Copyable text={value} label={label} />
    </div>
  );
}

/** Returns false if the clipboard is unavailable, as over plain http on a LAN. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
