import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toProposal } from '../links.ts';
import { proposalMessages } from '../messages/proposals.ts';
import { sessionQuery, waitingQuery } from '../queries.ts';

/** The open proposals that the viewer may accept, everywhere or in one namespace. Renders nothing if there are none. */
export function WaitingProposals({ namespace: among }: { namespace?: string }) {
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery({ ...waitingQuery, enabled: Boolean(session) });
  const waiting = data?.proposals.filter(({ namespace }) => among === undefined || namespace === among) ?? [];
  if (waiting.length === 0) return null;
  return (
    <details>
      <summary>{proposalMessages.waiting(among === undefined ? (data?.total ?? 0) : waiting.length)}</summary>
      <ul>
        {waiting.map(({ namespace, library, number, title }) => (
          <li key={`${namespace}/${library}/${number}`}>
            <Link {...toProposal(namespace, library, number)}>{title}</Link>{' '}
            <span className="soft">
              {namespace}/{library}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
