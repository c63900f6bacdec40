/** A setting that cannot be used; the message names the variable, its rule and the value that was found. */
export class ConfigurationError extends Error {}

/** Repeats a value in a message, without the password of a URL. */
export function foundValue(value: string): string {
  return ` (found ${JSON.stringify(value.replace(/\/\/.*@/, '//***@').slice(0, 80))})`;
}
