import type { Plugin } from 'vite';

const ABSENT = '\0absent-format-part';

/** Leaves parts of formats out of a bundle that never calls for them: what reads whole files, and what writes them. */
export function withoutFormatParts(...parts: readonly ('read' | 'mechanism' | 'write')[]): Plugin {
  const absent = new Set(parts.map((part) => `./${part}.ts`));
  return {
    name: 'without-format-parts',
    enforce: 'pre',
    resolveId: (id, importer) => (absent.has(id) && importer?.endsWith('/format.ts') ? ABSENT : null),
    load: (id) => (id === ABSENT ? 'export {};' : null),
  };
}
