import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type MouseEvent, useId, useRef, useState } from 'react';
import { messages } from '../messages.ts';
import styles from './form.module.css';
import { InlineError } from './inline-error.tsx';

/**
 * Returns a click handler that ignores the second click of a double click: it hits what the first one brought there.
 * Clicks by keyboard count as first ones.
 */
export function onSingleClick(act: () => unknown = () => {}) {
  return (event: MouseEvent) => {
    if (event.detail < 2) act();
    else event.preventDefault();
  };
}

/** A button that does something at once, followed by why that failed. */
export function ActionButton({
  label,
  running = label,
  name,
  isDisabled = false,
  run,
}: {
  label: string;
  /** What it says meanwhile. */
  running?: string;
  /** Says what the button acts on, where several have the same label. */
  name?: string;
  isDisabled?: boolean;
  run: () => Promise<unknown>;
}) {
  const action = useMutation({ mutationFn: run });
  return (
    <>
      <button
        type="button"
        className={styles.quiet}
        disabled={isDisabled || action.isPending}
        onClick={onSingleClick(() => action.mutate())}
        aria-label={name}
      >
        {action.isPending ? running : label}
      </button>
      <InlineError error={action.error} />
    </>
  );
}

/**
 * A button whose action must be confirmed first, by typing `typed` if that is given. Otherwise the dialog starts on
 * Cancel, so that pressing Enter again does no harm. It is red unless the action can be taken back.
 */
export function Confirm({
  label,
  name,
  title,
  detail,
  typed,
  isReversible = false,
  onOpen,
  action,
}: {
  label: string;
  /** Says what the button acts on, where several have the same label. */
  name?: string;
  title: string;
  detail: string;
  typed?: string;
  /** Whether whoever does it can take it back. */
  isReversible?: boolean;
  /** Called when the dialog opens. */
  onOpen?: () => void;
  action: () => Promise<unknown>;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const heading = useId();
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const mayRun = typed === undefined || text === typed;

  async function run(event: FormEvent) {
    event.preventDefault();
    if (!mayRun || isRunning) return;
    setRunning(true);
    try {
      await action();
      dialog.current?.close();
    } catch (failure) {
      setError(failure);
    } finally {
      setRunning(false);
    }
  }

  return (
    <>
      <button
        type="button"
        className={isReversible ? styles.quiet : styles.danger}
        aria-label={name}
        onClick={() => {
          setText('');
          setError(null);
          onOpen?.();
          dialog.current?.showModal();
          if (typed === undefined) cancel.current?.focus();
        }}
      >
        {label}
      </button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby={heading}>
        <form className={styles.form} onSubmit={run}>
          <h2 id={heading}>{title}</h2>
          <p>{detail}</p>
          {typed !== undefined && (
            <label className={styles.field}>
              {messages.confirm.type(typed)}
              <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" />
            </label>
          )}
          <InlineError error={error} />
          <div className={styles.actions}>
            <button
              type="submit"
              className={isReversible ? styles.button : styles.danger}
              disabled={!mayRun || isRunning}
              onClick={onSingleClick()}
            >
              {label}
            </button>
            <button
              ref={cancel}
              type="button"
              className={styles.quiet}
              onClick={() => dialog.current?.close()}
            >
              {messages.cancel}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
