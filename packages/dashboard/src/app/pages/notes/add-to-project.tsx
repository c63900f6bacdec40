import type { Node, Note } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { candidateProjects, createProjectPicker } from '@bindery/sdk/browser';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { notesMessages as text } from '../../messages/notes.ts';
import { messages } from '../../messages.ts';
import { InlineError } from '../../parts/inline-error.tsx';
import { ModalButton } from '../../parts/modal.tsx';
import { queries, service } from '../../session.ts';
import { PickerTree } from '../bindrs/bindr-browser.tsx';
import { usePicker } from '../bindrs/use-picker.ts';

const NOTHING: ReadonlySet<string> = new Set();

interface AddToProjectProps {
  note: Note;
  nodes: readonly Node[];
  onDone: () => Promise<unknown>;
}

/** Files a Note in another project to which the viewer may add content. */
export function AddToProject(props: AddToProjectProps) {
  return (
    <div className="actions">
      <ModalButton label={text.file}>{(close) => <ProjectPicker {...props} onClose={close} />}</ModalButton>
    </div>
  );
}

function ProjectPicker({
  note: { namespace, id: noteId },
  nodes,
  onDone,
  onClose,
}: AddToProjectProps & { onClose: () => void }) {
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
    <>
      <PickerTree
        text={{ title: messages.titles.projects, search: text.searchProjects, more: text.moreProjects }}
        none={text.noProjects}
        items={candidates.map(({ slug, displayName }) => ({ id: slug, name: displayName, children: [] }))}
        state={state}
        search={search}
        onSearch={setSearch}
        chosen={NOTHING}
        onChoose={(slug) => file.isPending || file.mutate(slug)}
        onMore={() => picker.loadMore()}
      />
      <InlineError error={file.error} />
    </>
  );
}
