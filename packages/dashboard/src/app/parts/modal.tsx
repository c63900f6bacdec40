import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';

interface ModalProps {
  title: string;
  /** The button that does what the dialog asks about; without it, the dialog is only closed. */
  submit?: ReactNode;
  onSubmit?: () => void;
  /** Whether it starts on the button that closes it, instead of its first control. */
  startsOnClose?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog that is open while it is rendered. Escape and its button close it, and the focus returns. */
export function Modal({ title, submit, onSubmit, startsOnClose = false, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useRef<HTMLButtonElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    if (startsOnClose) close.current?.focus();
    return () => element?.close();
  }, [startsOnClose]);
  const onFormSubmit = (event: React.FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onClose={() => dialog.current?.open === false && onClose()}
    >
      <form className="form" onSubmit={onFormSubmit}>
        <h2 id={heading}>{title}</h2>
        {children}
        <div className="actions">
          {submit}
          <Button
            ref={close}
            label={submit ? messages.cancel : messages.close}
            onClick={() => dialog.current?.close()}
          />
        </div>
      </form>
    </dialog>
  );
}

/** A button that opens a dialog with the same title. */
export function ModalButton({
  label,
  children,
}: {
  label: string;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button label={label} onClick={() => setOpen(true)} />
      {isOpen && (
        <Modal title={label} onClose={close}>
          {children(close)}
        </Modal>
      )}
    </>
  );
}
