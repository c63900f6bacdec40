import type { SignInMethods } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { messages } from '../../messages.ts';
import { Confirm } from '../../parts/actions.tsx';
import form from '../../parts/form.module.css';
import { queries, service } from '../../session.ts';

/** Shows whether the account is connected to the service's sign-in provider, and connects or disconnects it. */
export function Provider({ methods: { provider, password } }: { methods: SignInMethods }) {
  if (provider === null) return null;
  const text = messages.provider;
  const { name, isConnected } = provider;
  return (
    <section className={form.card}>
      <h2>{text.title(name)}</h2>
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
    </section>
  );
}
