import type { Bindr } from '@bindery/contract';
import type { BindrChoice, PickerState } from '@bindery/sdk/browser';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { Field } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Tree } from '../../parts/tree.tsx';
import type { TreeItem } from '../../parts/tree-rows.ts';
import { useBindrs } from './use-picker.ts';

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

/** A dialog for choosing Bindrs of a project. The caller decides what a choice does. */
export function BindrPicker({
  title,
  namespace,
  projectSlug,
  chosen,
  many = false,
  onChoose,
  onClose,
}: {
  title: string;
  namespace: string;
  projectSlug: string;
  chosen: ReadonlySet<string>;
  many?: boolean;
  onChoose: (id: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [search, setSearch] = useState('');
  const [state, picker] = useBindrs(namespace, projectSlug, search);
  const choose = useMutation({ mutationFn: onChoose });
  const isUnderWay = (id: string) => choose.isPending && (!many || choose.variables === id);
  return (
    <Modal title={title} onClose={onClose}>
      <BindrBrowser
        state={state}
        search={search}
        onSearch={setSearch}
        chosen={chosen}
        many={many}
        onChoose={(id) => isUnderWay(id) || choose.mutate(id)}
        onMore={() => picker.loadMore()}
      />
      <InlineError error={choose.error} />
    </Modal>
  );
}

interface Branch extends TreeItem {
  children: Branch[];
  parentId: string | null;
}

/** Nests a picker's choices below their ancestors, which are included only as context. */
export function bindrTree(choices: readonly BindrChoice[]): TreeItem[] {
  const branches = new Map<string, Branch>();
  const add = ({ id, name, parentId }: Bindr, isContext: boolean) => {
    const known = branches.get(id);
    if (!known) branches.set(id, { id, name, parentId, isContext, children: [] });
    else if (!isContext) known.isContext = false;
  };
  for (const choice of choices) {
    for (const above of choice.ancestors) add(above, true);
    add(choice, false);
  }
  const tops: Branch[] = [];
  for (const branch of branches.values()) {
    const parent = branch.parentId === null ? undefined : branches.get(branch.parentId);
    (parent?.children ?? tops).push(branch);
  }
  sort(tops);
  return tops;
}

function sort(branches: Branch[]): void {
  branches.sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1));
  for (const { children } of branches) sort(children);
}
