/** How much of a longer key is shown; no key of this service comes near it. */
const SHOWN = 256;

/**
 * Returns the JSON pointer (RFC 6901) of a place in a document, for messages: the empty string is the whole document,
 * and keys of more than 256 characters are truncated.
 */
export function jsonPointer(steps: readonly PropertyKey[]): string {
  return steps.map((step) => `/${escaped(shorten(String(step)))}`).join('');
}

function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

function shorten(step: string): string {
  return step.length > SHOWN ? `${step.slice(0, SHOWN)}…` : step;
}
