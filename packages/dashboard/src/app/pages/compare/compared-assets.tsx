import type { AssetDetail } from '@bindery/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ViewerStatistics } from '../../../viewer-protocol.ts';
import { readAssetFile } from '../../files/asset-files.ts';
import { toAsset } from '../../links.ts';
import { compareMessages } from '../../messages/compare.ts';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/notices.tsx';
import { assetQuery, type LibraryKey, libraryQuery } from '../../queries.ts';
import { comparedFacts, comparedLimits, comparedMasses } from './compared-facts.ts';
import { ComparedModels } from './compared-models.tsx';
import { type ComparedFact, FactsTable } from './facts-table.tsx';

type AssetKey = LibraryKey & { asset: string };

/** Two assets side by side: at one scale, and fact by fact. */
export function ComparedAssets({ one, other }: { one: AssetKey; other: AssetKey }) {
  const [first, second] = [useQuery(assetQuery(one, one.asset)), useQuery(assetQuery(other, other.asset))];
  const { data: parent } = useQuery(libraryQuery(one));
  const { data: otherParent } = useQuery(libraryQuery(other));
  const failed = [first, second].find(({ error }) => error);
  if (failed) return <FailureNotice error={failed.error} onRetry={() => failed.refetch()} />;
  const text = compareMessages;
  const titles = [first.data?.title ?? one.asset, second.data?.title ?? other.asset] as const;
  return (
    <div className="stack">
      <title>{`${text.both(...titles)} · ${messages.product}`}</title>
      <Crumbs
        namespace={one.namespace}
        library={{ ...one, name: one.library, title: parent?.title ?? one.library }}
        page={text.open}
      />
      <h1>{text.both(...titles)}</h1>
      {first.data && second.data && (
        <SideBySide
          key={`${one.asset} ${other.asset}`}
          keys={[one, other]}
          assets={[first.data, second.data]}
          titles={titles}
          licenses={[parent?.license, otherParent?.license]}
        />
      )}
    </div>
  );
}

function SideBySide({
  keys,
  assets,
  titles,
  licenses,
}: {
  keys: readonly [AssetKey, AssetKey];
  assets: readonly [AssetDetail, AssetDetail];
  titles: readonly [string, string];
  /** Of their libraries. */
  licenses: readonly [string | null | undefined, string | null | undefined];
}) {
  const [statistics, setStatistics] = useState<readonly (ViewerStatistics | null)[]>([null, null]);
  const model = (side: 0 | 1) => ({
    caption: <AssetLink of={keys[side]} title={titles[side]} />,
    asset: assets[side],
    read: (path: string, signal: AbortSignal) => readAssetFile(keys[side], assets[side], path, signal),
  });
  const facts = (side: 0 | 1) => ({
    asset: assets[side],
    license: assets[side].license ?? licenses[side] ?? null,
    statistics: statistics[side] ?? null,
  });
  const compared = [facts(0), facts(1)] as const;
  return (
    <>
      <ComparedModels
        models={[model(0), model(1)]}
        onMeasured={(side, measured) => setStatistics((known) => known.with(side, measured))}
      />
      <FactsTable heads={titles} facts={comparedFacts(compared)} />
      <Parts heads={titles} facts={comparedMasses(compared)} title={compareMessages.masses} />
      <Parts heads={titles} facts={comparedLimits(compared)} title={compareMessages.limits} />
    </>
  );
}

/** What is known of the parts of both; unfolded if they have most in common. */
function Parts({
  heads,
  facts,
  title,
}: {
  heads: readonly [string, string];
  facts: readonly ComparedFact[];
  title: string;
}) {
  const common = facts.filter(({ values }) => !values.includes(undefined));
  if (facts.length === 0) return null;
  return (
    <details open={common.length * 2 > facts.length}>
      <summary>{title}</summary>
      <FactsTable heads={heads} facts={facts} />
    </details>
  );
}

function AssetLink({ of: { asset, ...key }, title }: { of: AssetKey; title: string }) {
  return (
    <>
      <Link {...toAsset(key, asset)}>{title}</Link>{' '}
      <span className="soft">
        {key.namespace}/{key.library}
      </span>
    </>
  );
}
