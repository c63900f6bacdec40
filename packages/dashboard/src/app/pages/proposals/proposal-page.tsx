import type { Proposal } from '@bindery/contract';
import { LIMITS, routes, SOURCE_README_PATH } from '@bindery/contract/wire';
import { partsOf, readProposedChanges } from '@bindery/sdk/browser';
import { diffManifests } from '@bindery/sdk/diff';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dotted, formatAgo } from '../../format.ts';
import { toComparison } from '../../links.ts';
import { proposalMessages } from '../../messages/proposals.ts';
import { messages } from '../../messages.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Card, Line } from '../../parts/card.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { ActionForm, TextField } from '../../parts/form.tsx';
import { SafeLink } from '../../parts/links.tsx';
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
  const { state, title, message, authorCheck, decidedAt } = proposal;
  const obstacle = obstacleTo(proposal);
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
      <Checks {...proposal} />
      {obstacle !== undefined && (
        <p role="alert" className="alert">
          {obstacle}
        </p>
      )}
      {state === 'open' && <Decision address={key} proposal={proposal} obstacle={obstacle} />}
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

function Decision({ obstacle, ...props }: Props & { obstacle: string | undefined }) {
  const text = proposalMessages;
  const { refuseProposal, withdrawProposal, acceptProposal } = routes.proposals;
  const { viewerMayDecide, viewerIsAuthor } = props.proposal;
  const params = paramsOf(props);
  const end = (label: string, title: string, route: typeof refuseProposal | typeof withdrawProposal) => (
    <Confirm label={label} title={title} detail={text.endDetail} action={() => change(route, { params })} />
  );
  return (
    <div className="actions">
      {viewerMayDecide && (
        <ActionButton
          label={text.accept}
          running={text.accepting}
          isDisabled={obstacle !== undefined}
          run={() => change(acceptProposal, { params })}
        />
      )}
      {viewerMayDecide && end(text.refuse, text.refuseTitle, refuseProposal)}
      {viewerIsAuthor && end(text.withdraw, text.withdrawTitle, withdrawProposal)}
    </div>
  );
}

/** Why an open one cannot be accepted, if it cannot; nothing is required of others. */
function obstacleTo({ conflicts, checks }: Proposal): string | undefined {
  if (conflicts.total > 0) return proposalMessages.conflicts(conflicts);
  const unpassed = checks.filter((check) => check.isRequired && check.state !== 'passed');
  return unpassed.length === 0 ? undefined : proposalMessages.unpassed(unpassed);
}

function Checks({ checks }: Proposal) {
  const text = proposalMessages;
  if (checks.length === 0) return null;
  return (
    <Card title={text.checks} isRegion>
      <ul className="list">
        {checks.map(({ name, state, isRequired, summary, url, postedBy }) => (
          <Line
            key={name}
            name={<strong>{name}</strong>}
            detail={
              <>
                {dotted(isRequired && text.required, summary, postedBy)} {url && <SafeLink href={url} />}
              </>
            }
          >
            <span className={CHECK_LOOKS[state]}>{state}</span>
          </Line>
        ))}
      </ul>
    </Card>
  );
}

const CHECK_LOOKS = { passed: 'good', failed: 'bad', missing: 'soft' };

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
  const request = { params: paramsOf(props), body: { text: comment } };
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
      <ActionForm
        label={text.comment}
        isStacked
        isQuiet
        mayRun={comment.trim() !== ''}
        run={() => change(routes.proposals.commentOnProposal, request, ['proposals'])}
        onDone={() => setComment('')}
      >
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

const changesQuery = ({ namespace, library: name }: LibraryKey, { number }: Proposal) =>
  queryOptions({
    queryKey: ['proposals', namespace, name, number, 'changes'],
    async queryFn({ signal }) {
      const read = await readProposedChanges(service, { namespace, name }, number, signal);
      const { before, after, shared } = partsOf(read);
      const [was, is] = [read.from, read.to].map(({ rootFiles }) =>
        rootFiles.find(({ path }) => path === SOURCE_README_PATH),
      );
      return { diff: diffManifests(before, after, shared), hasSameReadme: was?.sha256 === is?.sha256 };
    },
  });
