import type { NamespaceQuota } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { allNamespacesMessages as text } from '../../messages/admin.ts';
import { ActionForm, Field, useFields } from '../../parts/form.tsx';
import { change } from '../../session.ts';

const GIB = 1024 ** 3;

const FIELDS = ['libraries', 'files', 'gibibytes'] as const;
type Typed = Record<(typeof FIELDS)[number], string>;

/** Sets the limits of a namespace; an empty field means no limit. */
export function QuotaForm({ namespace, quota }: { namespace: string; quota: NamespaceQuota | undefined }) {
  const [typed, field] = useFields(typedOf(quota));
  const run = () =>
    change(routes.admin.patchQuota, { params: { namespace }, body: limitsOf(typed) }, ['admin']);
  return (
    <ActionForm label={text.setQuota} detail={text.quotaDetail} run={run}>
      {FIELDS.map((name) => (
        <Field
          key={name}
          type="number"
          label={text.quotaFields[name]}
          min={0}
          step={name === 'gibibytes' ? 'any' : 1}
          {...field(name)}
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
