import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { InlineError } from '../../parts/inline-error.tsx';
import { Modal } from '../../parts/modal.tsx';
import { BindrBrowser } from './bindr-browser.tsx';
import { useBindrs } from './use-picker.ts';

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
