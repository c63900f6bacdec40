import { useMutation } from '@tanstack/react-query';
import { type MouseEvent, useState } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { Field } from './form.tsx';
import { InlineError } from './inline-error.tsx';
import { Modal } from './modal.tsx';

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

interface ActionProps {
  label: string;
  /** Says what the button acts on, where several have the same label. */
  name?: string;
}

/** A button that does something at once, followed by why that failed. */
export function ActionButton({
  label,
  running = label,
  name,
  isDisabled = false,
  run,
}: ActionProps & {
  /** What it says meanwhile. */
  running?: string;
  isDisabled?: boolean;
  run: () => Promise<unknown>;
}) {
  const action = useMutation({ mutationFn: run });
  return (
    <>
      <Button
        label={action.isPending ? running : label}
        aria-label={name}
        disabled={isDisabled || action.isPending}
        onClick={onSingleClick(() => action.mutate())}
      />
      <InlineError error={action.error} />
    </>
  );
}

interface ConfirmProps extends ActionProps {
  title: string;
  detail: string;
  typed?: string;
  /** Whether whoever does it can take it back. */
  isReversible?: boolean;
  /** Called when the dialog opens. */
  onOpen?: () => void;
  action: () => Promise<unknown>;
}

/**
 * A button whose action must be confirmed first, by typing `typed` if that is given. Otherwise the dialog starts on
 * Cancel, so that pressing Enter again does no harm. It is red unless the action can be taken back.
 */
export function Confirm(props: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    props.onOpen?.();
    setOpen(true);
  };
  return (
    <>
      <Button label={props.label} aria-label={props.name} isDanger={!props.isReversible} onClick={open} />
      {isOpen && <Confirmation {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function Confirmation({
  label,
  title,
  detail,
  typed,
  isReversible = false,
  action,
  onClose,
}: ConfirmProps & { onClose: () => void }) {
  const [text, setText] = useState('');
  const run = useMutation({ mutationFn: action, onSuccess: onClose });
  const mayRun = (typed === undefined || text === typed) && !run.isPending;
  return (
    <Modal
      title={title}
      startsOnClose={typed === undefined}
      submit={
        <Button
          type="submit"
          label={label}
          isMain
          isDanger={!isReversible}
          disabled={!mayRun}
          onClick={onSingleClick()}
        />
      }
      onSubmit={() => mayRun && run.mutate()}
      onClose={onClose}
    >
      <p>{detail}</p>
      {typed !== undefined && <Field label={messages.confirm.type(typed)} value={text} onChange={setText} />}
      <InlineError error={run.error} />
    </Modal>
  );
}
