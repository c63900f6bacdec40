import { AUDIT_ACTIONS, NAMESPACE_SLUG } from '@bindery/contract/wire';
import { auditMessages as text } from '../../messages/audit.ts';
import { Button } from '../../parts/button.tsx';
import { Field, SelectField, useFields } from '../../parts/form.tsx';
import { type AuditSearch, readAuditSearch } from './audit-search.ts';

const NAME = {
  // A hyphen at the end of a class needs an escape in this attribute.
  pattern: NAMESPACE_SLUG.pattern.source.replaceAll('-]', '\\-]'),
  title: text.nameRule,
  autoCapitalize: 'none',
  spellCheck: false,
};
const DATE = { type: 'date', min: '1970-01-01', max: '9999-12-30' };

/** Filters by user, action, time and, if `withNamespace` is set, namespace; they start with those in the address. */
export function AuditFilters({
  search,
  withNamespace,
  onSearch,
}: {
  search: AuditSearch;
  withNamespace: boolean;
  onSearch: (search: AuditSearch) => void;
}) {
  const [values, field] = useFields({ user: '', namespace: '', action: '', from: '', to: '', ...search });
  const actions = Object.fromEntries(AUDIT_ACTIONS.map((action) => [action, text.did(action)]));
  return (
    <form
      className="fields"
      aria-label={text.filters}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(readAuditSearch(values));
      }}
    >
      <Field label={text.user} {...field('user')} {...NAME} />
      {withNamespace && <Field label={text.namespace} {...field('namespace')} {...NAME} />}
      <SelectField label={text.action} {...field('action')} options={{ '': text.anyAction, ...actions }} />
      <Field label={text.from} {...field('from')} {...DATE} />
      <Field label={text.to} {...field('to')} {...DATE} />
      <Button isMain label={text.show} type="submit" />
      {Object.keys(search).length > 0 && <Button label={text.all} onClick={() => onSearch({})} />}
    </form>
  );
}
