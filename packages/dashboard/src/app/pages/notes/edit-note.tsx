import type { Note } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/confirm.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { VisibilityField } from '../../parts/visibility-field.tsx';
import { queries, service } from '../../session.ts';

/** Edits or deletes a Note. */
export function EditNote({ note }: { note: Note }) {
  const text = messages.notes;
  const { namespace, id } = note;
  const params = { namespace, noteId: id };
  const navigate = useNavigate();
  const [name, setName] = useState(note.name);
  const [visibility, setVisibility] = useState(note.visibility);
  const save = useMutation({
    mutationFn: () => service.call(routes.notes.patchNote, { params, body: { name, visibility } }),
    onSuccess: () => queries.invalidateQueries(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <section className={form.card}>
      <h2>{text.edit}</h2>
      <form className={form.form} onSubmit={submit}>
        <div className={form.row}>
          <NameField label={text.name} value={name} onChange={setName} />
          <VisibilityField value={visibility} onChange={setVisibility} />
        </div>
        <div className={form.actions}>
          <button type="submit" className={form.button} disabled={save.isPending}>
            {text.save}
          </button>
        </div>
        <InlineError error={save.error} />
      </form>
      <div className={form.actions}>
        <Confirm
          label={text.remove}
          title={text.removeTitle(note.name)}
          detail={text.removeDetail}
          action={async () => {
            await service.call(routes.notes.deleteNote, { params });
            await navigate({ to: '/$namespace/-/notes', params: { namespace } });
            queries.removeQueries({ queryKey: ['note', namespace, id] });
            await queries.invalidateQueries();
          }}
        />
      </div>
    </section>
  );
}
