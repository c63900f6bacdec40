import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { messages } from '../messages.ts';
import { HitCard } from './hit-card.tsx';
import styles from './hit-grid.module.css';
import type { Hit } from './hits-query.ts';

/** The minimum card width and the gap between cards, in pixels. */
const CARD = 200;
const GAP = 16;

/** Height of a card below its picture, as in its style sheet, in rem: the text, and the library if it is shown. */
const BELOW = 6.5;
const LIBRARY = 1.5;

/** Hits beyond these pixels are left out: browsers draw no page that is taller by much. */
const MAX_HEIGHT = 15_000_000;

/**
 * A grid of hits, as tall as all of them, of which only the rows near the viewport are rendered, so that its end is as
 * near as its beginning. Arrow keys move between hits.
 */
export function HitGrid({
  total,
  hitAt,
  onSee,
  showLibrary,
}: {
  total: number;
  /** Undefined until it is fetched. */
  hitAt: (index: number) => Hit | undefined;
  /** Called with the first and the last index that are rendered. */
  onSee: (from: number, to: number) => void;
  showLibrary: boolean;
}) {
  const list = useRef<HTMLUListElement>(null);
  const { columns, width, top, rem } = usePlace(list);
  const below = (showLibrary ? BELOW + LIBRARY : BELOW) * rem;
  const height = Math.ceil((((width + GAP) / columns - GAP) * 3) / 4 + below);
  const rows = Math.min(Math.ceil(total / columns), Math.floor(MAX_HEIGHT / height));
  const virtualizer = useWindowVirtualizer({
    count: rows,
    estimateSize: () => height + GAP,
    overscan: 3,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const from = (items[0]?.index ?? 0) * columns;
  const to = Math.min(((items.at(-1)?.index ?? 0) + 1) * columns, total) - 1;
  useEffect(() => onSee(from, to), [from, to, onSee]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height now
  useEffect(() => virtualizer.measure(), [height, virtualizer]);

  function onKeyDown(event: KeyboardEvent<HTMLLIElement>) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return;
    const next = Number(event.currentTarget.dataset.index) + step;
    const link = list.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`);
    if (!link) return;
    event.preventDefault();
    link.focus();
  }

  return (
    <ul ref={list} className={styles.list} style={{ height: virtualizer.getTotalSize() }}>
      {items.flatMap(({ index: row, start, key }) =>
        Array.from({ length: Math.min(columns, total - row * columns) }, (_, column) => {
          const index = row * columns + column;
          const hit = hitAt(index);
          return (
            <li
              key={hit ? `${key} ${hit.namespace}/${hit.library}/${hit.assetId}` : index}
              data-index={index}
              onKeyDown={onKeyDown}
              className={styles.item}
              style={{
                height,
                width: `calc((100% - ${(columns - 1) * GAP}px) / ${columns})`,
                transform: `translate(calc(${column} * (100% + ${GAP}px)), ${start - top}px)`,
              }}
            >
              {hit ? (
                <HitCard hit={hit} showLibrary={showLibrary} />
              ) : (
                <span className="soft">{messages.loading}</span>
              )}
            </li>
          );
        }),
      )}
    </ul>
  );
}

/** Measures the number of columns and where the list starts on the page. */
function usePlace(list: React.RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ columns: 1, width: CARD, top: 0, rem: 16 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      const { width, top } = element.getBoundingClientRect();
      const columns = Math.max(1, Math.floor((width + GAP) / (Math.min(CARD, width / 2) + GAP)));
      setPlace((known) => {
        const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
        const next = { columns, width, top: Math.round(top + scrollY), rem };
        return JSON.stringify(known) === JSON.stringify(next) ? known : next;
      });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return place;
}
