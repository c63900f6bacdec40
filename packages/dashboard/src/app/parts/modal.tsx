import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import styles from './form.module.css';

/** A dialog that is open while it is rendered. Escape and its button close it, and the focus returns. */
export function Modal({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={heading}
      onClose={() => dialog.current?.open === false && onClose()}
    >
      <div className={styles.form}>
        <h2 id={heading}>{title}</h2>
        {children}
        <div className={styles.actions}>
          <Button label={messages.close} onClick={() => dialog.current?.close()} />
        </div>
      </div>
    </dialog>
  );
}
