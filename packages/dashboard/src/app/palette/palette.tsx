import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { paletteMessages as text } from '../messages/palette.ts';
import { OptionList } from '../parts/option-list.tsx';
import { keyOf, useDestinations } from './destinations.ts';
import styles from './palette.module.css';

/**
 * Navigation by typing: arrows move through the matches, Enter opens one, Escape closes. It starts with what was typed
 * while it was loading, and handles keys from then on.
 */
export function Palette({
  typedAhead,
  onClose,
}: {
  typedAhead: React.RefObject<string | null>;
  onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const options = useRef<HTMLDivElement>(null);
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const { destinations, isSearching } = useDestinations(typed.trim());
  // By key, because results that arrive later may be listed before it.
  const place = destinations.findIndex((destination) => keyOf(destination) === chosen);
  const active = Math.min(Math.max(place, 0), destinations.length - 1);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    setTyped(typedAhead.current ?? '');
    typedAhead.current = null;
    return () => element?.close();
  }, [typedAhead]);
  // Enter that was pressed before anything was found opens what is found first.
  const entered = useRef(false);
  useEffect(() => {
    if (!entered.current || destinations.length === 0) return;
    entered.current = false;
    go(0);
  });
  useEffect(() => {
    options.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  function choose(index: number) {
    const destination = destinations[index];
    if (destination) setChosen(keyOf(destination));
  }

  function go(index: number) {
    const destination = destinations[index];
    if (!destination) return;
    // The dialog's close event would come too late: the same keys may open the palette again before it.
    onClose();
    destination.go();
  }

  function onKeyDown(event: React.KeyboardEvent) {
    const last = destinations.length - 1;
    if (event.key === 'Enter') {
      entered.current = destinations.length === 0 && isSearching;
      go(active);
    } else if (event.key === 'ArrowDown') choose(active >= last ? 0 : active + 1);
    else if (event.key === 'ArrowUp') choose(active <= 0 ? last : active - 1);
    else return;
    event.preventDefault();
  }

  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={text.title}
      onClose={() => dialog.current?.open === false && onClose()}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
      onKeyDown={onKeyDown}
    >
      <input
        type="text"
        role="combobox"
        className={styles.input}
        aria-label={text.title}
        aria-expanded="true"
        aria-controls={`${id}list`}
        aria-activedescendant={active >= 0 ? `${id}${active}` : undefined}
        aria-autocomplete="list"
        placeholder={text.placeholder}
        value={typed}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => {
          entered.current = false;
          setTyped(event.target.value);
          setChosen(null);
        }}
      />
      <OptionList
        ref={options}
        id={id}
        label={text.results}
        options={destinations.map(({ kind, ...destination }) => ({
          key: keyOf({ kind, ...destination }),
          label: destination.label,
          place: destination.detail,
          detail: text.kinds[kind],
        }))}
        active={active}
        className={styles.list ?? ''}
        onTake={go}
      />
      <p role="status" className={destinations.length === 0 ? styles.none : 'visually-hidden'}>
        {destinations.length > 0 ? '' : isSearching ? text.searching : text.none}
      </p>
    </dialog>
  );
}
