import type { Proposal, ProposalSummary } from '@bindery/contract';
import { counted, formatChanges, formatCount } from '../format.ts';

export const proposalMessages = {
  title: (number: number) => `Proposal ${formatCount(number)}`,
  list: { open: 'Open', decided: 'Decided', all: 'All' },
  show: 'Show',
  none: 'There are no proposals',
  noneDetail:
    'Everybody in this namespace can propose a change, readers too. Whoever may publish accepts or refuses it.',
  terminal: 'Propose what a folder has',
  states: { open: 'Open', accepted: 'Accepted', refused: 'Refused', withdrawn: 'Withdrawn' },
  opened: (author: string | null, ago: string) => `Proposed by ${author ?? 'a deleted account'} · ${ago}`,
  changes: ({ assets }: Pick<ProposalSummary, 'assets'>) =>
    formatChanges([assets.added, assets.changed, assets.removed], 'asset', 'assets') ?? 'No asset changed',
  comments: (count: number) => counted(count, 'comment', 'comments'),
  decided: ({ state, decidedBy }: Pick<Proposal, 'state' | 'decidedBy'>, ago: string) =>
    `${proposalMessages.states[state]} by ${decidedBy ?? 'a deleted account'} · ${ago}`,
  became: (revision: number) => `What revision ${formatCount(revision)} changed`,
  gone: 'What it would have changed is no longer kept.',
  checked: ({ errors, warnings, notes }: NonNullable<Proposal['authorCheck']>) =>
    `Its author checked the folder: ${counted(errors, 'error', 'errors')}, ${counted(warnings, 'warning', 'warnings')}, ${counted(notes, 'note', 'notes')}.`,
  conflicts: ({ names, total }: Proposal['conflicts']) =>
    `This cannot be accepted, since the library has changed it as well: ${[
      ...names.slice(0, 10),
      ...(total > 10 ? [`${formatCount(total - 10)} more`] : []),
    ].join(', ')}. Its author can pull the library, merge, and propose it again.`,
  checks: 'Checks',
  required: 'required',
  unpassed: (checks: Proposal['checks']) =>
    `This cannot be accepted before the checks that the library requires have passed: ${checks
      .map(({ name, state }) => `${name} (${state})`)
      .join(', ')}.`,
  requiredTitle: 'Required checks',
  requiredDetail: 'A proposal can be accepted only once each of these has been posted on it, and has passed.',
  requiredNames: 'Names, one per line',
  require: 'Require these',
  propose: 'Propose',
  proposeDetail: 'Nothing is published before somebody who may publish accepts it.',
  itsTitle: 'Title of the proposal',
  message: 'Message (optional)',
  accept: 'Accept and publish',
  accepting: 'Publishing …',
  refuse: 'Refuse',
  refuseTitle: 'Refuse this proposal?',
  withdraw: 'Withdraw',
  withdrawTitle: 'Withdraw this proposal?',
  endDetail: 'Nothing is published, and its files are deleted after a while. What was said stays.',
  discussion: 'Comments',
  comment: 'Comment',
  yourComment: 'Your comment',
  waiting: (total: number) => counted(total, 'proposal waits for you', 'proposals wait for you'),
} as const;
