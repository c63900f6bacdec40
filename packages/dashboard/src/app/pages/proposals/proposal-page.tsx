import type { AssetChange, Manifest, Proposal, RevisionChanges } from '@bindery/contract';
import { LIMITS, MANIFEST_SCHEMA, routes, SOURCE_README_PATH } from '@bindery/contract/wire';
import { diffManifests } from '@bindery/sdk/diff';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dotted, formatAgo } from '../../format.ts';
import { toComparison } from '../../links.ts';
import { proposalMessages } from '../../messages/proposals.ts';
import { messages } from '../../messages.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { ActionForm, TextField } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { type LibraryKey, proposalQuery } from '../../queries.ts';
import { change, service } from '../../session.ts';
import { ShownDifferences } from '../compare/shown-differences.tsx';
import styles from './proposal.module.css';

const route = getRouteApi('/$namespace/$library/-/proposals/$number');

/** A change that waits for somebody who may publish it, or that was decided: what it changes, and what was said. */
export function ProposalPage() {
  const { namespace, library, number } = route.useParams();
  const key = { namespace, library };
  const { data: proposal, error, refetch } = useQuery(proposalQuery(key, number));
  const text = proposalMessages;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!proposal) return <p>{messages.loading}</p>;
  const { state, title, message, authorCheck, conflicts, decidedAt } = proposal;
  return (
    <div className="stack">
      <title>{`${title} · ${library} · ${messages.product}`}</title>
      <header>
        <Crumbs
          namespace={namespace}
          library={{ name: library, title: library }}
          page={text.title(proposal.number)}
        />
        <h1>{title}</h1>
        <p className="soft">
          {dotted(
            text.opened(proposal.author, formatAgo(proposal.openedAt)),
            decidedAt === null ? text.states[state] : text.decided(proposal, formatAgo(decidedAt)),
            text.changes(proposal),
          )}
        </p>
      </header>
      {message !== null && <p className={styles.said}>{message}</p>}
      {authorCheck !== null && <p>{text.checked(authorCheck)}</p>}
      {conflicts.total > 0 && (
        <p role="alert" className="alert">
          {text.conflicts(conflicts)}
        </p>
      )}
      {state === 'open' && <Decision address={key} proposal={proposal} />}
      {state === 'open' ? (
        <Changes address={key} proposal={proposal} />
      ) : (
        <Became address={key} proposal={proposal} />
      )}
      <Comments address={key} proposal={proposal} />
    </div>
  );
}

interface Props {
  address: LibraryKey;
  proposal: Proposal;
}

const paramsOf = ({ address: { namespace, library }, proposal: { number } }: Props) => ({
  namespace,
  name: library,
  proposal: String(number),
});

function Decision(props: Props) {
  const text = proposalMessages;
  const { viewerMayDecide, viewerIsAuthor, conflicts } = props.proposal;
  const params = paramsOf(props);
  return (
    <div className="actions">
      {viewerMayDecide && (
        <>
          <ActionButton
            label={text.accept}
            running={text.accepting}
            isDisabled={conflicts.total > 0}
            run={() => change(routes.proposals.acceptProposal, { params })}
          />
          <Confirm
            label={text.refuse}
            title={text.refuseTitle}
            detail={text.refuseDetail}
            action={() => change(routes.proposals.refuseProposal, { params })}
          />
        </>
      )}
      {viewerIsAuthor && (
        <Confirm
          label={text.withdraw}
          title={text.withdrawTitle}
          detail={text.withdrawDetail}
          action={() => change(routes.proposals.withdrawProposal, { params })}
        />
      )}
    </div>
  );
}

/** What it would change in the library as it is. Its files are shown to those who may accept it. */
function Changes({ address, proposal }: Props) {
  const isReadable = proposal.viewerMayDecide;
  const to = isReadable ? { proposal: proposal.number } : 'unread';
  return (
    <Loaded query={changesQuery(address, proposal)} waiting={messages.loading}>
      {({ diff, hasSameReadme }) => (
        <ShownDifferences
          sides={{ library: address, from: 'current', to }}
          diff={diff}
          hasSameReadme={hasSameReadme || !isReadable}
        />
      )}
    </Loaded>
  );
}

/** What an accepted one was published as, if its revisions are kept. */
function Became({ address, proposal: { revision } }: Props) {
  if (revision === null) return <p>{proposalMessages.gone}</p>;
  return (
    <p>
      <Link {...toComparison(address, String(revision - 1), String(revision))}>
        {proposalMessages.became(revision)}
      </Link>
    </p>
  );
}

function Comments(props: Props) {
  const text = proposalMessages;
  const [comment, setComment] = useState('');
  const { comments } = props.proposal;
  const run = async () => {
    const request = { params: paramsOf(props), body: { text: comment } };
    await change(routes.proposals.commentOnProposal, request, ['proposals']);
    setComment('');
  };
  return (
    <section className="stack" aria-label={text.discussion}>
      <h2>{text.discussion}</h2>
      {comments.length > 0 && (
        <ol className="list">
          {comments.map(({ author, at, text: said }) => (
            <li key={`${at} ${author}`}>
              <div>
                <strong>{author}</strong> <span className="detail">{formatAgo(at)}</span>
                <p className={styles.said}>{said}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
      <ActionForm label={text.comment} isStacked isQuiet mayRun={comment.trim() !== ''} run={run}>
        <TextField
          label={text.yourComment}
          value={comment}
          onChange={setComment}
          maxLength={LIMITS.proposals.comment}
          required
        />
      </ActionForm>
    </section>
  );
}

const changesQuery = ({ namespace, library }: LibraryKey, { number }: Proposal) =>
  queryOptions({
    queryKey: ['proposals', namespace, library, number, 'changes'],
    async queryFn({ signal }) {
      const changes: AssetChange[] = [];
      let page: RevisionChanges;
      let after: string | null = null;
      do {
        page = await service.call(routes.proposals.listProposedChanges, {
          params: { namespace, name: library, proposal: String(number) },
          query: { limit: String(LIMITS.changes.max), ...(after !== null && { after }) },
          signal,
        });
        changes.push(...page.changes);
        after = page.next;
      } while (after !== null);
      const shared = new Set(changes.flatMap((change) => change.shared));
      const [before, next] = [
        manifestOf(page.from, changes, 'before'),
        manifestOf(page.to, changes, 'after'),
      ];
      const readmes = [page.from, page.to].map(({ rootFiles }) =>
        rootFiles.find(({ path }) => path === SOURCE_README_PATH),
      );
      return {
        diff: diffManifests(before, next, shared),
        hasSameReadme: readmes[0]?.sha256 === readmes[1]?.sha256,
      };
    },
  });

/** The part of a manifest that differs. */
function manifestOf(
  { library }: RevisionChanges['from'],
  changes: readonly AssetChange[],
  side: 'before' | 'after',
): Manifest {
  const assets = changes.flatMap((change) => change[side] ?? []);
  return { schema: MANIFEST_SCHEMA, ...(library && { library }), assets };
}
