import type { PersonalAccessToken, TokenScope } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { dotted, formatDate } from '../../format.ts';
import { tokensMessages as text } from '../../messages/account.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card, Line } from '../../parts/card.tsx';
import { ShownOnce } from '../../parts/copyable.tsx';
import { ActionForm, Field, SelectField, useFields } from '../../parts/form.tsx';
import { change, queryOf } from '../../session.ts';

const tokensQuery = queryOf(['tokens'], routes.login.listTokens, {});

/** Personal access tokens: created, shown once, revoked. */
export function Tokens() {
  const { data } = useQuery(tokensQuery);
  return (
    <Card title={text.title} detail={text.detail}>
      <ul className={data ? 'list' : 'coming'}>
        {data?.tokens.map((token) => (
          <Token key={token.id} token={token} />
        ))}
        {data?.tokens.length === 0 && <li className="detail">{text.none}</li>}
      </ul>
      <NewToken />
    </Card>
  );
}

function Token({ token }: { token: PersonalAccessToken }) {
  const { id, name, scope, namespace, createdAt, expiresAt } = token;
  const facts = dotted(
    namespace === null ? text.scopes[scope] : `${text.scopes[scope]}, ${text.only(namespace)}`,
    text.made(formatDate(createdAt)),
    expiresAt === null ? text.never : text.until(formatDate(expiresAt)),
  );
  return (
    <Line name={<strong>{name}</strong>} detail={facts}>
      <Confirm
        label={text.revoke}
        name={text.revokeOf(name)}
        title={text.revokeTitle(name)}
        detail={text.revokeDetail}
        action={() => change(routes.login.deleteToken, { params: { id } }, ['tokens'])}
      />
    </Line>
  );
}

function NewToken() {
  const [values, field, set] = useFields({ name: '', scope: 'read' as TokenScope, days: '90' });
  const { days, ...named } = values;
  const body = { ...named, ...(days !== '' && { expiresInDays: Number(days) }) };
  return (
    <ActionForm
      label={text.make}
      run={() => change(routes.login.createToken, { body }, ['tokens'])}
      onDone={() => set({ name: '' })}
      done={({ id, token, name }) => <ShownOnce key={id} text={text.once} value={token} label={name} />}
    >
      <Field label={text.name} {...field('name')} maxLength={100} required />
      <SelectField label={text.scope} {...field('scope')} options={text.scopes} />
      <SelectField
        label={text.expires}
        {...field('days')}
        options={{ 30: text.days(30), 90: text.days(90), 365: text.days(365), '': text.never }}
      />
    </ActionForm>
  );
}
