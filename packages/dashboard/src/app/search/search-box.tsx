import { useEffect, useRef, useState } from 'react';
import { isTyping } from '../palette/keys.ts';
import styles from './search-box.module.css';

/**
 * Search as you type. The field shows each key at once; what is searched follows when React has time for it. `/` puts the
 * cursor here.
 */
export function SearchBox({
  label,
  placeholder,
  value,
  onChange,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // The address changed by itself: back, forward, a link.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      input.current?.select();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  function type(next: string) {
    setText(next);
    sent.current = next;
    onChange(next);
  }

  return (
    <search className={styles.search}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true" className={styles.icon}>
        <circle cx="8.5" cy="8.5" r="5.5" fill="none" stroke="currentColor" strokeWidth="1.8" />
        <path d="m13 13 4.5 4.5" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      </svg>
      <input
        ref={input}
        type="search"
        className={styles.input}
        aria-label={label}
        aria-keyshortcuts="/"
        placeholder={placeholder}
        value={text}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
    </search>
  );
}
