import type { Visibility } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { VisibilityField } from '../../parts/visibility-field.tsx';
import { queries, service } from '../../session.ts';

/** Creates a Note, filed in a project if one is given. */
export function NewNote({ namespace, project }: { namespace: string; project: string | undefined }) {
  const text = messages.notes;
  const [name, setName] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('private');
  const make = useMutation({
    mutationFn: () =>
      service.call(routes.notes.createNote, {
        params: { namespace },
        body: { name, visibility, ...(project !== undefined && { projects: [project] }) },
      }),
    onSuccess: async () => {
      setName('');
      await queries.invalidateQueries({ queryKey: ['notes', namespace] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit}>
      <div className={form.row}>
        <NameField label={text.newTitle} value={name} onChange={setName} />
        <VisibilityField value={visibility} onChange={setVisibility} />
        <button type="submit" className={form.button} disabled={make.isPending}>
          {text.make}
        </button>
      </div>
      <InlineError error={make.error} />
    </form>
  );
}
