/** What is shown of a longer key; no key that this service knows comes near. */
const SHOWN = 256;

/**
 * The JSON pointer (RFC 6901) of a place in a document, for messages: the empty string is the whole document, and keys
 * of more than 256 characters are cut.
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
