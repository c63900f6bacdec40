import type { Metadata } from '@bindery/sdk/browser/push';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { toProposal } from '../links.ts';
import { editMessages } from '../messages/library.ts';
import { proposalMessages } from '../messages/proposals.ts';
import { messages } from '../messages.ts';
import type { Target } from '../push/protocol.ts';
import { queries } from '../session.ts';
import { suggestLicense } from '../suggest-license.ts';
import { Button } from './button.tsx';
import { Fold } from './card.tsx';
import styles from './edit-metadata.module.css';
import { Field, TextField, useFields, useProposal } from './form.tsx';
import { InlineError } from './inline-error.tsx';
import { LICENSE_TEXTS } from './license-texts.tsx';

interface EditProps {
  target: Target;
  /** Its id; null for the library itself. */
  asset: string | null;
  current: Metadata;
  /** Whether the viewer may only propose the change. */
  proposes?: boolean;
}

/** Edits the metadata of an asset on request. */
export function EditMetadata(props: EditProps) {
  return (
    <Fold summary={editMessages.title} className={styles.edit}>
      {(close) => (
        <div className="card">
          <MetadataForm {...props} onCancel={close} />
        </div>
      )}
    </Fold>
  );
}

const DESCRIPTION = { asset: 2_000, library: 10_000 };

/** Edits the metadata of an asset or of a library. Nothing is published or proposed that did not change. */
export function MetadataForm(props: EditProps & { onCancel: () => void }) {
  const { target, asset, current, proposes = false, onCancel } = props;
  const navigate = useNavigate();
  const [said, proposalFields] = useProposal();
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
      const propose = proposes ? said : undefined;
      const proposal = await editInWorker({ type: 'edit', target, edit: { asset, before, after }, propose });
      if (proposal !== null) await navigate(toProposal(target.namespace, target.name, proposal));
      setBefore(after);
      return text.saved;
    },
    onSettled: () => queries.invalidateQueries(),
  });
  const isBehind = save.isError && !isSame(before, current);
  const label = proposes ? proposalMessages.propose : text.save;
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
      {proposes && proposalFields}
      <InlineError error={save.error} />
      <div className="actions">
        <Button isMain label={label} type="submit" disabled={save.isPending} />
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
      <p className="detail">{proposes ? proposalMessages.proposeDetail : text.detail}</p>
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
