import type { NamespaceQuota } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { service } from '../../session.ts';
import { refreshAdmin } from './queries.ts';

const GIB = 1024 ** 3;

const FIELDS = ['libraries', 'files', 'gibibytes'] as const;
type Typed = Record<(typeof FIELDS)[number], string>;

/** Sets the limits of a namespace; an empty field means no limit. */
export function QuotaForm({ namespace, quota }: { namespace: string; quota: NamespaceQuota | undefined }) {
  const text = messages.admin.namespaces;
  const [typed, setTyped] = useState<Typed>(() => typedOf(quota));
  const change = useMutation({
    mutationFn: () => service.call(routes.admin.patchQuota, { params: { namespace }, body: limitsOf(typed) }),
    onSuccess: refreshAdmin,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <form className={form.form} onSubmit={submit}>
      <p className={form.soft}>{text.quotaDetail}</p>
      <div className={form.row}>
        {FIELDS.map((field) => (
          <label key={field} className={form.field}>
            {text.quotaFields[field]}
            <input
              type="number"
              min={0}
              step={field === 'gibibytes' ? 'any' : 1}
              value={typed[field]}
              onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
            />
          </label>
        ))}
        <button type="submit" className={form.button} disabled={change.isPending}>
          {text.setQuota}
        </button>
      </div>
      <InlineError error={change.error} />
    </form>
  );
}

function typedOf(quota: NamespaceQuota | undefined): Typed {
  const { libraries = null, files = null, bytes = null } = quota?.limits ?? {};
  const shown = (limit: number | null) => (limit === null ? '' : String(limit));
  return {
    libraries: shown(libraries),
    files: shown(files),
    gibibytes: shown(bytes === null ? null : bytes / GIB),
  };
}

function limitsOf({ libraries, files, gibibytes }: Typed): NamespaceQuota['limits'] {
  const limit = (text: string) => (text === '' ? null : Number(text));
  const bytes = limit(gibibytes);
  return {
    libraries: limit(libraries),
    files: limit(files),
    bytes: bytes === null ? null : Math.round(bytes * GIB),
  };
}
