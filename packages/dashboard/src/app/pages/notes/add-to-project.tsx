import type { Node, Note } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { candidateProjects, createProjectPicker } from '@bindery/sdk/browser';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { Field } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Tree } from '../../parts/tree.tsx';
import { queries, service } from '../../session.ts';
import { usePicker } from '../bindrs/use-picker.ts';

const NOTHING: ReadonlySet<string> = new Set();

/** Files a Note in another project to which the viewer may add content. */
export function AddToProject({
  note,
  nodes,
  onDone,
}: {
  note: Note;
  nodes: readonly Node[];
  onDone: () => Promise<unknown>;
}) {
  const text = messages.notes;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={form.actions}>
      <button type="button" className={form.quiet} onClick={() => setOpen(true)}>
        {text.file}
      </button>
      {isOpen && <ProjectPicker note={note} nodes={nodes} onDone={onDone} onClose={() => setOpen(false)} />}
    </div>
  );
}

function ProjectPicker({
  note: { namespace, id: noteId },
  nodes,
  onDone,
  onClose,
}: {
  note: Note;
  nodes: readonly Node[];
  onDone: () => Promise<unknown>;
  onClose: () => void;
}) {
  const text = messages.notes;
  const [search, setSearch] = useState('');
  const [state, picker] = usePicker(createProjectPicker, { namespace, search });
  const candidates = candidateProjects(state.items, nodes);
  const file = useMutation({
    mutationFn: (projectSlug: string) =>
      service.call(routes.notes.fileNote, { params: { namespace, noteId, projectSlug } }),
    onSuccess: async () => {
      onClose();
      await Promise.all([onDone(), queries.invalidateQueries({ queryKey: ['notes', namespace] })]);
    },
  });
  return (
    <Modal title={text.file} onClose={onClose}>
      <Field type="search" label={text.searchProjects} value={search} onChange={setSearch} maxLength={200} />
      {candidates.length > 0 && (
        <Tree
          items={candidates.map(({ slug, displayName }) => ({ id: slug, name: displayName, children: [] }))}
          label={messages.projects.title}
          chosen={NOTHING}
          onChoose={(slug) => file.isPending || file.mutate(slug)}
        />
      )}
      <p role="status" className={form.soft}>
        {state.loading
          ? messages.loading
          : candidates.length === 0 && !state.hasMore && state.error === null
            ? text.noProjects
            : ''}
      </p>
      <InlineError error={state.error ?? file.error} />
      {state.hasMore && (
        <div className={form.actions}>
          <button
            type="button"
            className={form.quiet}
            disabled={state.loading}
            onClick={() => picker.loadMore()}
          >
            {text.moreProjects}
          </button>
        </div>
      )}
    </Modal>
  );
}
