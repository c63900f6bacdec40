import type { LibraryDetail } from '@bindery/contract';
import { LIMITS, RELEASE_NAME, routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { queries, service } from '../../session.ts';

/** Releases the revision shown, even if another has been published since; refused if it is no longer kept. */
export function NewRelease({ library: { namespace, name: library, revision } }: { library: LibraryDetail }) {
  const text = messages.releases;
  const [name, setName] = useState('');
  const [notes, setNotes] = useState('');
  const make = useMutation({
    mutationFn: () =>
      service.call(routes.releases.createRelease, {
        params: { namespace, name: library },
        body: { name, revision, ...(notes.trim() !== '' && { notes }) },
      }),
    onError: async (error) => {
      if (isRevisionConflict(error))
        await queries.invalidateQueries({ queryKey: ['library', namespace, library] });
    },
    onSuccess: async () => {
      setName('');
      setNotes('');
      await queries.invalidateQueries({ queryKey: ['releases', namespace, library] });
    },
  });
  const isNameUsable = name === '' || RELEASE_NAME.pattern.test(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isNameUsable) make.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit} aria-label={text.make}>
      <p className={form.soft}>{text.detail(revision)}</p>
      <label className={form.field}>
        {text.name}
        <input
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="v1.0"
          maxLength={64}
          required
          autoComplete="off"
          spellCheck={false}
          aria-invalid={!isNameUsable}
        />
      </label>
      {!isNameUsable && (
        <p role="alert" className={form.alert}>
          {text.nameRule}
        </p>
      )}
      <label className={`${form.field} ${form.wide}`}>
        {text.notes}
        <textarea
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
          maxLength={LIMITS.releaseNotes}
        />
      </label>
      <div className={form.actions}>
        <button type="submit" className={form.button} disabled={make.isPending || !isNameUsable}>
          {text.make}
        </button>
        {make.data && <span role="status">{text.made(make.data.name, make.data.revision)}</span>}
      </div>
      {isRevisionConflict(make.error) ? (
        <p role="alert" className={form.alert}>
          {text.movedOn}
        </p>
      ) : (
        <InlineError error={make.error} />
      )}
      <p className={form.soft}>{text.terminal}</p>
      <Copyable text={`bindery library release ${namespace}/${library} v1.0`} label={text.terminal} />
    </form>
  );
}

/** Whether the revision shown has been replaced and is no longer kept. */
function isRevisionConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'revision_conflict';
}
