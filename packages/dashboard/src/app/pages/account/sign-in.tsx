import type { SignInMethods } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useState } from 'react';
import { passwordMessages, providerMessages } from '../../messages/account.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { ActionForm, Field } from '../../parts/form.tsx';
import { queries, service } from '../../session.ts';

/** Shows whether the account is connected to the service's sign-in provider, and connects or disconnects it. */
export function Provider({ methods: { provider, password } }: { methods: SignInMethods }) {
  if (provider === null) return null;
  const text = providerMessages;
  const { name, isConnected } = provider;
  return (
    <Card title={text.title(name)}>
      {isConnected ? (
        <>
          <p className={form.soft}>
            {text.connected(name)} {!password && text.only}
          </p>
          {password && (
            <div className={form.actions}>
              <Confirm
                label={text.disconnect}
                title={text.disconnectTitle(name)}
                detail={text.disconnectDetail(name)}
                isReversible
                action={async () => {
                  await service.call(routes.login.disconnectProvider, {});
                  await queries.invalidateQueries();
                }}
              />
            </div>
          )}
        </>
      ) : (
        <p>
          {text.notConnected(name)} <a href="/account/connect">{text.connect}</a>
        </p>
      )}
    </Card>
  );
}

/** Changes the password, which signs out every session, including this browser. */
export function Password({ email }: { email: string }) {
  const text = passwordMessages;
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const run = async () => {
    await service.call(routes.login.changePassword, { body: { currentPassword, newPassword } });
    location.assign('/sign-in?next=/app/-/account');
  };
  return (
    <Card title={text.title} detail={text.detail}>
      <ActionForm label={text.change} run={run}>
        <input name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          type="password"
          label={text.current}
          value={currentPassword}
          onChange={setCurrent}
          required
          autoComplete="current-password"
        />
        <Field
          type="password"
          label={text.new}
          value={newPassword}
          onChange={setNew}
          minLength={8}
          maxLength={200}
          required
          autoComplete="new-password"
        />
      </ActionForm>
    </Card>
  );
}
