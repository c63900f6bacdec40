import type { ComponentProps } from 'react';

/** A button of a few words: quiet, unless it is the main thing to do there, or destroys something. */
export function Button({
  label,
  isMain = false,
  isDanger = false,
  ...button
}: { label: string; isMain?: boolean; isDanger?: boolean } & ComponentProps<'button'>) {
  const look = isDanger ? 'danger' : isMain ? 'button' : 'quiet';
  return (
    <button type="button" {...button} className={look}>
      {label}
    </button>
  );
}
