import type { NamespaceQuota } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useState } from 'react';
import { adminMessages } from '../../messages/admin.ts';
import { ActionForm, Field } from '../../parts/form.tsx';
import { service } from '../../session.ts';
import { refreshAdmin } from './admin-frame.tsx';

const GIB = 1024 ** 3;

const FIELDS = ['libraries', 'files', 'gibibytes'] as const;
type Typed = Record<(typeof FIELDS)[number], string>;

/** Sets the limits of a namespace; an empty field means no limit. */
export function QuotaForm({ namespace, quota }: { namespace: string; quota: NamespaceQuota | undefined }) {
  const text = adminMessages.namespaces;
  const [typed, setTyped] = useState<Typed>(() => typedOf(quota));
  const run = async () => {
    await service.call(routes.admin.patchQuota, { params: { namespace }, body: limitsOf(typed) });
    await refreshAdmin();
  };
  return (
    <ActionForm label={text.setQuota} detail={text.quotaDetail} run={run}>
      {FIELDS.map((field) => (
        <Field
          key={field}
          type="number"
          label={text.quotaFields[field]}
          min={0}
          step={field === 'gibibytes' ? 'any' : 1}
          value={typed[field]}
          onChange={(value) => setTyped({ ...typed, [field]: value })}
        />
      ))}
    </ActionForm>
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
