import { AUDIT_ACTIONS, NAMESPACE_SLUG } from '@bindery/contract/wire';
import type { FormEvent } from 'react';
import { auditMessages as text } from '../../messages/audit.ts';
import { Button } from '../../parts/button.tsx';
import { type AuditSearch, readAuditSearch } from './audit-search.ts';

/** Filters by user, action, time and, if `withNamespace` is set, namespace. */
export function AuditFilters({
  search,
  withNamespace,
  onSearch,
}: {
  search: AuditSearch;
  withNamespace: boolean;
  onSearch: (search: AuditSearch) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSearch(readAuditSearch(Object.fromEntries(new FormData(event.currentTarget))));
  };
  return (
    // The fields start with the values in the address.
    <form key={JSON.stringify(search)} className="fields" aria-label={text.filters} onSubmit={submit}>
      <NameInput name="user" label={text.user} value={search.user} />
      {withNamespace && <NameInput name="namespace" label={text.namespace} value={search.namespace} />}
      <label className="field">
        {text.action}
        <select name="action" defaultValue={search.action ?? ''}>
          <option value="">{text.anyAction}</option>
          {AUDIT_ACTIONS.map((action) => (
            <option key={action} value={action}>
              {text.did(action)}
            </option>
          ))}
        </select>
      </label>
      {(['from', 'to'] as const).map((name) => (
        <label key={name} className="field">
          {text[name]}
          <input
            type="date"
            name={name}
            defaultValue={search[name] ?? ''}
            min="1970-01-01"
            max="9999-12-30"
          />
        </label>
      ))}
      <Button isMain label={text.show} type="submit" />
      {Object.keys(search).length > 0 && <Button label={text.all} onClick={() => onSearch({})} />}
    </form>
  );
}

function NameInput({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <label className="field">
      {label}
      <input
        name={name}
        defaultValue={value ?? ''}
        onChange={({ currentTarget: input }) => {
          const isName = input.value === '' || NAMESPACE_SLUG.pattern.test(input.value);
          input.setCustomValidity(isName ? '' : text.nameRule);
        }}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </label>
  );
}
