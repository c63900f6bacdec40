import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { dotted, formatAgo } from '../../format.ts';
import { toProposal } from '../../links.ts';
import { libraryMessages } from '../../messages/library.ts';
import { proposalMessages } from '../../messages/proposals.ts';
import { Line } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { SelectField } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { EmptyState } from '../../parts/notices.tsx';
import { Pager } from '../../parts/pager.tsx';
import { proposeCommand } from '../../pull-snippets.ts';
import { proposalsQuery } from '../../queries.ts';
import type { TabProps } from '../library/library-tabs.tsx';

/** The proposals of a library, newest first. */
export function Proposals({ address }: TabProps) {
  const text = proposalMessages;
  const { namespace, library } = address;
  const [state, setState] = useState<'open' | 'decided' | 'all'>('open');
  const [page, setPage] = useState(1);
  const { data, error } = useQuery(proposalsQuery(address, { state, page }));
  return (
    <section className="stack" aria-label={libraryMessages.tabs.proposals}>
      <div className="fields">
        <SelectField
          label={text.show}
          value={state}
          options={text.list}
          onChange={(one) => {
            setState(one);
            setPage(1);
          }}
        />
      </div>
      <InlineError error={error} />
      {data?.total === 0 && (
        <EmptyState title={text.none}>
          <p>{text.noneDetail}</p>
          <Copyable text={proposeCommand(address)} label={text.terminal} />
        </EmptyState>
      )}
      {data && data.total > 0 && (
        <ul className="list">
          {data.proposals.map((proposal) => (
            <Line
              key={proposal.number}
              name={<Link {...toProposal(namespace, library, proposal.number)}>{proposal.title}</Link>}
              detail={dotted(
                text.opened(proposal.author, formatAgo(proposal.openedAt)),
                text.changes(proposal),
                proposal.commentCount > 0 && text.comments(proposal.commentCount),
              )}
            >
              <span className="detail">{text.states[proposal.state]}</span>
            </Line>
          ))}
        </ul>
      )}
      {data && <Pager page={data.page} totalPages={data.totalPages} onPage={setPage} />}
    </section>
  );
}
