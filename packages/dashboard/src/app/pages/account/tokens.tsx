import type { PersonalAccessToken, TokenScope } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDate } from '../../format.ts';
import { tokensMessages } from '../../messages/account.ts';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card, Line } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, Field, SelectField } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { queries, queryOf, service } from '../../session.ts';

const tokensQuery = queryOf(['tokens'], routes.login.listTokens, {});

const refresh = () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey });

/** Personal access tokens: created, shown once, revoked. */
export function Tokens() {
  const { data } = useQuery(tokensQuery);
  const text = tokensMessages;
  return (
    <Card title={text.title} detail={text.detail}>
      <ul className={form.list}>
        {data?.tokens.map((token) => (
          <Token key={token.id} token={token} />
        ))}
        {data?.tokens.length === 0 && <li className={form.soft}>{text.none}</li>}
      </ul>
      <NewToken />
    </Card>
  );
}

function Token({ token }: { token: PersonalAccessToken }) {
  const text = tokensMessages;
  const { id, name, scope, namespace, createdAt, expiresAt } = token;
  const facts = [
    namespace === null ? text.scopes[scope] : `${text.scopes[scope]}, ${text.only(namespace)}`,
    text.made(formatDate(createdAt)),
    expiresAt === null ? text.never : text.until(formatDate(expiresAt)),
  ];
  return (
    <Line name={<strong>{name}</strong>} detail={facts.join(' · ')}>
      <Confirm
        label={text.revoke}
        name={text.revokeOf(name)}
        title={text.revokeTitle(name)}
        detail={text.revokeDetail}
        action={async () => {
          await service.call(routes.login.deleteToken, { params: { id } });
          await refresh();
        }}
      />
    </Line>
  );
}

/** The list of tokens has grown by one, which may move the new one out of view. */
function show(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

function NewToken() {
  const text = tokensMessages;
  const [name, setName] = useState('');
  const [scope, setScope] = useState<TokenScope>('read');
  const [days, setDays] = useState('90');
  const run = async () => {
    const made = await service.call(routes.login.createToken, {
      body: { name, scope, ...(days !== '' && { expiresInDays: Number(days) }) },
    });
    setName('');
    await refresh();
    return made;
  };
  return (
    <ActionForm
      label={text.make}
      run={run}
      failure={(error) =>
        error instanceof ApiError && error.code === 'recent_sign_in_required' ? (
          <p role="alert" className={form.alert}>
            {text.tooLate} <a href="/sign-in?again=yes&next=/app/-/account">{messages.signIn}</a>
          </p>
        ) : (
          <InlineError error={error} />
        )
      }
      done={({ id, token, name: label }) => (
        <div key={id} ref={show} className={form.done} role="status">
          <p>{text.once}</p>
          <Copyable text={token} label={label} />
        </div>
      )}
    >
      <Field label={text.name} value={name} onChange={setName} maxLength={100} required />
      <SelectField label={text.scope} value={scope} options={text.scopes} onChange={setScope} />
      <SelectField
        label={text.expires}
        value={days}
        options={{ 30: text.days(30), 90: text.days(90), 365: text.days(365), '': text.never }}
        onChange={setDays}
      />
    </ActionForm>
  );
}
