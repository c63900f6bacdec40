import type { AssetDetail } from '@bindery/contract';
import { useState } from 'react';
import type { ViewerStatistics } from '../../../viewer-protocol.ts';
import { findFile, readPresigned } from '../../files/asset-files.ts';
import { compareMessages } from '../../messages/compare.ts';
import { entryPointsOf } from '../asset/entry-points.ts';
import { fileAt } from './changed-file.tsx';
import { comparedFacts, comparedLimits, comparedMasses } from './compared-facts.ts';
import { ComparedModels } from './compared-models.tsx';
import { FactsTable } from './facts-table.tsx';
import type { Sides, Version } from './version.ts';

/** A model before and after, one over the other, and what is measured otherwise; read when somebody asks for it. */
export function ChangedModel({
  sides,
  before,
  after,
}: {
  sides: Sides;
  before: AssetDetail;
  after: AssetDetail;
}) {
  const text = compareMessages;
  const [isOpen, setOpen] = useState(false);
  const [statistics, setStatistics] = useState<readonly (ViewerStatistics | null)[]>([null, null]);
  if ([before, after].some((asset) => entryPointsOf(asset).length === 0)) return null;
  const model = (asset: AssetDetail, version: Version, caption: string) => ({
    caption,
    asset,
    read: (path: string, signal: AbortSignal) => {
      return readPresigned(findFile(asset, path), () => fileAt(sides.library, version, path), signal);
    },
  });
  const facts = (asset: AssetDetail, at: number) => ({
    asset,
    license: asset.license,
    statistics: statistics[at] ?? null,
  });
  const compared = [facts(before, 0), facts(after, 1)] as const;
  const measured = statistics.includes(null)
    ? []
    : [
        ...comparedFacts(compared),
        ...comparedMasses(compared).map((fact) => ({ ...fact, name: text.massOf(fact.name) })),
        ...comparedLimits(compared).map((fact) => ({ ...fact, name: text.limitsOf(fact.name) })),
      ].filter(({ values: [was, is] }) => was !== is);
  return (
    <details onToggle={({ currentTarget: { open } }) => setOpen(open)}>
      <summary>{text.in3d}</summary>
      {isOpen && (
        <div className="stack">
          <ComparedModels
            models={[model(before, sides.from, text.before), model(after, sides.to, text.after)]}
            isOver
            onMeasured={(side, found) => setStatistics((known) => known.with(side, found))}
          />
          {measured.length > 0 && <FactsTable heads={[text.before, text.after]} facts={measured} isChange />}
        </div>
      )}
    </details>
  );
}
