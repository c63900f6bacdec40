import type { AssetDetail } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { EditMetadata } from '../../parts/edit-metadata.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { Readme } from '../../parts/readme.tsx';
import { ReleaseMark } from '../../parts/release-mark.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { assetQuery, libraryQuery } from '../../queries.ts';
import { AssetFacts } from './asset-facts.tsx';
import styles from './asset-page.module.css';
import { entryPointsOf } from './entry-points.ts';
import { FileTree } from './file-tree.tsx';
import { GetAsset } from './get-asset.tsx';
import { readmeOf, readmeSource } from './readme-file.ts';
import { Viewer } from './viewer.tsx';

const route = getRouteApi('/$namespace/$library/$asset');

/** One asset: its viewer, its description, and its downloads. */
export function AssetPage() {
  const { namespace, library, asset: id } = route.useParams();
  const { share, release } = route.useSearch();
  const key = { namespace, library, share, release };
  const { data: asset, error, refetch } = useQuery(assetQuery(key, id));
  const { data: parent } = useQuery(libraryQuery(key));
  const [entry, setEntry] = useState<string | null>(null);
  if (error) {
    return (
      <>
        {parent && <ReleaseMark library={key} />}
        <FailureNotice error={error} onRetry={() => refetch()} />
      </>
    );
  }
  const title = asset?.title ?? id;
  const entries = asset ? entryPointsOf(asset) : [];
  const readme = asset ? readmeOf(asset) : null;
  const shown = entries.find(({ file }) => file === entry) ?? entries[0];

  return (
    <div className={styles.page}>
      <title>{`${title} · ${namespace}/${library} · ${messages.product}`}</title>
      <Crumbs
        namespace={namespace}
        library={{ name: library, title: parent?.title ?? library, share, release }}
      />
      {parent && <ReleaseMark library={key} />}
      <div className={styles.columns}>
        <div className={styles.look}>
          {asset && shown ? (
            <Viewer key={`${release} ${asset.id} ${shown.file}`} library={key} asset={asset} shown={shown} />
          ) : (
            <NoViewer asset={asset} />
          )}
          {entries.length > 1 && shown && (
            <label className={styles.entry}>
              {messages.asset.entryPoint}
              <select value={shown.file} onChange={(event) => setEntry(event.target.value)}>
                {entries.map(({ name, file, kind }) => (
                  <option key={`${name} ${file}`} value={file}>
                    {name} ({kind}, {file})
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        <div className={styles.side}>
          <h1>{title}</h1>
          {asset && (
            <>
              <AssetFacts asset={asset} libraryLicense={parent?.license ?? null} />
              {parent?.viewerCanManage && release === undefined && (
                <EditMetadata
                  key={asset.id}
                  target={{ namespace, name: library }}
                  asset={asset.id}
                  current={asset}
                />
              )}
              <GetAsset library={key} asset={asset} />
            </>
          )}
        </div>
      </div>
      {asset && readme && readme.path !== shown?.file && <Readme source={readmeSource(key, asset, readme)} />}
      {asset && <FileTree library={key} asset={asset} />}
    </div>
  );
}

/** In place of the viewer while the asset is loading, or if none of its files can be shown. */
function NoViewer({ asset }: { asset: AssetDetail | undefined }) {
  if (!asset) return <div className={styles.stage} />;
  const { kind, files, thumbnailUrl, thumbnailSrcset } = asset;
  const formats = new Set(files.map(({ path }) => /\.(\w+)$/.exec(path)?.[1]?.toUpperCase() ?? null));
  const [format = null] = formats.size === 1 ? formats : [];
  return (
    <div className={styles.stage}>
      {thumbnailUrl && <Thumbnail url={thumbnailUrl} srcset={thumbnailSrcset} kind={kind} />}
      <p className={styles.none}>{messages.asset.noViewer(format)}</p>
    </div>
  );
}
