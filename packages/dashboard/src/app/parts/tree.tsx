import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import styles from './tree.module.css';
import { rowsOf, stepTo, type TreeItem } from './tree-rows.ts';

/**
 * A tree that is a single tab stop: arrows move in it and open and close branches, Home and End move to the first and
 * last row, a letter to the next name that starts with it, Enter and Space choose.
 */
export function Tree({
  items,
  label,
  chosen,
  many = false,
  onChoose,
  onMove,
}: {
  items: readonly TreeItem[];
  label: string;
  chosen: ReadonlySet<string>;
  /** Whether several can be chosen. */
  many?: boolean;
  onChoose: (id: string) => void;
  /** Called with a row that was dragged onto another one, to be below it. */
  onMove?: ((id: string, to: string) => void) | undefined;
}) {
  const tree = useRef<HTMLDivElement>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | null>(null);
  const [drag, setDrag] = useState<{ id: string; over?: string } | null>(null);
  const rows = useMemo(() => rowsOf(items, closed), [items, closed]);
  const current = rows.find(({ item }) => item.id === focused) ?? rows[0];

  function focus(id: string) {
    setFocused(id);
    tree.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus();
  }

  function toggle(id: string) {
    const next = new Set(closed);
    if (!next.delete(id)) next.add(id);
    setClosed(next);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
    const { item, isOpen } = current;
    if (event.key === 'Enter' || event.key === ' ') onChoose(item.id);
    else if (event.key === 'ArrowRight' && isOpen === false) toggle(item.id);
    else if (event.key === 'ArrowLeft' && isOpen === true) toggle(item.id);
    else {
      const next = stepTo(rows, current, event.key);
      if (next === undefined) return;
      focus(next);
    }
    event.preventDefault();
  }

  return (
    <div ref={tree} role="tree" aria-label={label} aria-multiselectable={many} className={styles.tree}>
      {rows.map((row) => {
        const { item, level, isOpen } = row;
        const isChosen = chosen.has(item.id);
        return (
          <div
            key={item.id}
            role="treeitem"
            data-id={item.id}
            aria-level={level}
            aria-selected={isChosen}
            aria-expanded={isOpen}
            tabIndex={row === current ? 0 : -1}
            data-over={drag?.over === item.id}
            className={item.isContext ? `${styles.row} ${styles.context}` : styles.row}
            style={{ paddingInlineStart: `${level * 1.1 - 0.6}rem` }}
            onClick={() => {
              focus(item.id);
              onChoose(item.id);
            }}
            onKeyDown={onKeyDown}
            onFocus={() => setFocused(item.id)}
            draggable={onMove !== undefined}
            onDragStart={({ dataTransfer }) => {
              dataTransfer.setData('text/plain', item.name);
              setDrag({ id: item.id });
            }}
            onDragOver={(event) => {
              if (drag === null || drag.id === item.id) return;
              event.preventDefault();
              if (drag.over !== item.id) setDrag({ id: drag.id, over: item.id });
            }}
            onDrop={() => drag && onMove?.(drag.id, item.id)}
            onDragEnd={() => setDrag(null)}
          >
            <span
              className={styles.branch}
              aria-hidden="true"
              onClick={(event) => {
                if (isOpen === undefined) return;
                event.stopPropagation();
                toggle(item.id);
              }}
            >
              {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
            </span>
            {many && (
              <span className={styles.check} aria-hidden="true">
                {isChosen ? '✓' : ''}
              </span>
            )}
            <span className={styles.name}>{item.name}</span>
          </div>
        );
      })}
    </div>
  );
}
