import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { type LibraryAddress, loadLibraryForMember, loadLibraryForWrite } from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { serve } from '../../http/serve.ts';
import {
  acceptProposal,
  commentOnProposal,
  type ProposalAddress,
  postCheck,
  refuseProposal,
  withdrawProposal,
} from '../../libraries/proposals/decide.ts';
import { openProposal } from '../../libraries/proposals/open.ts';
import {
  listProposals,
  listWaiting,
  readProposal,
  readProposedChanges,
  requireProposal,
} from '../../libraries/proposals/read.ts';
import { authorizeUploads } from '../../libraries/publish/authorize.ts';
import { keepWhileRegistering } from '../../limits/connections.ts';
import { sendList } from './send-list.ts';

/** The routes for proposals, changes of a library that wait for somebody who may publish them. */
export function proposalViews(app: FastifyInstance, context: Context): void {
  const { proposals } = routes;
  const member = ({ db }: Context, viewer: Viewer, library: LibraryAddress) =>
    loadLibraryForMember(db, viewer, library);
  const proposer = ({ db }: Context, viewer: Viewer, library: LibraryAddress) =>
    loadLibraryForMember(db, viewer, library, { write: true });

  serve(app, context, proposals.listWaiting, {
    access: (_, viewer) => requireAccount(viewer),
    run: (context, { target }) => listWaiting(context, target),
  });

  serve(app, context, proposals.listProposals, {
    access: member,
    run: (context, { target, query }) => listProposals(context, target, query),
  });

  serve(app, context, proposals.authorizeProposedUploads, {
    access: proposer,
    async run(context, { viewer, target, body, reply }) {
      const { files } = await authorizeUploads(context, viewer, target.target, body, { proposed: true });
      return sendList(reply, {}, 'files', files.length, files);
    },
  });

  serve(app, context, proposals.openProposal, {
    access: proposer,
    run(context, { viewer, target, body, request }) {
      keepWhileRegistering(request);
      return openProposal(context, viewer, target, body);
    },
  });

  serve(app, context, proposals.getProposal, {
    access: member,
    run: (context, { viewer, target, params }) => readProposal(context, viewer, target, params.proposal),
  });

  serve(app, context, proposals.listProposedChanges, {
    access: member,
    async run(context, { target, params, query, reply }) {
      const { count, changes, ...page } = await readProposedChanges(context, target, params.proposal, query);
      return sendList(reply, page, 'changes', count, changes);
    },
  });

  /** Whoever may publish, and an existing proposal of a library that is not in the Trash. */
  const publisher = async ({ db }: Context, viewer: Viewer, { proposal, ...library }: ProposalAddress) => {
    const { row } = await loadLibraryForWrite(db, viewer, library);
    if (row.state !== 'active') throw notFound();
    await requireProposal(db, row.store_id, proposal);
  };

  serve(app, context, proposals.acceptProposal, {
    access: publisher,
    run(context, { viewer, params, request }) {
      keepWhileRegistering(request);
      return acceptProposal(context, viewer, params);
    },
  });

  serve(app, context, proposals.refuseProposal, {
    access: publisher,
    run: (context, { viewer, params }) => refuseProposal(context, viewer, params),
  });

  serve(app, context, proposals.postCheck, {
    access: publisher,
    run: (context, { viewer, params, body }) => postCheck(context, viewer, params, body),
  });

  serve(app, context, proposals.withdrawProposal, {
    access: proposer,
    run: (context, { viewer, params }) => withdrawProposal(context, viewer, params),
  });

  serve(app, context, proposals.commentOnProposal, {
    access: proposer,
    run: (context, { viewer, params, body }) => commentOnProposal(context, viewer, params, body),
  });
}
