import type { Bindr } from '@bindery/contract';
import type { BindrChoice, PickerState } from '@bindery/sdk/browser';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { bindrsMessages } from '../../messages/bindrs.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Tree } from '../../parts/tree.tsx';
import type { TreeItem } from '../../parts/tree-rows.ts';
import { useBindrs } from './use-picker.ts';

interface BrowserProps<Item> {
  state: PickerState<Item>;
  search: string;
  onSearch: (search: string) => void;
  chosen: ReadonlySet<string>;
  many?: boolean;
  onChoose: (id: string) => void;
  onMove?: ((id: string, to: string) => void) | undefined;
  onMore: () => void;
}

/** The Bindrs of a project as a searchable tree in which one or several can be chosen. */
export function BindrBrowser({ state, search, ...others }: BrowserProps<BindrChoice>) {
  const text = bindrsMessages;
  const items = useMemo(() => bindrTree(state.items), [state.items]);
  const none = search === '' ? text.none : text.noneFound;
  return <PickerTree {...others} state={state} search={search} items={items} text={text} none={none} />;
}

/** What a picker offers, as a tree with a search. */
export function PickerTree<Item>({
  items,
  text,
  none,
  state: { loading, error, hasMore },
  search,
  onSearch,
  onMore,
  ...tree
}: BrowserProps<Item> & {
  items: readonly TreeItem[];
  text: { title: string; search: string; more: string };
  /** Said if there is nothing. */
  none: string;
}) {
  return (
    <div className="form">
      <Field type="search" label={text.search} value={search} onChange={onSearch} maxLength={200} />
      {items.length > 0 && <Tree {...tree} items={items} label={text.title} />}
      <p role="status" className="detail">
        {loading ? messages.loading : items.length === 0 && !hasMore && error === null ? none : ''}
      </p>
      <InlineError error={error} />
      {hasMore && (
        <div className="actions">
          <Button label={text.more} disabled={loading} onClick={onMore} />
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
