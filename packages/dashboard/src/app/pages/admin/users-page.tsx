import { routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatDate } from '../../format.ts';
import { toUser } from '../../links.ts';
import { usersMessages as text } from '../../messages/admin.ts';
import { Line } from '../../parts/card.tsx';
import { PagedList } from '../../search/paged-list.tsx';
import { queryOf } from '../../session.ts';
import { AddPeople } from './add-people.tsx';
import { AdminFrame } from './admin-frame.tsx';

/** Lists all accounts, searchable by name or email address. */
export function UsersPage() {
  return (
    <AdminFrame title={text.title}>
      <PagedList
        query={(query) => queryOf(['admin', 'users', query], routes.admin.listUsers, { query })}
        text={text}
      >
        {({ users }) =>
          users.map(({ userName, displayName, email, isOperator, disabledAt }) => (
            <Line
              key={userName}
              name={<Link {...toUser(userName)}>{userName}</Link>}
              detail={`${displayName} · ${email}`}
            >
              <span className="detail">
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
