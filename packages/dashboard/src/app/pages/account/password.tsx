import { routes } from '@bindery/contract/routes';
import { useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { ActionForm, Field } from '../../parts/form.tsx';
import { service } from '../../session.ts';

/** Changes the password, which signs out every session, including this browser. */
export function Password({ email }: { email: string }) {
  const text = messages.password;
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const run = async () => {
    await service.call(routes.login.changePassword, { body: { currentPassword, newPassword } });
    location.assign('/sign-in?next=/app/-/account');
  };
  return (
    <section className={form.card}>
      <h2>{text.title}</h2>
      <p className={form.soft}>{text.detail}</p>
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
    </section>
  );
}
