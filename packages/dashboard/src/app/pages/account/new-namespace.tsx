import { routes } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { queries, service } from '../../session.ts';

/** Creates a team namespace. */
export function NewNamespace() {
  const [slug, setSlug] = useState('');
  const make = useMutation({
    mutationFn: () => service.call(routes.namespaces.createNamespace, { body: { slug } }),
    onSuccess: async () => {
      setSlug('');
      await queries.invalidateQueries({ queryKey: ['namespaces'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit} onInput={() => make.isError && make.reset()}>
      <div className={form.row}>
        <label className={form.field}>
          {messages.account.newNamespace}
          <input
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
            maxLength={39}
            required
            autoComplete="off"
          />
        </label>
        <button type="submit" className={form.quiet} disabled={make.isPending}>
          {messages.account.make}
        </button>
      </div>
      <InlineError error={make.error} />
    </form>
  );
}
