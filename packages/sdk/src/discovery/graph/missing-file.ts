import type { Finding } from './closure.ts';

/** Whether a model needs a file that is not in the folder. Converters name material files that never existed. */
export function namesMissingFile({ kind, text }: Finding): boolean {
  return kind === 'missing' && !/\.mtl$/i.test(text);
}
