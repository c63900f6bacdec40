import type { AssetDetail } from '@bindery/contract';
import { formatLength, formatMass } from '../../../format-quantities.ts';
import type { JointLimits, ViewerStatistics } from '../../../viewer-protocol.ts';
import { formatName } from '../../format.ts';
import { assetMessages, simulationMessages } from '../../messages/asset.ts';
import { type Measure, measured } from '../asset/asset-header.tsx';
import type { ComparedFact } from './facts-table.tsx';

export interface FactsOf {
  asset: AssetDetail;
  /** Of the asset, or else of its library. */
  license: string | null;
  /** Null until it is measured. */
  statistics: ViewerStatistics | null;
}

type Two<One> = readonly [One, One];

/** What is stated, measured and certified of two assets; nothing that both do not have. */
export function comparedFacts(sides: Two<FactsOf>): ComparedFact[] {
  const [text, run] = [assetMessages, simulationMessages];
  const fact = (name: string, say: (side: FactsOf) => string | undefined | null): ComparedFact[] => {
    const [one, other] = sides.map((side) => say(side) || undefined);
    return one === undefined && other === undefined ? [] : [{ name, values: [one, other] }];
  };
  return [
    ...fact(text.kind, ({ asset }) => formatName(asset)),
    ...fact(text.license, ({ license }) => license ?? text.noLicense),
    ...fact(text.category, ({ asset }) => asset.category),
    ...fact(text.tags, ({ asset }) => asset.tags.join(', ')),
    ...fact(text.bytes, ({ asset }) => text.amount(asset.files)),
    ...(Object.keys(text.measures) as Measure[]).flatMap((measure) =>
      fact(text.measures[measure], ({ statistics }) => {
        const value = statistics === null ? text.notMeasured : measured(measure, statistics);
        return value === text.notMeasured ? undefined : value;
      }),
    ),
    ...fact(run.heading, ({ asset: { certificates = [] } }) =>
      certificates.map((one) => `${run[one.verdict]} ${run.made(one.mujoco, one.madeBy)}`).join('; '),
    ),
  ];
}

export const comparedMasses = (sides: Two<FactsOf>) =>
  named(sides.map(({ statistics }) => statistics?.masses?.map(({ name, mass }) => [name, formatMass(mass)])));

export const comparedLimits = (sides: Two<FactsOf>) =>
  named(sides.map(({ statistics }) => statistics?.limits?.map((one) => [one.name, formatLimits(one)])));

/** Facts of parts that have names. */
function named(sides: readonly ([name: string, value: string][] | undefined)[]): ComparedFact[] {
  const [one, other] = sides.map((parts) => new Map(parts));
  const names = [...new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])])];
  return names.map((name) => ({ name, values: [one?.get(name), other?.get(name)] }));
}

/** Such as `−90° to 90°`. */
function formatLimits({ unit, min, max }: JointLimits): string {
  const [from, to] = [min, max].map((value) =>
    unit === 'm' ? formatLength(value, 'm') : `${Math.round((value * 180) / Math.PI)}°`,
  );
  return `${from} … ${to}`.replaceAll('-', '−');
}
