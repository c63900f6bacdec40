import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { readAssetFile } from '../../files/asset-files.ts';
import { assetMessages } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { FailureNotice } from '../../parts/notices.tsx';
import { assetQuery, libraryQuery } from '../../queries.ts';
import { stringifySearch } from '../../url.ts';
import styles from './embed-page.module.css';
import { entryPointsOf } from './entry-points.ts';
import { Viewer } from './viewer.tsx';

const route = getRouteApi('/embed/$namespace/$library/$asset');

/** An asset alone, for the frame of another site: its viewer, and a link to its page. */
export function EmbedPage() {
  const { namespace, library: named, asset: id } = route.useParams();
  const { share, entry, view } = route.useSearch();
  const [library = named, release] = named.split('@');
  const key = { namespace, library, share, release };
  const { data: asset, error, refetch } = useQuery(assetQuery(key, id));
  const { data: parent } = useQuery(libraryQuery(key));
  if (error) {
    return (
      <main>
        <FailureNotice error={error} onRetry={() => refetch()} />
      </main>
    );
  }
  if (!asset) return null;
  const entries = entryPointsOf(asset);
  const shown = entries.find(({ file }) => file === entry) ?? entries[0];
  const title = asset.title ?? id;
  const page = `/app/${namespace}/${library}/${encodeURIComponent(id)}${stringifySearch({ share, release, entry })}`;
  return (
    <main className={styles.embed}>
      <title>{`${title} · ${namespace}/${library} · ${messages.product}`}</title>
      {shown ? (
        <Viewer
          read={(path, signal) => readAssetFile(key, asset, path, signal)}
          {...{ asset, shown, view }}
          onMeasured={() => {}}
          isFolded
        />
      ) : (
        asset.thumbnailUrl && <img src={asset.thumbnailUrl} alt={title} className={styles.picture} />
      )}
      <h1 className={`one-line ${styles.page}`}>
        <a href={page} target="_blank" rel="noopener">
          {title}
        </a>{' '}
        · {asset.license ?? parent?.license ?? assetMessages.noLicense} · {namespace}/{library} ·{' '}
        {messages.product}
      </h1>
    </main>
  );
}
