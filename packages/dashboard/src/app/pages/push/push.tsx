import type { Visibility } from '@bindery/contract';
import { Link, useBlocker } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import type { Coverage, PickedFolder, Target } from '../../push/protocol.ts';
import { PushSession, type PushState } from '../../push/push-session.ts';
import { queries, refreshSession } from '../../session.ts';
import { DrawThumbnails } from './draw-thumbnails.tsx';
import { DropZone } from './drop-zone.tsx';
import { Plan } from './plan.tsx';
import { ProgressBar } from './progress-bar.tsx';
import { PublishPlan } from './publish-plan.tsx';
import styles from './push.module.css';
import { PushFailure } from './push-failure.tsx';

/** Accepts a folder, shows what it would do to the library, and publishes it. */
export function Push({
  target,
  createsLibrary = false,
  picked,
  onPicked,
  onSending,
}: {
  /** Null until the library has a name. */
  target: Target | null;
  /** Whether a new library is meant, so that the page says so if there is one with that name. */
  createsLibrary?: boolean;
  picked: PickedFolder | null;
  onPicked: (picked: PickedFolder | null) => void;
  /** Reports whether the push is being sent: until that ends, its target stays. */
  onSending?: (isSending: boolean) => void;
}) {
  const text = messages.push;
  const session = useRef<PushSession>(null);
  const [state, setState] = useState<PushState>({ step: 'nothing' });
  const [visibility, setVisibility] = useState<Visibility>('private');
  const [draws, setDraws] = useState(true);
  const { namespace = null, name = null } = target ?? {};

  useLayoutEffect(() => {
    const opened = new PushSession(setState);
    session.current = opened;
    return () => opened.close();
  }, []);

  const plan = useEffectEvent((coverage: Coverage | null) => {
    if (target && picked) session.current?.plan(target, picked, coverage);
  });
  // Before the page is drawn, so that a plan never stands beside a folder or a name that it was not made for.
  useLayoutEffect(() => {
    if (namespace !== null && name !== null && picked !== null) plan(null);
  }, [namespace, name, picked]);

  const isSending = state.step === 'sending';
  useBlocker({
    shouldBlockFn: () => isSending && !window.confirm(text.leave),
    enableBeforeUnload: isSending,
  });
  useEffect(() => onSending?.(isSending), [isSending, onSending]);
  const isNew = 'plan' in state && state.plan !== null && state.plan.revision === null;
  const publish = () => session.current?.publish(isNew ? visibility : undefined);
  useAutoResume(state, publish);
  const isSignedOut = state.step === 'failed' && state.failure.kind === 'signedOut';
  useEffect(() => {
    if (isSignedOut) void refreshSession();
  }, [isSignedOut]);
  const published = state.step === 'published' ? state : null;
  useEffect(() => {
    if (published) void queries.invalidateQueries();
  }, [published]);

  if (picked === null || state.step === 'nothing') return <DropZone onPicked={onPicked} />;
  return (
    <div className={styles.steps} data-own-focus>
      <p className={styles.soft}>
        {text.picked(picked.folder, picked.files.length)}{' '}
        {!isSending && (
          <button type="button" className={styles.link} onClick={() => onPicked(null)}>
            {text.another}
          </button>
        )}
      </p>
      {state.step === 'reading' && (
        <>
          <ProgressBar label={text.reading} progress={state.progress} />
          <Cancel onCancel={() => session.current?.cancel()} />
        </>
      )}
      {state.step === 'failed' && (
        <PushFailure
          failure={state.failure}
          target={target}
          onAgain={() => plan(state.coverage)}
          onGoOn={publish}
          hasPlan={state.plan !== null}
        />
      )}
      {published && target && (
        <section className={form.done} role="status">
          <p>{published.isUnchanged ? text.unchanged : text.published(published.revision)}</p>
          <Link to="/$namespace/$library" params={{ namespace: target.namespace, library: target.name }}>
            {text.open}
          </Link>
        </section>
      )}
      {published && target && draws && <DrawThumbnails target={target} />}
      {state.step === 'sending' && (
        <>
          <ProgressBar label={text.sending} progress={state.progress} />
          <Cancel onCancel={() => session.current?.cancel()} />
        </>
      )}
      {state.step === 'planned' && target && (
        <>
          {createsLibrary && state.plan.revision !== null && (
            <p className={form.alert}>{text.exists(`${target.namespace}/${target.name}`)}</p>
          )}
          {state.plan.revision !== null && (
            <CoverageChoice coverage={state.coverage} folder={picked.folder} onChoose={plan} />
          )}
          {isNew && <VisibilityChoice visibility={visibility} onChoose={setVisibility} />}
          <label>
            <input type="checkbox" checked={draws} onChange={() => setDraws(!draws)} />{' '}
            {text.thumbnails.title}
          </label>
        </>
      )}
      {'plan' in state && state.plan && <Plan plan={state.plan} />}
      {state.step === 'planned' && <PublishPlan plan={state.plan} onPublish={publish} />}
      {target && state.step === 'planned' && (
        <details className={styles.notes}>
          <summary>{text.terminal}</summary>
          <Copyable
            text={`bindery library push ${picked.folder || '.'} ${target.namespace}/${target.name} --thumbnails`}
            label={text.terminal}
          />
        </details>
      )}
    </div>
  );
}

/** Resumes automatically when the network is back. */
function useAutoResume(state: PushState, goOn: () => void) {
  const isWaiting = state.step === 'failed' && state.failure.kind === 'unreachable' && state.plan !== null;
  const again = useEffectEvent(goOn);
  useEffect(() => {
    if (!isWaiting) return;
    const onOnline = () => again();
    addEventListener('online', onOnline);
    return () => removeEventListener('online', onOnline);
  }, [isWaiting]);
}

function Cancel({ onCancel }: { onCancel: () => void }) {
  return (
    <div className={form.actions}>
      <button type="button" className={form.quiet} onClick={onCancel}>
        {messages.cancel}
      </button>
    </div>
  );
}

function CoverageChoice({
  coverage,
  folder,
  onChoose,
}: {
  coverage: Coverage;
  folder: string;
  onChoose: (coverage: Coverage) => void;
}) {
  const text = messages.push.coverage;
  return (
    <fieldset className={styles.choice}>
      <legend>{text.title}</legend>
      {(['part', 'whole'] as const).map((value) => (
        <label key={value}>
          <input type="radio" name="coverage" checked={coverage === value} onChange={() => onChoose(value)} />{' '}
          {text[value](folder)}
        </label>
      ))}
    </fieldset>
  );
}

function VisibilityChoice({
  visibility,
  onChoose,
}: {
  visibility: Visibility;
  onChoose: (visibility: Visibility) => void;
}) {
  const text = messages.manage;
  return (
    <fieldset className={styles.choice}>
      <legend>{text.visibility}</legend>
      {(['private', 'public'] as const).map((value) => (
        <label key={value}>
          <input
            type="radio"
            name="visibility"
            checked={visibility === value}
            onChange={() => onChoose(value)}
          />{' '}
          {value === 'public' ? text.isPublic : text.isPrivate}
        </label>
      ))}
    </fieldset>
  );
}
