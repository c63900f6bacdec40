import type { Login } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { formatDate } from '../../format.ts';
import { accountMessages, loginsMessages as text } from '../../messages/account.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card, Line } from '../../parts/card.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { change, queryOf } from '../../session.ts';
import { describeBrowser } from './user-agent.ts';

const loginsQuery = queryOf(['logins'], routes.login.listLogins, {});

/** The browsers and devices that are signed in to the account, each with a button to sign it out. */
export function Logins() {
  const { data, error } = useQuery(loginsQuery);
  return (
    <Card title={text.title} detail={text.detail}>
      <ul className={data ? 'list' : 'coming'}>
        {data?.logins.map((login) => (
          <LoginRow key={login.id} login={login} />
        ))}
      </ul>
      <InlineError error={error} />
      <p>
        <a href="/device">{accountMessages.connect}</a>
      </p>
    </Card>
  );
}

function LoginRow({ login: { id, kind, name, signedInAt, isThisOne } }: { login: Login }) {
  const shown = name === null ? text.kinds[kind] : kind === 'browser' ? describeBrowser(name) : name;
  return (
    <Line
      name={<strong>{shown}</strong>}
      detail={`${isThisOne ? text.thisOne : text.kinds[kind]} · ${text.since(formatDate(signedInAt))}`}
    >
      {!isThisOne && (
        <Confirm
          label={text.end}
          name={text.endOf(shown, formatDate(signedInAt))}
          title={text.endTitle(shown)}
          detail={kind === 'browser' ? text.endBrowser : text.endDevice}
          isReversible
          action={() => change(routes.login.endLogin, { params: { id } })}
        />
      )}
    </Line>
  );
}
