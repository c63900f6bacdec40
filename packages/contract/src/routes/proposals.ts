import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { assetId, libraryName, namespaceSlug, sha256Hex } from '../name-schemas.ts';
import {
  checkName,
  integerParameter,
  libraryParams,
  nameText,
  pageNumbers,
  revisionNumber,
  text,
  timestamp,
} from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { manifestChanges, namedArtifacts, REGISTER_ERRORS, revisionChanges } from './libraries.ts';
import { authorizeUploads } from './uploads.ts';

const proposalParams = libraryParams.extend({ proposal: revisionNumber });
const count = z.int().min(0);
const MEMBERS = ['not_found', 'forbidden'] as const;

/** What a check of the folder found before it was proposed, as the client of the author says. */
const authorCheck = z.strictObject({ errors: count, warnings: count, notes: count });

/** What a tool found in a proposal, as somebody says who may publish it. User names are null for deleted accounts. */
const proposalCheck = z.object({
  name: z.string(),
  /** `missing`: the library requires it, and nobody has posted it. */
  state: z.enum(['passed', 'failed', 'missing']),
  /** Whether the proposal is accepted only once it has passed. */
  isRequired: z.boolean(),
  summary: z.string().nullable(),
  url: z.string().nullable(),
  postedBy: z.string().nullable(),
  postedAt: timestamp.nullable(),
});
export type ProposalCheck = z.infer<typeof proposalCheck>;

/** A change of a library that waits for somebody who may publish it. User names are null for deleted accounts. */
const proposalSummary = z.object({
  namespace: namespaceSlug,
  library: libraryName,
  /** From 1, in each library. */
  number: z.int(),
  title: z.string(),
  state: z.enum(['open', 'accepted', 'refused', 'withdrawn']),
  author: z.string().nullable(),
  openedAt: timestamp,
  assets: z.object({ added: count, removed: count, changed: count }),
  commentCount: count,
});
export type ProposalSummary = z.infer<typeof proposalSummary>;

const comment = z.object({ author: z.string().nullable(), at: timestamp, text: z.string() });

const proposal = proposalSummary.extend({
  message: z.string().nullable(),
  authorCheck: authorCheck.nullable(),
  /** By name; of an open one also those that are required and missing. */
  checks: z.array(proposalCheck).max(LIMITS.proposals.checks + LIMITS.proposals.required),
  /** The revision that it was made of. */
  base: z.int(),
  /** What it adds that the library did not have; sizes in bytes. */
  files: z.object({ count, bytes: count }),
  /** Of an open one: the assets, and paths of platform artifacts, that have changed in the library as well since. */
  conflicts: z.object({ names: z.array(z.string()).max(LIMITS.listedPaths), total: count }),
  decidedBy: z.string().nullable(),
  decidedAt: timestamp.nullable(),
  /** The revision that it became; null unless it was accepted. */
  revision: z.int().nullable(),
  /** Whether the caller may accept or refuse it, and may withdraw it. */
  viewerMayDecide: z.boolean(),
  viewerIsAuthor: z.boolean(),
  comments: z.array(comment).max(LIMITS.proposals.comments),
});
export type Proposal = z.infer<typeof proposal>;

export const listWaiting = defineRoute({
  ...endpoints.proposals.listWaiting,
  summary: 'The open proposals that the caller may accept, newest first, and how many there are',
  response: z.object({ total: count, proposals: z.array(proposalSummary).max(LIMITS.proposals.waiting) }),
});

export const listProposals = defineRoute({
  ...endpoints.proposals.listProposals,
  summary: 'The proposals of a library, newest first (members)',
  params: libraryParams,
  query: z.strictObject({
    state: z.enum(['open', 'decided', 'all']).default('open'),
    page: integerParameter({ min: 1, max: LIMITS.pages, default: 1 }),
    pageSize: integerParameter({ min: 1, ...LIMITS.proposals.pageSize }),
  }),
  response: z.object({
    proposals: z.array(proposalSummary),
    ...pageNumbers,
  }),
  errors: MEMBERS,
});

