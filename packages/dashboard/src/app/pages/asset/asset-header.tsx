import type { AssetDetail } from '@bindery/contract';
import type { ReactNode } from 'react';
import { formatMass, formatSize } from '../../../format-quantities.ts';
import type { ViewerStatistics } from '../../../viewer-protocol.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { messages } from '../../messages.ts';
import styles from './asset-header.module.css';

/** What the viewer measures of a kind of asset. Its place is kept until it has. */
const MEASURED: Readonly<Record<string, readonly Measure[]>> = {
  mjcf: ['size', 'mass', 'degreesOfFreedom', 'triangles'],
  urdf: ['size', 'mass', 'degreesOfFreedom', 'triangles'],
  sdf: ['size', 'mass', 'degreesOfFreedom', 'triangles'],
  mesh: ['size', 'triangles'],
  splat: ['size', 'splats'],
  image: ['pixels'],
};

type Measure = keyof typeof messages.asset.measures & keyof ViewerStatistics;

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
  const text = messages.asset;
  const measures = (isShown && asset && MEASURED[asset.kind]) || [];
  return (
    <header className={styles.header}>
      <div className={styles.name}>
        <h1>{title}</h1>
        {asset && (
          <ul className={styles.badges}>
            <li className={styles.license}>{license ?? text.noLicense}</li>
            <li>
              {asset.format && asset.format !== asset.kind ? `${asset.kind} (${asset.format})` : asset.kind}
            </li>
          </ul>
        )}
        {children}
      </div>
      {asset && (
        <dl className={styles.facts}>
          {measures.map((name) => (
            <Fact key={name} name={text.measures[name]} value={statistics && measured(name, statistics)} />
          ))}
          <Fact name={text.files} value={formatCount(asset.files.length)} />
          {asset.downloads !== undefined && asset.downloads > 0 && (
            <Fact name={messages.uses.downloads} value={formatCount(asset.downloads)} />
          )}
          {asset.usedBy !== undefined && asset.usedBy > 0 && (
            <Fact name={messages.uses.usedBy} value={messages.uses.projects(asset.usedBy)} />
          )}
          <Fact name={text.bytes} value={formatBytes(asset.files.reduce((sum, { size }) => sum + size, 0))} />
        </dl>
      )}
    </header>
  );
}

function Fact({ name, value }: { name: string; value: string | null }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '…'}</dd>
    </div>
  );
}

function measured(name: Measure, statistics: ViewerStatistics): string {
  const { size, unit, mass, pixels } = statistics;
  if (name === 'size') return size ? formatSize(size, unit) : messages.asset.notMeasured;
  if (name === 'mass') return mass === undefined ? messages.asset.notMeasured : formatMass(mass);
  if (name === 'pixels') return pixels ? pixels.join(' × ') : messages.asset.notMeasured;
  const count = statistics[name];
  return count === undefined ? messages.asset.notMeasured : formatCount(count);
}
