import type { ProposalCheck } from '@bindery/contract';
import type { LibraryRow } from '../../access/libraries.ts';
import type { Database } from '../../database/schema.ts';
import type { ProposalsTable } from '../../database/tables/libraries.ts';
import { ServiceError } from '../../errors.ts';

/** Returns the names of the checks that a library requires of proposals. */
export function requiredChecks({ required_checks: names }: Pick<LibraryRow, 'required_checks'>): string[] {
  return names === null ? [] : JSON.parse(names);
}

/** Returns the checks of a proposal by name: those that were posted and, of an open one, required ones that are missing. */
export async function checksOf(
  db: Database,
  library: Pick<LibraryRow, 'store_id' | 'required_checks'>,
  { number, state }: Pick<ProposalsTable, 'number' | 'state'>,
): Promise<ProposalCheck[]> {
  const posted = await db
    .selectFrom('proposal_checks')
    .leftJoin('accounts', 'accounts.id', 'proposal_checks.posted_by')
    .select(['name', 'state', 'summary', 'url', 'posted_at', 'accounts.user_name as postedBy'])
    .where('store_id', '=', library.store_id)
    .where('proposal', '=', number)
    .execute();
  const required = new Set(state === 'open' ? requiredChecks(library) : []);
  const found = posted.map(
    ({ posted_at, ...check }): ProposalCheck => ({
      ...check,
      isRequired: required.delete(check.name),
      postedAt: new Date(posted_at).toISOString(),
    }),
  );
  for (const name of required)
    found.push({
      ...{ name, state: 'missing', isRequired: true },
      ...{ summary: null, url: null, postedBy: null, postedAt: null },
    });
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws `checks_not_passed`, with the names, unless each check that the library requires of a proposal has passed. */
export async function requirePassed(
  db: Database,
  library: Pick<LibraryRow, 'store_id' | 'required_checks'>,
  proposal: Pick<ProposalsTable, 'number' | 'state'>,
): Promise<void> {
  const checks = library.required_checks === null ? [] : await checksOf(db, library, proposal);
  const named = (state: ProposalCheck['state']) =>
    checks.filter((one) => one.isRequired && one.state === state).map(({ name }) => name);
  const [missing, failed] = [named('missing'), named('failed')];
  if (missing.length + failed.length === 0) return;
  const said = [
    ...failed.map((name) => `${JSON.stringify(name)} has failed`),
    ...missing.map((name) => `${JSON.stringify(name)} is missing`),
  ];
  throw new ServiceError(
    'checks_not_passed',
    `Proposal ${proposal.number} cannot be accepted before the checks of its library have passed: ${said.join(', ')}.`,
    { missing, failed },
  );
}
