import type { LibrarySummary } from '@bindery/contract';
import { mayWrite, routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { dotted } from '../../format.ts';
import { libraryMessages } from '../../messages/library.ts';
import { trashMessages as text } from '../../messages/namespace.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Line } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { EmptyState, NotFound } from '../../parts/notices.tsx';
import { namespaceQuery } from '../../queries.ts';
import { change, queryOf } from '../../session.ts';
import { NamespaceFrame } from './namespace-frame.tsx';

const route = getRouteApi('/$namespace/-/trash');

const trashQuery = (namespace: string) =>
  queryOf(['libraries', namespace, 'trash'], routes.libraries.listLibraries, {
    params: { namespace },
    query: { deleted: 'true' },
  });

/** The deleted libraries of a namespace, to be restored or removed permanently. */
export function TrashPage() {
  const { namespace } = route.useParams();
  const { data: details } = useQuery(namespaceQuery(namespace));
  const mayChange = mayWrite(details?.viewerRole ?? null);
  return (
    <Loaded query={trashQuery(namespace)}>
      {({ libraries, viewerIsMember }) =>
        viewerIsMember ? (
          <NamespaceFrame namespace={namespace} title={text.title}>
            {libraries.length === 0 ? (
              <EmptyState title={text.empty} />
            ) : (
              <section className="card">
                <ul className="list">
                  {libraries.map((library) => (
                    <Trashed key={library.name} library={library} mayChange={mayChange} />
                  ))}
                </ul>
              </section>
            )}
          </NamespaceFrame>
        ) : (
          <NotFound />
        )
      }
    </Loaded>
  );
}

function Trashed({ library, mayChange }: { library: LibrarySummary; mayChange: boolean }) {
  const { namespace, name, title, assetCount, totalBytes } = library;
  const address = `${namespace}/${name}`;
  const params = { namespace, name };
  return (
    <Line
      name={<strong>{title ?? name}</strong>}
      detail={dotted(address, libraryMessages.assets(assetCount), formatBytes(totalBytes))}
    >
      {mayChange && (
        <span className="actions">
          <ActionButton
            label={text.restore}
            name={text.restoreOf(address)}
            run={() => change(routes.libraries.restoreLibrary, { params })}
          />
          <Confirm
            label={text.purge}
            name={text.purgeOf(address)}
            title={text.purgeTitle(address)}
            detail={text.purgeDetail}
            typed={address}
            action={() => change(routes.libraries.purgeLibrary, { params })}
          />
        </span>
      )}
    </Line>
  );
}
