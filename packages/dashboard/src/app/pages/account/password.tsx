import { routes } from '@bindery/contract/routes';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { service } from '../../session.ts';

const MIN_LENGTH = 8;

/** Changes the password, which signs out every session, including this browser. */
export function Password({ email }: { email: string }) {
  const text = messages.password;
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const change = useMutation({
    mutationFn: () => service.call(routes.login.changePassword, { body: { currentPassword, newPassword } }),
    onSuccess: () => location.assign('/sign-in?next=/app/-/account'),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <section className={form.card}>
      <h2>{text.title}</h2>
      <p className={form.soft}>{text.detail}</p>
      <form className={form.form} onSubmit={submit} onInput={() => change.isError && change.reset()}>
        <input name="username" autoComplete="username" value={email} readOnly hidden />
        <div className={form.row}>
          <label className={form.field}>
            {text.current}
            <input
              type="password"
              value={currentPassword}
              onChange={(event) => setCurrent(event.target.value)}
              required
              autoComplete="current-password"
            />
          </label>
          <label className={form.field}>
            {text.new}
            <input
              type="password"
              value={newPassword}
              onChange={(event) => setNew(event.target.value)}
              minLength={MIN_LENGTH}
              maxLength={200}
              required
              autoComplete="new-password"
            />
          </label>
          <button type="submit" className={form.button} disabled={change.isPending}>
            {text.change}
          </button>
        </div>
        <InlineError error={change.error} />
      </form>
    </section>
  );
}
