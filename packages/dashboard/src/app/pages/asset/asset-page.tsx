import type { AssetDetail, LibraryDetail } from '@bindery/contract';
import { readMissing, routes } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ViewerStatistics } from '../../../viewer-protocol.ts';
import { readAssetFile } from '../../files/asset-files.ts';
import { formatName } from '../../format.ts';
import { toCredits } from '../../links.ts';
import { assetMessages } from '../../messages/asset.ts';
import { creditsMessages } from '../../messages/credits.ts';
import { messages } from '../../messages.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { EditMetadata } from '../../parts/edit-metadata.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { Readme } from '../../parts/readme.tsx';
import { ReleaseMark } from '../../parts/release.tsx';
import { Select } from '../../parts/select.tsx';
import { Thumbnail } from '../../parts/thumbnail.tsx';
import { assetQuery, libraryQuery } from '../../queries.ts';
import { CompareTick } from '../../search/compared.tsx';
import { MoreLikeThis } from '../../search/similar-assets.tsx';
import { change } from '../../session.ts';
import { readAssetName } from '../../url.ts';
import { useIsMember } from '../../use-is-member.ts';
import { ComparedAssets } from '../compare/compared-assets.tsx';
import { AssetFacts } from './asset-facts.tsx';
import { AssetHeader } from './asset-header.tsx';
import styles from './asset-page.module.css';
import { EmbedAsset } from './embed-asset.tsx';
import { entryPointsOf } from './entry-points.ts';
import { FileTree } from './file-tree.tsx';
import { GetAsset } from './get-asset.tsx';
import { InYourRoom } from './in-your-room.tsx';
import { Present } from './present.tsx';
import { readmeOf, readmeSource } from './readme-file.ts';
import { Simulation, Verdicts } from './simulation.tsx';
import { isPreviewed } from './tree.ts';
import { Viewer } from './viewer.tsx';

const route = getRouteApi('/$namespace/$library/$asset');

/** One asset, or two side by side. */
export function AssetPage() {
  const { namespace, library, asset } = route.useParams();
  const { share, release, with: named } = route.useSearch();
  const key = { namespace, library, share, release };
  const other = named === undefined ? null : readAssetName(named);
  if (other === null) return <OneAsset />;
  const isOfSame = other.namespace === namespace && other.library === library;
  return <ComparedAssets one={{ ...key, asset }} other={isOfSame ? { ...other, share } : other} />;
}

