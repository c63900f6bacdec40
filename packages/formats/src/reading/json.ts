import { Unrenderable } from './errors.ts';

/** Parses a JSON object without validating its contents. Throws `Unrenderable` with the name of the file. */
export function parseJsonObject(bytes: Uint8Array, name: string): object {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8').decode(bytes));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    throw new Unrenderable(`${name} is not valid JSON`);
  }
  throw new Unrenderable(`${name} is not an object`);
}
