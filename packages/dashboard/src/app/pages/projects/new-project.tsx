import type { Visibility } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { VisibilityField } from '../../parts/visibility-field.tsx';
import { queries, service } from '../../session.ts';

/** Creates a project and opens it. */
export function NewProject({ namespace }: { namespace: string }) {
  const text = messages.projects;
  const navigate = useNavigate();
  const [displayName, setDisplayName] = useState('');
  const [visibility, setVisibility] = useState<Visibility>('private');
  const make = useMutation({
    mutationFn: () =>
      service.call(routes.projects.createProject, {
        params: { namespace },
        body: { displayName, visibility },
      }),
    onSuccess: async ({ slug }) => {
      await queries.invalidateQueries({ queryKey: ['projects', namespace] });
      await navigate({ to: '/$namespace/-/projects/$project', params: { namespace, project: slug } });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <section className={form.card}>
      <h2>{text.newTitle}</h2>
      <form className={form.form} onSubmit={submit}>
        <div className={form.row}>
          <NameField label={text.name} value={displayName} onChange={setDisplayName} />
          <VisibilityField value={visibility} onChange={setVisibility} />
          <button type="submit" className={form.button} disabled={make.isPending}>
            {text.make}
          </button>
        </div>
        <InlineError error={make.error} />
      </form>
    </section>
  );
}
