import type { ComponentProps } from 'react';
import styles from './form.module.css';

/** A button of a few words: quiet, unless it is the main thing to do there. */
export function Button({
  label,
  isMain = false,
  ...button
}: { label: string; isMain?: boolean } & ComponentProps<'button'>) {
  return (
    <button type="button" {...button} className={isMain ? styles.button : styles.quiet}>
      {label}
    </button>
  );
}
