import type { AuditPage } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import { integer, option, optionWithDefault, text } from '../command.ts';
import { timestamp } from '../parsers.ts';
import type { Output } from './output.ts';
import { sanitizeLine } from './text.ts';

/** The inputs for a page of the audit log. */
export const auditInputs = {
  user: option('<userName>', 'only what this account did', text),
  action: option('<action>', 'only this action, such as library.register or sign-in.failed', text),
  since: option('<time>', 'only since then: 2026-03-01, or with a time in UTC, 2026-03-01T09:30Z', timestamp),
  until: option('<time>', 'only before then', timestamp),
  first: optionWithDefault(
    '<n>',
    'how many lines',
    LIMITS.auditPageSize.default,
    integer({ min: 1, max: LIMITS.auditPageSize.max }),
  ),
  after: option('<cursor>', 'the cursor printed below the page before', text),
};

/** Prints one line for each entry: when, who, what, on what, from where. */
export function showAudit({ entries, pageInfo }: AuditPage, output: Output): void {
  output.table({
    headings: ['at', 'who', 'via', 'action', 'on', 'details', 'from'],
    rows: entries.map(({ at, actor, via, action, namespace, target, details, address }) => [
      at,
      actor === null ? '-' : sanitizeLine(actor),
      via,
      action,
      sanitizeLine([namespace, target].filter((part) => part !== null).join('/')) || '-',
      sanitizeLine(detailsOf(details)) || '-',
      address ?? '-',
    ]),
  });
  if (pageInfo.hasNextPage) output.note(`There is more: --after ${pageInfo.endCursor}`);
}

function detailsOf(details: AuditPage['entries'][number]['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
