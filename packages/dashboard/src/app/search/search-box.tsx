import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { searchMessages } from '../messages/search.ts';
import { hasSingleKeys, isTyping } from '../palette/keys.ts';
import { OptionList } from '../parts/option-list.tsx';
import { useSettled } from '../use-settled.ts';
import { type OnSuggestion, useSuggestions } from './completions.ts';
import styles from './search-box.module.css';

/**
 * Search as you type. The field shows each key at once; the search follows when typing pauses. `/` focuses the field.
 * With `completion`, names and tags are suggested below it: arrows move among them, Enter chooses one. Otherwise ↓ goes
 * to the first hit.
 */
export function SearchBox({
  label,
  placeholder,
  value,
  onChange,
  completion,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  completion?: OnSuggestion;
}) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [text, setText] = useState(value);
  const [isTyped, setTyped] = useState(false);
  const [at, setAt] = useState(-1);
  const sent = useRef(value);
  const typedOn = useRef('');
  const settled = useSettled(text);
  const suggestions = useSuggestions(isTyped && completion ? settled : '', completion);
  const active = Math.min(at, suggestions.length - 1);
  const isOpen = isTyped && suggestions.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each text, whatever else has changed
  useEffect(() => {
    if (settled !== text || settled === sent.current) return;
    // A link was followed in the meantime, whose page is still loading.
    if (location.pathname !== typedOn.current) return;
    sent.current = settled;
    onChange(settled);
  }, [settled]);
  // The address changed without typing: back, forward, a link.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || !hasSingleKeys()) return;
      event.preventDefault();
      input.current?.select();
      input.current?.scrollIntoView({ block: 'center' });
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  function type(next: string) {
    typedOn.current = location.pathname;
    setText(next);
    setTyped(true);
    setAt(-1);
  }

  function take(index: number) {
    setTyped(false);
    suggestions[index]?.take();
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen) {
      if (event.key === 'ArrowDown' && focusFirstHit()) event.preventDefault();
      return;
    }
    const last = suggestions.length - 1;
    if (event.key === 'ArrowDown') setAt(active >= last ? -1 : active + 1);
    else if (event.key === 'ArrowUp') setAt(active < 0 ? last : active - 1);
    else if (event.key === 'Escape') setTyped(false);
    else if (event.key === 'Enter') take(active);
    else return;
    event.preventDefault();
  }

  const combobox = completion && {
    role: 'combobox' as const,
    'aria-expanded': isOpen,
    'aria-controls': `${id}list`,
    'aria-autocomplete': 'list' as const,
    'aria-activedescendant': isOpen && active >= 0 ? `${id}${active}` : undefined,
  };
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
        {...combobox}
        placeholder={placeholder}
        value={text}
        maxLength={500}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setTyped(false)}
      />
      <span className={styles.key} aria-hidden="true">
        <kbd>/</kbd>
      </span>
      {completion && (
        <OptionList
          id={id}
          label={searchMessages.suggestions}
          options={isOpen ? suggestions : []}
          active={active}
          className={`surface ${styles.list}`}
          onTake={take}
        />
      )}
    </search>
  );
}

/** Moves the focus to the first hit; false if there is none. */
export function focusFirstHit(): boolean {
  const link = document.querySelector<HTMLElement>('[data-index="0"] a');
  link?.focus();
  return link !== null;
}
