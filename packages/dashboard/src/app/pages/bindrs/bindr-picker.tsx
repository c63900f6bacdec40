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
  const [error, setError] = useState<unknown>(null);
  const [state, picker] = useBindrs(namespace, projectSlug, search);
  return (
    <Modal title={title} onClose={onClose}>
      <BindrBrowser
        state={state}
        search={search}
        onSearch={setSearch}
        chosen={chosen}
        many={many}
        onChoose={(id) => {
          setError(null);
          onChoose(id).catch(setError);
        }}
        onMore={() => picker.loadMore()}
      />
      <InlineError error={error} />
    </Modal>
  );
}
