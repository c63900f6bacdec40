import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { answerOf } from '../../connection.ts';
import { formatDate } from '../../format.ts';
import { messages } from '../../messages.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { Pager } from '../../parts/pager.tsx';
import { SearchBox } from '../../search/search-box.tsx';
import { AddPeople } from './add-people.tsx';
import { AdminFrame } from './admin-frame.tsx';
import { usersQuery } from './queries.ts';

const route = getRouteApi('/-/admin/users');

/** Lists all accounts, searchable by name or email address. */
export function UsersPage() {
  return (
    <AdminFrame title={messages.admin.users.title}>
      <Users />
      <AddPeople />
    </AdminFrame>
  );
}

function Users() {
  const text = messages.admin.users;
  const list = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(usersQuery(useDeferredValue(list)));
  const { error, refetch } = query;
  const data = answerOf(query);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <>
      <SearchBox
        label={text.search}
        placeholder={text.search}
        value={list.q ?? ''}
        onChange={(q) => navigate({ search: q === '' ? {} : { q }, replace: true, resetScroll: false })}
      />
      {data?.total === 0 && <EmptyState title={text.none} />}
      {data && data.total > 0 && (
        <section className={form.card} aria-label={text.title}>
          <p className={form.soft}>{text.count(data.total)}</p>
          <ul className={form.list}>
            {data.users.map(({ userName, displayName, email, isOperator, disabledAt }) => (
              <li key={userName}>
                <span>
                  <Link to="/-/admin/users/$user" params={{ user: userName }}>
                    {userName}
                  </Link>
                  <br />
                  <span className={form.soft}>
                    {displayName} · {email}
                  </span>
                </span>
                <span className={form.soft}>
                  {disabledAt !== null
                    ? text.disabled(formatDate(disabledAt))
                    : isOperator
                      ? text.operator
                      : null}
                </span>
              </li>
            ))}
          </ul>
          <Pager
            page={data.page}
            totalPages={data.totalPages}
            onPage={(page) => navigate({ search: { ...list, page: String(page) } })}
          />
        </section>
      )}
    </>
  );
}
