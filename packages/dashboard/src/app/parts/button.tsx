import type { ComponentProps } from 'react';
import styles from './form.module.css';

/** A button of a few words: quiet, unless it is the main thing to do there, or destroys something. */
export function Button({
  label,
  isMain = false,
  isDanger = false,
  ...button
}: { label: string; isMain?: boolean; isDanger?: boolean } & ComponentProps<'button'>) {
  const look = isDanger ? styles.danger : isMain ? styles.button : styles.quiet;
  return (
    <button type="button" {...button} className={look}>
      {label}
    </button>
  );
}
