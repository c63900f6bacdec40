import type { Metadata } from '@bindery/sdk/browser/push';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../messages.ts';
import type { Target } from '../push/protocol.ts';
import { queries } from '../session.ts';
import { suggestLicense } from '../suggest-license.ts';
import styles from './edit-metadata.module.css';
import form from './form.module.css';
import { InlineError } from './inline-error.tsx';
import { LICENSE_TEXTS } from './license-texts.tsx';

/** Edits the metadata of an asset on request. */
export function EditMetadata({
  target,
  asset,
  current,
}: {
  target: Target;
  asset: string;
  current: Metadata;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.edit} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{messages.edit.title}</summary>
      {isOpen && (
        <MetadataForm target={target} asset={asset} current={current} onDone={() => setOpen(false)} />
      )}
    </details>
  );
}

const DESCRIPTION = { asset: 2_000, library: 10_000 };

/** Edits the metadata of an asset, or of the library if `asset` is null. */
export function MetadataForm({
  target,
  asset,
  current,
  onDone,
}: {
  target: Target;
  asset: string | null;
  current: Metadata;
  /** Called when the changes were saved or are to be dropped. */
  onDone: () => void;
}) {
  const text = messages.edit;
  // What the user saw: changes by others since then are reported, not overwritten.
  const [before, setBefore] = useState(current);
  const [title, setTitle] = useState(current.title ?? '');
  const [description, setDescription] = useState(current.description ?? '');
  const [license, setLicense] = useState(current.license ?? '');
  const [tags, setTags] = useState(current.tags.join(', '));
  const suggested = suggestLicense(license, Object.keys(LICENSE_TEXTS));
  const save = useMutation({
    mutationFn: async () => {
      const { editInWorker } = await import('../push/edit-in-worker.ts');
      const after = { title, description, license, tags: tagsOf(tags) };
      await editInWorker({ type: 'edit', target, edit: { asset, before, after } });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onDone();
    },
    onError: () => queries.invalidateQueries(),
  });
  const isBehind = save.isError && before !== current;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit}>
      <label className={form.field}>
        {text.name}
        <input value={title} maxLength={200} onChange={({ target: { value } }) => setTitle(value)} />
      </label>
      <label className={form.field}>
        {text.description}
        <textarea
          value={description}
          rows={5}
          maxLength={asset === null ? DESCRIPTION.library : DESCRIPTION.asset}
          onChange={({ target: { value } }) => setDescription(value)}
        />
      </label>
      <label className={form.field}>
        {text.license}
        <input value={license} maxLength={120} onChange={({ target: { value } }) => setLicense(value)} />
      </label>
      {suggested !== null && (
        <p role="status">
          {text.meantLicense}{' '}
          <button type="button" className={form.link} onClick={() => setLicense(suggested)}>
            {suggested}
          </button>
        </p>
      )}
      <label className={form.field}>
        {text.tags}
        <input value={tags} onChange={({ target: { value } }) => setTags(value)} />
      </label>
      <InlineError error={save.error} />
      <div className={form.actions}>
        <button type="submit" className={form.button} disabled={save.isPending}>
          {text.save}
        </button>
        {isBehind && (
          <button
            type="button"
            className={form.quiet}
            onClick={() => {
              setBefore(current);
              save.reset();
            }}
          >
            {text.keepMine}
          </button>
        )}
        <button type="button" className={form.quiet} onClick={onDone}>
          {messages.cancel}
        </button>
      </div>
      <p className={form.soft}>{text.detail}</p>
    </form>
  );
}

function tagsOf(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
