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
import { Field, TextField, useFields } from './form.tsx';
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
        <div className="card">
          <MetadataForm target={target} asset={asset} current={current} onCancel={() => setOpen(false)} />
        </div>
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
  const { title, description, license, tags } = current;
  const [values, field, set] = useFields({
    title: title ?? '',
    description: description ?? '',
    license: license ?? '',
    tags: tags.join(', '),
  });
  const [asked, setAsked] = useState('');
  const suggested = suggestLicense(values.license, Object.keys(LICENSE_TEXTS));
  const after = { ...values, tags: tagsOf(values.tags) };
  const isAsked = suggested !== null && asked === values.license;
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
    if (suggested !== null && !isAsked) setAsked(values.license);
    else save.mutate();
  };
  return (
    <form className="form" onSubmit={submit} onInput={() => save.isSuccess && save.reset()}>
      <Field label={text.name} {...field('title')} placeholder={asset ?? target.name} maxLength={200} />
      <TextField
        label={text.description}
        {...field('description')}
        rows={5}
        maxLength={asset === null ? DESCRIPTION.library : DESCRIPTION.asset}
      />
      <Field label={text.license} {...field('license')} maxLength={120} />
      {suggested !== null && (
        <p role="status">
          {text.meantLicense}{' '}
          <button type="button" className="text-button" onClick={() => set({ license: suggested })}>
            {suggested}
          </button>
          ? {isAsked && text.asWritten(values.license)}
        </p>
      )}
      <Field label={text.tags} {...field('tags')} />
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
