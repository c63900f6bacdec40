import type { AssetDetail } from '@bindery/contract';
import type { ReactNode } from 'react';
import { formatMass, formatSize } from '../../../format-quantities.ts';
import type { ViewerStatistics } from '../../../viewer-protocol.ts';
import { formatCount, formatName } from '../../format.ts';
import { assetMessages as text } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { Fact } from '../../parts/card.tsx';
import styles from './asset-header.module.css';

/** What the viewer measures of a kind of asset. Its place is kept until it has. */
const MEASURED: Readonly<Record<string, readonly Measure[]>> = {
  mjcf: ['size', 'mass', 'joints', 'triangles'],
  urdf: ['size', 'mass', 'joints', 'triangles'],
  sdf: ['size', 'mass', 'joints', 'triangles'],
  mesh: ['size', 'triangles'],
  splat: ['size', 'splats'],
  image: ['pixels'],
};

export type Measure = keyof typeof text.measures & keyof ViewerStatistics;

/** An asset's title, licence and kind, and what it measures and weighs. `statistics` is null until it is measured. */
export function AssetHeader({
  asset,
  title,
  license,
  isShown,
  statistics,
  children,
}: {
  asset: AssetDetail | undefined;
  title: string;
  license: string | null;
  /** Whether there is a viewer for it. */
  isShown: boolean;
  statistics: ViewerStatistics | null;
  /** What chooses among its entry points. */
  children: ReactNode;
}) {
  const measures = (isShown && asset && MEASURED[asset.kind]) || [];
  return (
    <header className={`stack ${styles.header}`}>
      <div className={`row ${styles.name}`}>
        <h1>{title}</h1>
        <div className={styles.kind}>
          {asset && (
            <ul className={`row ${styles.badges}`}>
              <li className={`badge one-line ${license === null ? styles.unlicensed : ''}`}>
                {license ?? text.noLicense}
              </li>
              <li className="badge one-line">{formatName(asset)}</li>
            </ul>
          )}
          {children}
        </div>
      </div>
      <dl className={styles.facts} tabIndex={0} aria-label={text.facts}>
        {asset && (
          <>
            {measures.map((name) => (
              <Fact
                key={name}
                name={text.measures[name]}
                value={statistics === null ? '…' : measured(name, statistics)}
              />
            ))}
            <Fact name={text.bytes} value={text.amount(asset.files)} />
            {isOdd(statistics) && (
              <Fact name={text.oddSize} value={text.oddSizeDetail} className={styles.warning} />
            )}
            <Fact
              name={messages.uses.downloads}
              value={asset.downloads ? formatCount(asset.downloads) : null}
            />
            <Fact
              name={messages.uses.usedBy}
              value={asset.usedBy ? messages.uses.projects(asset.usedBy) : null}
            />
          </>
        )}
      </dl>
    </header>
  );
}

/** In metres. What is longer or shorter than this was probably measured in another unit. */
const [MIN_SIDE, MAX_SIDE] = [0.001, 100];

function isOdd(statistics: ViewerStatistics | null): boolean {
  if (!statistics?.size || statistics.unit !== 'm') return false;
  const side = Math.max(...statistics.size);
  return side > 0 && (side < MIN_SIDE || side > MAX_SIDE);
}

export function measured(name: Measure, statistics: ViewerStatistics): string {
  const { size, unit, mass, pixels } = statistics;
  if (name === 'size') return size ? formatSize(size, unit) : text.notMeasured;
  if (name === 'mass') return mass === undefined ? text.notMeasured : formatMass(mass);
  if (name === 'joints' && statistics.isFloating) return text.floating(formatCount(statistics.joints ?? 0));
  if (name === 'pixels') return pixels ? pixels.join(' × ') : text.notMeasured;
  const count = statistics[name];
  return count === undefined ? text.notMeasured : formatCount(count);
}
