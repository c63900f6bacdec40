import type { Proposal } from '@bindery/contract';
import { LIMITS, routes } from '@bindery/contract/wire';
import { type LibraryAddress, libraryParams } from '@bindery/sdk';
import { argument, type CommandGroup, defineCommand, integer, oneOf, option } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output/output.ts';
import { formatBytes, formatCount, formatParts, sanitizeLine, sanitizeLines } from '../output/text.ts';
import { textUpTo } from '../parsers.ts';
import { library, proposalNumber, proposalParams } from './library/inputs.ts';
import { check, requireCommand } from './proposal-checks.ts';

const inputs = { library, number: proposalNumber };
const commentText = textUpTo(LIMITS.proposals.comment);

const list = defineCommand({
  name: 'list',
  summary: 'List the proposals of a library, newest first',
  inputs: {
    library,
    state: option(
      '<state>',
      'open, decided or all; by default the open ones',
      oneOf('open', 'decided', 'all'),
    ),
    page: option('<n>', 'which page', integer({ min: 1, max: LIMITS.pages })),
  },
  examples: [['bindery proposal list acme/robots', 'what waits for somebody who may publish']],
  run: async ({ library, state, page }, context) =>
    (await context.signedInClient()).call(routes.proposals.listProposals, {
      params: libraryParams(library),
      query: { ...(state && { state }), ...(page !== undefined && { page: String(page) }) },
    }),
  render({ proposals, total }, output) {
    output.table({
      headings: ['proposal', 'state', 'title', 'by', 'opened', 'comments'],
      rightAligned: [0, 5],
      rows: proposals.map(({ number, state, title, author, openedAt, commentCount }) => [
        String(number),
        state,
        sanitizeLine(title),
        author ?? '',
        openedAt,
        String(commentCount),
      ]),
    });
    output.note(`${proposals.length} of ${total}`);
  },
});

const show = defineCommand({
  name: 'show',
  summary: 'Show a proposal: what it changes, and what was said about it',
  inputs,
  examples: [['bindery proposal show acme/robots 3', 'before it is accepted or refused']],
  async run({ library, number }, context) {
    const client = await context.signedInClient();
    const proposal = await client.call(routes.proposals.getProposal, {
      params: proposalParams(library, number),
    });
    const { readProposedChanges } = await import('@bindery/sdk/reading');
    const { changes } =
      proposal.state === 'open' ? await readProposedChanges(client, library, number) : { changes: [] };
    const changed = changes.map(({ id, before, after, untold }): [string, string] => [
      untold ? 'changed' : before === null ? 'added' : after === null ? 'removed' : 'changed',
      id,
    ]);
    return { ...proposal, changed };
  },
  render({ changed, ...proposal }, output) {
    showProposal(proposal, output);
    output.table({ headings: ['change', 'asset'], rows: changed });
    for (const { author, at, text } of proposal.comments) {
      output.line('');
      output.line(`${author ?? 'somebody'}, ${at}:`);
      output.line(sanitizeLines(text));
    }
  },
});

function showProposal(proposal: Proposal, output: Output): void {
  const { number, title, message, author, openedAt, assets, files, authorCheck, conflicts, revision } =
    proposal;
  output.line(`${number}: ${sanitizeLine(title)}`);
  const decided = proposal.decidedBy === null ? '' : ` by ${proposal.decidedBy}`;
  const became = revision === null ? '' : ` as revision ${revision}`;
  output.line(`${proposal.state}${decided}${became}; by ${author ?? 'somebody'}, ${openedAt}`);
  if (message !== null) output.line(sanitizeLines(message));
  const changes = formatParts('asset', [
    [assets.added, 'added'],
    [assets.changed, 'changed'],
    [assets.removed, 'removed'],
  ]);
  output.line(
    `${changes || 'no asset changed'}; ${formatCount(files.count, 'file')}, ${formatBytes(files.bytes)}`,
  );
  if (authorCheck !== null)
    output.line(
      `checked by its author: ${formatCount(authorCheck.errors, 'error')}, ${formatCount(authorCheck.warnings, 'warning')}`,
    );
  output.table({
    headings: ['check', 'state', 'required', 'what it found', 'by'],
    rows: proposal.checks.map(({ name, state, isRequired, summary, url, postedBy }) => [
      sanitizeLine(name),
      state,
      isRequired ? 'required' : '',
      sanitizeLine([summary, url].filter(Boolean).join(' ')),
      postedBy ?? '',
    ]),
  });
  if (conflicts.total > 0)
    output.warn(`changed in the library as well since: ${conflicts.names.map(sanitizeLine).join(', ')}`);
}

const accept = defineCommand({
  name: 'accept',
  summary: 'Publish a proposal as the next revision of its library',
  description:
    'What others have published since it was made stays. If they have changed what it changes, or a check that the library ' +
    'requires has not passed, nothing is published, and the names are listed.',
  inputs,
  examples: [['bindery proposal accept acme/robots 3', 'after "bindery proposal show acme/robots 3"']],
  run: async ({ library, number }, context) =>
    (await context.signedInClient()).call(routes.proposals.acceptProposal, {
      params: proposalParams(library, number),
    }),
  render: ({ number, namespace, library, revision }, output) =>
    output.line(`Proposal ${number} is revision ${revision} of ${namespace}/${library}.`),
});

const said = { ...inputs, comment: option('<text>', 'first add this comment', commentText) };
type Said = { library: LibraryAddress; number: number; comment: string | undefined };

async function sayAndCall(
  route: typeof routes.proposals.refuseProposal | typeof routes.proposals.withdrawProposal,
  { library, number, comment }: Said,
  context: Context,
): Promise<Proposal> {
  const client = await context.signedInClient();
  const params = proposalParams(library, number);
  if (comment !== undefined)
    await client.call(routes.proposals.commentOnProposal, { params, body: { text: comment } });
  return client.call(route, { params });
}

const refuse = defineCommand({
  name: 'refuse',
  summary: 'Refuse a proposal, whose files are deleted after the grace period',
  inputs: said,
  examples: [['bindery proposal refuse acme/robots 3 --comment "The mass is wrong"', 'and say why']],
  run: (inputs, context) => sayAndCall(routes.proposals.refuseProposal, inputs, context),
  render: ({ number, namespace, library }, output) =>
    output.line(`Proposal ${number} of ${namespace}/${library} is refused.`),
});

const withdraw = defineCommand({
  name: 'withdraw',
  summary: 'Withdraw a proposal of yours',
  inputs: said,
  examples: [['bindery proposal withdraw acme/robots 3', 'to propose something better']],
  run: (inputs, context) => sayAndCall(routes.proposals.withdrawProposal, inputs, context),
  render: ({ number, namespace, library }, output) =>
    output.line(`Proposal ${number} of ${namespace}/${library} is withdrawn.`),
});

const comment = defineCommand({
  name: 'comment',
  summary: 'Comment on a proposal',
  inputs: { ...inputs, text: argument('<text>', 'what to say', commentText) },
  examples: [
    ['bindery proposal comment acme/robots 3 "Does it still fit the old mount?"', 'for all members'],
  ],
  run: async ({ library, number, text }, context) =>
    (await context.signedInClient()).call(routes.proposals.commentOnProposal, {
      params: proposalParams(library, number),
      body: { text },
    }),
  render: ({ commentCount }, output) => output.line(`${formatCount(commentCount, 'comment')}.`),
});

export const proposal: CommandGroup = {
  name: 'proposal',
  summary: 'See, comment and decide what others propose to change in libraries',
  commands: [list, show, accept, refuse, withdraw, comment, check, requireCommand],
};
