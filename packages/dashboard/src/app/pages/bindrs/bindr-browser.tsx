import type { BindrChoice, PickerState } from '@bindery/sdk/browser';
import { useMemo } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { Field } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { Tree } from '../../parts/tree.tsx';
import { bindrTree } from './bindr-tree.ts';

/** The Bindrs of a project as a searchable tree in which one or several can be chosen. */
export function BindrBrowser({
  state,
  search,
  onSearch,
  chosen,
  many = false,
  onChoose,
  onMore,
}: {
  state: PickerState<BindrChoice>;
  search: string;
  onSearch: (search: string) => void;
  chosen: ReadonlySet<string>;
  many?: boolean;
  onChoose: (id: string) => void;
  onMore: () => void;
}) {
  const text = messages.bindrs;
  const items = useMemo(() => bindrTree(state.items), [state.items]);
  return (
    <div className={form.form}>
      <Field type="search" label={text.search} value={search} onChange={onSearch} maxLength={200} />
      {items.length > 0 && (
        <Tree items={items} label={text.title} chosen={chosen} many={many} onChoose={onChoose} />
      )}
      <p role="status" className={form.soft}>
        {state.loading
          ? messages.loading
          : items.length === 0 && state.error === null
            ? search === ''
              ? text.none
              : text.noneFound
            : ''}
      </p>
      <InlineError error={state.error} />
      {state.hasMore && (
        <div className={form.actions}>
          <button type="button" className={form.quiet} disabled={state.loading} onClick={onMore}>
            {text.more}
          </button>
        </div>
      )}
    </div>
  );
}
