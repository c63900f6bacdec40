import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS, routes } from '@bindery/contract/wire';
import { type LibraryAddress, libraryParams } from '@bindery/sdk';
import type { CheckReport } from '@bindery/sdk/libraries';
import { defineCommand, flag, oneOf, option, optionWithDefault, restArguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, usageError } from '../output/command-error.ts';
import { EXIT } from '../output/exit-codes.ts';
import { sanitizeLine } from '../output/text.ts';
import { textUpTo } from '../parsers.ts';
import { checkFolder, errorsOf, showReport, summaryOf } from './library/check.ts';
import { library, proposalNumber, proposalParams } from './library/inputs.ts';

const checkName = textUpTo(LIMITS.proposals.checkName);

export const check = defineCommand({
  name: 'check',
  summary: 'Check what a proposal changes, and post the result on it',
  description:
    'Downloads the assets that it adds or changes, checks them like "bindery library check", and posts whether there are ' +
    'errors, for those who decide. Exit code 7 if there are. --state posts what another tool found instead. A check of the ' +
    'same name is replaced. For those who may publish; meant for a job that a webhook starts.',
  inputs: {
    library,
    number: proposalNumber,
    name: optionWithDefault('<name>', 'what the check is called', 'check', checkName),
    state: option('<state>', 'post this, and check nothing', oneOf('passed', 'failed')),
    summary: option(
      '<text>',
      'with --state: what was found, in a sentence',
      textUpTo(LIMITS.proposals.checkSummary),
    ),
    url: option('<url>', 'where more of it is'),
  },
  examples: [
    ['bindery proposal check acme/robots 3', 'as "check"'],
    [
      'bindery proposal check acme/robots 3 --name simulation --state failed --summary "The gripper slips"',
      'by another tool',
    ],
  ],
  async run({ library, number, name, state, summary, url }, context) {
    if (state === undefined && summary !== undefined) throw usageError('--summary goes with --state.');
    const client = await context.signedInClient();
    const report = state === undefined ? await checkProposed(library, number, context) : null;
    const found = report
      ? {
          state: errorsOf(report).length > 0 ? ('failed' as const) : ('passed' as const),
          summary: summaryOf(report),
        }
      : { state: state ?? 'failed', summary };
    const body = { name, ...found, ...(url !== undefined && { url }) };
    const proposal = await client.call(routes.proposals.postCheck, {
      params: proposalParams(library, number),
      body,
      idempotent: true,
    });
    return { proposal, report, name, state: found.state };
  },
  render({ proposal, report, name, state }, output) {
    if (report !== null) showReport(report, output);
    output.line(`Check ${JSON.stringify(sanitizeLine(name))} of proposal ${proposal.number}: ${state}.`);
  },
  exitCode: ({ report }) => (report !== null && errorsOf(report).length > 0 ? EXIT.integrity : EXIT.done),
});

async function checkProposed(
  library: LibraryAddress,
  proposal: number,
  context: Context,
): Promise<CheckReport> {
  const { cacheFolder, pullProposed } = await import('@bindery/sdk/reading');
  const client = await context.signedInClient();
  const params = proposalParams(library, proposal);
  const { state, viewerMayDecide } = await client.call(routes.proposals.getProposal, { params });
  if (state !== 'open')
    throw new CommandError(EXIT.conflict, 'proposal_decided', `The proposal was ${state} before.`);
  if (!viewerMayDecide)
    throw new CommandError(
      EXIT.permission,
      'forbidden',
      'Only those who may publish a proposal can check it.',
    );
  const folder = await mkdtemp(join(tmpdir(), 'bindery-proposal-'));
  try {
    const { signal, environment } = context;
    const options = { signal, cacheFolder: cacheFolder(environment) };
    const assets = await pullProposed(client, { ...library, proposal }, folder, options);
    if (assets === 0) return { assets, problems: [], accepted: 0, simulations: [] };
    // What a folder leaves out of a push, a client of another's making may have proposed.
    return await checkFolder(folder, { include: ['**'], exclude: [] }, context, { isWhole: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const requireCommand = defineCommand({
  name: 'require',
  summary: 'Set which checks have to pass before a proposal of a library is accepted',
  description: 'Without names, shows which are required.',
  inputs: {
    library,
    names: { ...restArguments('<check>', 'all of them, by name', checkName), required: false },
    none: flag('require no checks'),
  },
  examples: [
    ['bindery proposal require acme/robots check simulation', 'these two, and no others'],
    ['bindery proposal require acme/robots --none', 'none'],
  ],
  async run({ library, names = [], none }, context) {
    if (none && names.length > 0) throw usageError('--none goes without names.');
    const client = await context.signedInClient();
    const params = libraryParams(library);
    const { requiredChecks } =
      none || names.length > 0
        ? await client.call(routes.libraries.patchLibrary, { params, body: { requiredChecks: names } })
        : await client.call(routes.libraries.getLibrary, { params });
    if (requiredChecks === undefined)
      throw new CommandError(
        EXIT.permission,
        'forbidden',
        'Only those who may publish can see which checks are required.',
      );
    return { requiredChecks };
  },
  render({ requiredChecks }, output) {
    for (const name of requiredChecks) output.line(sanitizeLine(name));
  },
});
