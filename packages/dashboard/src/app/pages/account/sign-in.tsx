import type { SignInMethods } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { passwordMessages, providerMessages as text } from '../../messages/account.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionForm, Field, NewPasswordField, useFields } from '../../parts/form.tsx';
import { change, service } from '../../session.ts';

/** Shows whether the account is connected to the service's sign-in provider, and connects or disconnects it. */
export function Provider({ methods: { provider, password } }: { methods: SignInMethods }) {
  if (provider === null) return null;
  const { name, isConnected } = provider;
  return (
    <Card title={text.title(name)}>
      {isConnected ? (
        <p className="detail">
          {text.connected(name)} {!password && text.only}
        </p>
      ) : (
        <p>
          {text.notConnected(name)} <a href="/account/connect">{text.connect}</a>
        </p>
      )}
      {isConnected && password && (
        <div className="actions">
          <Confirm
            label={text.disconnect}
            title={text.disconnectTitle(name)}
            detail={text.disconnectDetail(name)}
            isReversible
            action={() => change(routes.login.disconnectProvider, {})}
          />
        </div>
      )}
    </Card>
  );
}

/** Changes the password, which signs out every session, including this browser. */
export function Password({ email }: { email: string }) {
  const { title, detail, change: label, current, new: chosen } = passwordMessages;
  const [body, field] = useFields({ currentPassword: '', newPassword: '' });
  const run = async () => {
    await service.call(routes.login.changePassword, { body });
    location.assign('/sign-in?next=/app/-/account');
  };
  return (
    <Card title={title} detail={detail}>
      <ActionForm label={label} run={run}>
        <input name="username" autoComplete="username" value={email} readOnly hidden />
        <Field
          type="password"
          label={current}
          {...field('currentPassword')}
          required
          autoComplete="current-password"
        />
        <NewPasswordField label={chosen} {...field('newPassword')} />
      </ActionForm>
    </Card>
  );
}
