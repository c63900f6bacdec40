/** Moves the focus to the first hit; false if there is none. */
export function focusFirstHit(): boolean {
  const link = document.querySelector<HTMLElement>('[data-index="0"] a');
  link?.focus();
  return link !== null;
}
