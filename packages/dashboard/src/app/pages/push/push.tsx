import type { Visibility } from '@bindery/contract';
import type { PickedPlan, Placement } from '@bindery/sdk/browser/push';
import { Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { toLibrary, toProposal } from '../../links.ts';
import { manageMessages } from '../../messages/library.ts';
import { proposalMessages } from '../../messages/proposals.ts';
import { pushMessages as text } from '../../messages/push.ts';
import { messages } from '../../messages.ts';
import { Button } from '../../parts/button.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ActionForm, useProposal } from '../../parts/form.tsx';
import type { PickedFolder, Progress, Target } from '../../push/protocol.ts';
import { PushSession, type PushState, shownPlan } from '../../push/push-session.ts';
import { queries, refreshSession } from '../../session.ts';
import { DrawThumbnails } from './draw-thumbnails.tsx';
import { DropZone } from './drop-zone.tsx';
import { Plan, PublishPlan } from './plan.tsx';
import styles from './push.module.css';
import { PushFailure } from './push-failure.tsx';

/** Accepts a folder, shows what it would do to the library, and publishes or proposes it. */
export function Push({
  target,
  createsLibrary = false,
  proposes = false,
  picked,
  onPicked,
  onSending,
}: {
  /** Null until the library has a name. */
  target: Target | null;
  /** Whether a new library is meant, so that the page says so if there is one with that name. */
  createsLibrary?: boolean;
  /** Whether the viewer may only propose it. */
  proposes?: boolean;
  picked: PickedFolder | null;
  onPicked: (picked: PickedFolder | null) => void;
  /** Reports whether the push is being sent: until that ends, its target stays. */
  onSending?: (isSending: boolean) => void;
}) {
  const session = useRef<PushSession>(null);
  const [state, setState] = useState<PushState>({ step: 'nothing' });
  const [visibility, setVisibility] = useState<Visibility>('private');
  const [draws, setDraws] = useState(true);
  const [said, proposalFields] = useProposal();
  const navigate = useNavigate();
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const addProblem = (asset: string, problem: string) =>
    setProblems((before) => new Map([...before, [asset, problem]]));
  const { namespace = null, name = null } = target ?? {};

  useLayoutEffect(() => {
    const opened = new PushSession(setState);
    session.current = opened;
    return () => opened.close();
  }, []);

  const plan = useEffectEvent((placement: Placement | null, keepsPlan = false) => {
    if (target && picked) session.current?.plan(target, picked, placement, keepsPlan);
  });
  const planned = useRef<PickedFolder>(null);
  // Before the page is drawn, so that a plan never stands beside a folder that it was not made for.
  useLayoutEffect(() => {
    if (namespace === null || name === null || picked === null) return;
    plan(null, createsLibrary && planned.current === picked);
    planned.current = picked;
    setProblems(new Map());
  }, [namespace, name, picked, createsLibrary]);

  const isSending = state.step === 'sending';
  useBlocker({
    shouldBlockFn: () => isSending && !window.confirm(text.leave),
    enableBeforeUnload: isSending,
  });
  useEffect(() => onSending?.(isSending), [isSending, onSending]);
  const beforehand = target === null ? null : shownPlan(state);
  const shown = beforehand ?? (target !== null && 'plan' in state ? state.plan : null);
  const isNew = shown !== null && shown.revision === null;
  const publish = () => session.current?.publish(isNew ? visibility : undefined, proposes ? said : undefined);
  const publishWhenPlanned = usePublishWhenPlanned(state, publish);
  useAutoResume(state, publish);
  const isSignedOut = state.step === 'failed' && state.failure.kind === 'signedOut';
  useEffect(() => {
    if (isSignedOut) void refreshSession();
  }, [isSignedOut]);
  const published = state.step === 'published' ? state : null;
  const showProposal = useEffectEvent((number: number) => {
    if (target) void navigate({ ...toProposal(target.namespace, target.name, number), replace: true });
  });
  useEffect(() => {
    if (published) void queries.invalidateQueries();
    if (published && published.proposal !== null) showProposal(published.proposal);
  }, [published]);

  if (picked === null || state.step === 'nothing') return <DropZone onPicked={onPicked} />;
  return (
    <div className="stack" data-own-focus>
      <p className="detail">
        {text.picked(picked.folder, picked.files.length)}{' '}
        {!isSending && (
          <button type="button" className="text-button" onClick={() => onPicked(null)}>
            {text.another}
          </button>
        )}
      </p>
      {(isSending || (state.step === 'reading' && state.earlier === null)) && (
        <>
          <ProgressBar label={text[state.step]} progress={state.progress} />
          <div className="actions">
            <Button label={messages.cancel} onClick={() => session.current?.cancel()} />
          </div>
        </>
      )}
      {state.step === 'failed' && (
        <PushFailure
          failure={state.failure}
          target={target}
          onAgain={() => plan(state.placement)}
          onGoOn={publish}
          hasPlan={state.plan !== null}
        />
      )}
      {beforehand && target && (
        <>
          {createsLibrary && !isNew && (
            <p className="caution">{text.exists(`${target.namespace}/${target.name}`)}</p>
          )}
          {state.step === 'planned' && !isNew && (
            <RadioChoice
              title={text.coverage.title}
              chosen={state.placement.coverage}
              options={{ part: text.coverage.part(state.placement.folder), whole: text.coverage.whole }}
              onChoose={(coverage) => plan({ ...state.placement, coverage })}
            />
          )}
          {isNew && (
            <RadioChoice
              title={manageMessages.visibility}
              chosen={visibility}
              options={{ private: manageMessages.isPrivate, public: manageMessages.isPublic }}
              onChoose={setVisibility}
            />
          )}
          {!proposes && (
            <label>
              <input type="checkbox" checked={draws} onChange={() => setDraws(!draws)} />{' '}
              {text.thumbnails.title}
            </label>
          )}
        </>
      )}
      {shown && <Plan plan={shown} title={published ? text.publishedPlan : text.plan} problems={problems} />}
      {beforehand && proposes && (
        <ActionForm label={proposalMessages.propose} isStacked run={async () => publish()}>
          {proposalFields}
        </ActionForm>
      )}
      {beforehand && !proposes && (
        <PublishPlan plan={beforehand} onPublish={state.step === 'planned' ? publish : publishWhenPlanned} />
      )}
      {published?.proposal === null && target && (
        <section className={`row ${styles.publish}`}>
          <div className="row wide">
            <p role="status" className="good">
              <strong>{published.isUnchanged ? text.unchanged : text.published(published.revision)}</strong>
            </p>
            {draws && <DrawThumbnails target={target} onProblem={addProblem} />}
          </div>
          <Link {...toLibrary({ namespace: target.namespace, library: target.name })} className="button">
            {text.open}
          </Link>
        </section>
      )}
      {target && beforehand && (
        <details className={styles.notes}>
          <summary>{text.terminal}</summary>
          <Copyable
            text={`bindery library push ${picked.folder || '.'} ${target.namespace}/${target.name} ${proposes ? '--propose "Why"' : '--thumbnails'}`}
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

/**
 * Returns what publishes a plan that is still being made, for a click that changed the name by leaving its field. The
 * plan is published only if it is what the page showed: a new library. Another plan has to be seen first.
 */
function usePublishWhenPlanned(state: PushState, publish: () => void): () => void {
  const [isWanted, setWanted] = useState(false);
  const go = useEffectEvent((plan: PickedPlan) => {
    setWanted(false);
    if (plan.revision === null) publish();
  });
  const ready = isWanted && state.step === 'planned' ? state.plan : null;
  useEffect(() => {
    if (ready) go(ready);
  }, [ready]);
  const isOver = isWanted && state.step !== 'planned' && state.step !== 'reading';
  if (isOver) setWanted(false);
  return () => setWanted(true);
}

/** A choice of one of `options`, with the words of each. */
function RadioChoice<Value extends string>({
  title,
  chosen,
  options,
  onChoose,
}: {
  title: string;
  chosen: Value;
  options: Readonly<Record<Value, string>>;
  onChoose: (value: Value) => void;
}) {
  return (
    <fieldset className={`stack surface ${styles.choice}`}>
      <legend>{title}</legend>
      {(Object.keys(options) as Value[]).map((value) => (
        <label key={value}>
          <input type="radio" name={title} checked={chosen === value} onChange={() => onChoose(value)} />{' '}
          {options[value]}
        </label>
      ))}
    </fieldset>
  );
}

/** Progress of reading or sending, in bytes and files. */
export function ProgressBar({ label, progress }: { label: string; progress: Progress | null }) {
  const { bytes = 0, totalBytes = 0, files = 0, totalFiles = 0 } = progress ?? {};
  return (
    <div className={`stack ${styles.progress}`}>
      <p role="status">{label}</p>
      <progress aria-label={label} {...(totalBytes > 0 && { value: bytes, max: totalBytes })} />
      {progress && <p className="detail">{text.done({ bytes, totalBytes, files, totalFiles })}</p>}
    </div>
  );
}
