import type { Metadata } from '@bindery/sdk/browser/push';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { editMessages } from '../messages/library.ts';
import { messages } from '../messages.ts';
import type { Target } from '../push/protocol.ts';
import { queries } from '../session.ts';
import { suggestLicense } from '../suggest-license.ts';
import { Button } from './button.tsx';
import styles from './edit-metadata.module.css';
import { Field, TextField } from './form.tsx';
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
      <summary>{editMessages.title}</summary>
      {isOpen && (
        <MetadataForm target={target} asset={asset} current={current} onCancel={() => setOpen(false)} />
      )}
    </details>
  );
}

const DESCRIPTION = { asset: 2_000, library: 10_000 };

/** Edits the metadata of an asset, or of the library if `asset` is null. Nothing is published that did not change. */
export function MetadataForm({
  target,
  asset,
  current,
  onCancel,
}: {
  target: Target;
  asset: string | null;
  current: Metadata;
  onCancel: () => void;
}) {
  const text = editMessages;
  // What the user saw: changes by others since then are reported, not overwritten.
  const [before, setBefore] = useState(current);
  const [title, setTitle] = useState(current.title ?? '');
  const [description, setDescription] = useState(current.description ?? '');
  const [license, setLicense] = useState(current.license ?? '');
  const [tags, setTags] = useState(current.tags.join(', '));
  const [asked, setAsked] = useState('');
  const suggested = suggestLicense(license, Object.keys(LICENSE_TEXTS));
  const after = { title, description, license, tags: tagsOf(tags) };
  const isAsked = suggested !== null && asked === license;
  const save = useMutation({
    mutationFn: async () => {
      if (isSame(before, after)) return text.unchanged;
      const { editInWorker } = await import('../push/edit-in-worker.ts');
      await editInWorker({ type: 'edit', target, edit: { asset, before, after } });
      setBefore(after);
      return text.saved;
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const isBehind = save.isError && !isSame(before, current);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (suggested !== null && !isAsked) setAsked(license);
    else save.mutate();
  };
  return (
    <form className="form" onSubmit={submit} onInput={() => save.isSuccess && save.reset()}>
      <Field
        label={text.name}
        value={title}
        placeholder={asset ?? target.name}
        maxLength={200}
        onChange={setTitle}
      />
      <TextField
        label={text.description}
        value={description}
        rows={5}
        maxLength={asset === null ? DESCRIPTION.library : DESCRIPTION.asset}
        onChange={setDescription}
      />
      <Field label={text.license} value={license} maxLength={120} onChange={setLicense} />
      {suggested !== null && (
        <p role="status">
          {text.meantLicense}{' '}
          <button type="button" className="text-button" onClick={() => setLicense(suggested)}>
            {suggested}
          </button>
          ? {isAsked && text.asWritten(license)}
        </p>
      )}
      <Field label={text.tags} value={tags} onChange={setTags} />
      <InlineError error={save.error} />
      <div className="actions">
        <Button isMain label={text.save} type="submit" disabled={save.isPending} />
        {isBehind && (
          <Button
            label={text.keepMine}
            onClick={() => {
              setBefore(current);
              save.reset();
            }}
          />
        )}
        <Button label={messages.cancel} onClick={onCancel} />
        <span role="status" className="inline">
          {save.data}
        </span>
      </div>
      <p className="detail">{text.detail}</p>
    </form>
  );
}

function isSame(before: Metadata, after: Metadata): boolean {
  const stated = ({ title, description, license, tags }: Metadata) =>
    JSON.stringify([title || null, description || null, license || null, tags]);
  return stated(before) === stated(after);
}

function tagsOf(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
