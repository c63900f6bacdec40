/** The JSON pointer (RFC 6901) of a place in a document; the empty string is the whole document. */
export function jsonPointer(steps: readonly PropertyKey[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
