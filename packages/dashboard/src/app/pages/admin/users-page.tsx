import { routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatDate } from '../../format.ts';
import { adminMessages } from '../../messages/admin.ts';
import { Line } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { EmptyState } from '../../parts/notices.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { service } from '../../session.ts';
import { AddPeople } from './add-people.tsx';
import { AdminFrame } from './admin-frame.tsx';

/** Lists all accounts, searchable by name or email address. */
export function UsersPage() {
  const text = adminMessages.users;
  return (
    <AdminFrame title={text.title}>
      <PagedList
        queryKey={['admin', 'users']}
        read={(query, signal) => service.call(routes.admin.listUsers, { query, signal })}
        text={text}
        empty={<EmptyState title={text.none} />}
      >
        {({ users }) =>
          users.map(({ userName, displayName, email, isOperator, disabledAt }) => (
            <Line
              key={userName}
              name={
                <Link to="/-/admin/users/$user" params={{ user: userName }}>
                  {userName}
                </Link>
              }
              detail={`${displayName} · ${email}`}
            >
              <span className={form.soft}>
                {disabledAt !== null
                  ? text.disabled(formatDate(disabledAt))
                  : isOperator
                    ? text.operator
                    : null}
              </span>
            </Line>
          ))
        }
      </PagedList>
      <AddPeople />
    </AdminFrame>
  );
}
