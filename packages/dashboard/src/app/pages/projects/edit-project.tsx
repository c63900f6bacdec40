import type { Project } from '@bindery/contract';
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

/** Edits or deletes a project, for its admins. */
export function EditProject({ project }: { project: Project }) {
  const text = messages.projects;
  const { namespace, slug: projectSlug } = project;
  const params = { namespace, projectSlug };
  const navigate = useNavigate();
  const [displayName, setDisplayName] = useState(project.displayName);
  const [description, setDescription] = useState(project.description);
  const [visibility, setVisibility] = useState(project.visibility);
  const save = useMutation({
    mutationFn: () =>
      service.call(routes.projects.patchProject, { params, body: { displayName, description, visibility } }),
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
          <NameField label={text.name} value={displayName} onChange={setDisplayName} />
          <VisibilityField value={visibility} onChange={setVisibility} />
        </div>
        <label className={`${form.field} ${form.wide}`}>
          {text.description}
          <textarea
            value={description}
            onChange={(event) => setDescription(event.target.value)}
            maxLength={10_000}
          />
        </label>
        <div className={form.actions}>
          <button type="submit" className={form.button} disabled={save.isPending}>
            {text.save}
          </button>
        </div>
        <InlineError error={save.error} />
      </form>
      {project.permissions.project.delete && (
        <div className={form.actions}>
          <Confirm
            label={text.remove}
            title={text.removeTitle(project.displayName)}
            detail={text.removeDetail}
            typed={projectSlug}
            action={async () => {
              await service.call(routes.projects.deleteProject, { params });
              await navigate({ to: '/$namespace/-/projects', params: { namespace } });
              queries.removeQueries({ queryKey: ['project', namespace, projectSlug] });
              await queries.invalidateQueries();
            }}
          />
        </div>
      )}
    </section>
  );
}
