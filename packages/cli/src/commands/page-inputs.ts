import { LIMITS } from '@bindery/contract/wire';
import { integer, option, optionWithDefault, text } from '../command.ts';
import type { Output } from '../output/output.ts';

/** The inputs for a list in numbered pages; the help says `what` it lists. */
export function pageInputs(what: string) {
  return {
    search: option('<text>', 'part of a name', text),
    page: optionWithDefault('<n>', 'which page', 1, integer({ min: 1, max: LIMITS.pages })),
    pageSize: optionWithDefault(
      '<n>',
      `${what} on a page`,
      LIMITS.catalogPageSize.default,
      integer({ min: 1, max: LIMITS.catalogPageSize.max }),
    ),
  };
}

export function reportPage(
  { page, totalPages, total }: { page: number; totalPages: number; total: number },
  output: Output,
): void {
  output.note(total === 0 ? 'There are none.' : `Page ${page} of ${totalPages} · ${total} in all`);
}