/** What an asset is, its viewer, its README, and how to get it. */
function OneAsset() {
  const { namespace, library, asset: id } = route.useParams();
  const { share, release, entry, view, file, present } = route.useSearch();
  const navigate = route.useNavigate();
  const key = { namespace, library, share, release };
  const { data: asset, error, refetch } = useQuery(assetQuery(key, id));
  const { data: parent } = useQuery(libraryQuery(key));
  const isMember = useIsMember(namespace);
  const [measured, setMeasured] = useState<{ of: string; statistics: ViewerStatistics } | null>(null);
  if (error) {
    return (
      <>
        {parent && <ReleaseMark library={key} />}
        <FailureNotice error={error} onRetry={() => refetch()} />
      </>
    );
  }
  const title = asset?.title ?? id;
  const license = asset?.license ?? parent?.license ?? null;
  const missing = readMissing(asset?.meta);
  const entries = asset ? entryPointsOf(asset) : [];
  const shown = entries.find((point) => point.file === entry) ?? entries[0];
  const frame = `${release} ${id} ${shown?.file}`;
  const readme = asset ? readmeOf(asset) : null;
  const hasReadme = readme !== null && readme.path !== shown?.file;
  const opened = asset?.files.find((one) => one.path === file && isPreviewed(one));
  // What is open for reading takes its place in the page's address, and not an entry in the history of its own.
  const read = (path: string | undefined) =>
    navigate({ search: (search) => ({ ...search, file: path }), replace: true, resetScroll: false });
  const show = (path: string) => {
    const chosen = path === entries[0]?.file ? undefined : path;
    return navigate({
      search: (search) => ({ ...search, entry: chosen, view: undefined }),
      resetScroll: false,
    });
  };
  const files = asset && (
    <FileTree
      library={key}
      asset={asset}
      opened={opened}
      onOpen={(path) => read(path === opened?.path ? undefined : path)}
    />
  );

  const end = () => navigate({ search: ({ present: _, ...search }) => search, replace: true });
  return (
    <div className={styles.page}>
      {present && asset && shown && (
        <Present
          library={key}
          asset={asset}
          shown={shown}
          license={license}
          onNext={(next) =>
            navigate({
              params: { namespace, library, asset: next },
              search: { share, release, present },
              replace: true,
            })
          }
          onClose={end}
        />
      )}
      <title>{`${title} · ${namespace}/${library} · ${messages.product}`}</title>
      <Crumbs
        namespace={namespace}
        library={{ name: library, title: parent?.title ?? library, share, release }}
        page={title}
      />
      {parent && <ReleaseMark library={key} />}
      <AssetHeader
        asset={asset}
        title={title}
        license={license}
        isShown={shown !== undefined}
        statistics={measured?.of === frame ? measured.statistics : null}
      >
        {entries.length > 1 && shown && (
          <label className={styles.entry}>
            <span className="hidden-if-narrow">{assetMessages.entryPoint}</span>
            <Select
              value={shown.file}
              options={Object.fromEntries(entries.map(({ name, file: path }) => [path, name]))}
              onChange={show}
            />
          </label>
        )}
      </AssetHeader>
      {missing && <p role="note">{assetMessages.missing(missing)}</p>}
      {asset && shown && !present ? (
        <Viewer
          key={frame}
          read={(path, signal) => readAssetFile(key, asset, path, signal)}
          asset={asset}
          shown={shown}
          view={view}
          onView={(now) =>
            navigate({ search: (search) => ({ ...search, view: now }), replace: true, resetScroll: false })
          }
          onMeasured={(statistics) => setMeasured({ of: frame, statistics })}
        />
      ) : (
        <NoViewer asset={asset} />
      )}
      {asset?.certificates && asset.certificates.length > 0 && <Verdicts certificates={asset.certificates} />}
      {asset && (
        <div className={styles.columns}>
          <div className={styles.side}>
            <GetAsset
              library={key}
              asset={asset}
              shownFile={shown?.file ?? null}
              isPrivate={parent?.visibility === 'private'}
            />
            <AssetFacts asset={asset} libraryLicense={parent?.license ?? null} />
            <Simulation library={key} asset={asset} mayCertify={parent?.viewerCanManage === true}>
              <CompareTick asset={{ ...key, asset: id, title }} hasLabel />
              {shown && (
                <Link to="." search={(search) => ({ ...search, present: 'on' as const })} className="quiet">
                  {assetMessages.present}
                </Link>
              )}
              {parent?.visibility === 'public' && <EmbedAsset />}
              {parent?.visibility === 'public' && <InYourRoom library={key} asset={asset} />}
              {parent?.viewerCanManage && release === undefined && asset.thumbnailUrl && (
                <CoverButton library={parent} asset={id} />
              )}
            </Simulation>
            {parent && isMember && release === undefined && (
              <EditMetadata
                key={asset.id}
                target={{ namespace, name: library }}
                asset={asset.id}
                current={asset}
                proposes={!parent.viewerCanManage}
              />
            )}
            <Link {...toCredits(key)}>{creditsMessages.open}</Link>
          </div>
          <div className={styles.read}>
            {hasReadme ? <Readme source={readmeSource(key, asset, readme)} /> : files}
          </div>
        </div>
      )}
      {hasReadme && files}
      {asset && <MoreLikeThis library={key} asset={id} />}
    </div>
  );
}

/** Makes an asset the cover of its library, or leaves that to the first one again. */
function CoverButton({
  library: { namespace, name, cover },
  asset,
}: {
  library: LibraryDetail;
  asset: string;
}) {
  const isCover = cover === asset;
  const body = { cover: isCover ? null : asset };
  return (
    <ActionButton
      label={isCover ? assetMessages.noCover : assetMessages.cover}
      run={() => change(routes.libraries.patchLibrary, { params: { namespace, name }, body })}
    />
  );
}

/** In place of the viewer while the asset is loading, or if none of its files can be shown. */
function NoViewer({ asset }: { asset: AssetDetail | undefined }) {
  if (!asset) return <div className={styles.stage} />;
  const { files, thumbnailUrl, thumbnailSrcset } = asset;
  const formats = new Set(files.map(({ path }) => /\.(\w+)$/.exec(path)?.[1]?.toUpperCase() ?? null));
  const [format = null] = formats.size === 1 ? formats : [];
  return (
    <div className={asset.thumbnailUrl ? styles.stage : styles.bare}>
      {thumbnailUrl && <Thumbnail url={thumbnailUrl} srcset={thumbnailSrcset} kind={formatName(asset)} />}
      <p className={styles.none}>{assetMessages.noViewer(format)}</p>
    </div>
  );
}