/** As for a register with changes, whose entries of the manifest these are; of a library that exists. */
export const openProposal = defineRoute({
  ...endpoints.proposals.openProposal,
  summary: 'Keeps uploaded files and changes of the manifest as a proposal (members, readers too)',
  params: libraryParams,
  body: z.strictObject({
    title: nameText(LIMITS.proposals.title),
    message: text(LIMITS.proposals.message).optional(),
    changes: manifestChanges,
    manifestSha256: sha256Hex.optional(),
    artifacts: namedArtifacts.optional(),
    authorCheck: authorCheck.optional(),
  }),
  response: proposal,
  errors: [...REGISTER_ERRORS, 'too_many_proposals', 'content_lost'],
});

export const authorizeProposedUploads = defineRoute({
  ...authorizeUploads,
  ...endpoints.proposals.authorizeProposedUploads,
  summary: 'How to send the bytes of files for a proposal (members, readers too)',
});

export const getProposal = defineRoute({
  ...endpoints.proposals.getProposal,
  summary: 'One proposal, with its comments (members)',
  params: proposalParams,
  response: proposal,
  errors: [...MEMBERS, 'content_lost'],
});

/** `from` is the library as it is, `to` what the proposal makes of it; assets that it does not touch are left out. */
export const listProposedChanges = defineRoute({
  ...endpoints.proposals.listProposedChanges,
  summary: 'The assets that an open proposal changes, with their entries in the library and in the proposal',
  params: proposalParams,
  query: z.strictObject({
    after: assetId.optional(),
    limit: integerParameter({ min: 1, max: LIMITS.changes.max, default: LIMITS.changes.default }),
  }),
  response: revisionChanges,
  errors: [...MEMBERS, 'content_lost'],
});

/**
 * What the library has got since the proposal was made stays. Throws `proposal_conflict`, with the names, if it has
 * changed what the proposal changes, and `checks_not_passed`, with the names of those that are `missing` and `failed`, if
 * the library requires some.
 */
export const acceptProposal = defineRoute({
  ...endpoints.proposals.acceptProposal,
  summary: 'Publishes a proposal as the next revision',
  params: proposalParams,
  response: proposal,
  errors: [...REGISTER_ERRORS, 'proposal_conflict', 'proposal_decided', 'checks_not_passed', 'content_lost'],
});

export const refuseProposal = defineRoute({
  ...endpoints.proposals.refuseProposal,
  summary: 'Refuses a proposal, whose files are deleted after the grace period',
  params: proposalParams,
  response: proposal,
  errors: [...MEMBERS, 'proposal_decided'],
});

export const withdrawProposal = defineRoute({
  ...endpoints.proposals.withdrawProposal,
  summary: 'Withdraws a proposal of the caller',
  params: proposalParams,
  response: proposal,
  errors: [...MEMBERS, 'proposal_decided'],
});

export const commentOnProposal = defineRoute({
  ...endpoints.proposals.commentOnProposal,
  summary: 'Adds a comment to a proposal (members, readers too)',
  params: proposalParams,
  body: z.strictObject({ text: nameText(LIMITS.proposals.comment) }),
  response: proposal,
  errors: MEMBERS,
});

/** A web address, which pages can link to. */
const webUrl = text(LIMITS.proposals.checkUrl).refine(
  (value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol),
  { error: 'an http or https URL' },
);

/** A check of the same name is replaced. A proposal never changes, so what was found in it stays true. */
export const postCheck = defineRoute({
  ...endpoints.proposals.postCheck,
  summary: 'Says what a tool found in an open proposal (those who may publish it)',
  params: proposalParams,
  body: z.strictObject({
    name: checkName,
    state: z.enum(['passed', 'failed']),
    summary: nameText(LIMITS.proposals.checkSummary).optional(),
    url: webUrl.optional(),
  }),
  response: proposal,
  errors: [...MEMBERS, 'proposal_decided'],
});
