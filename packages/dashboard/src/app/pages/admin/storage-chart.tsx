import type { ReportedDiskSpace, StorageReport } from '@bindery/contract';
import { useId } from 'react';
import { formatBytes } from '../../../format-quantities.ts';
import { storageMessages as text } from '../../messages/admin.ts';
import styles from './admin.module.css';

const WIDTH = 1_000;

type Part = { name: string; fill: string; bytes: number };

/** Shows what is on a disk, as one bar with a legend. */
export function StorageChart({ report, disk }: { report: StorageReport; disk: ReportedDiskSpace }) {
  const title = useId();
  const parts = partsOf(report, disk);
  const { total } = disk;
  let at = 0;
  return (
    <figure className="stack">
      <svg
        viewBox={`0 0 ${WIDTH} 36`}
        preserveAspectRatio="none"
        className={`${styles.picture} ${styles.bar}`}
        role="img"
        aria-labelledby={title}
      >
        <title id={title}>
          {`${text.picture}: ${parts.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ')}`}
        </title>
        <rect fill="var(--raised)" width={WIDTH} height="36" />
        {parts.map(({ name, fill, bytes }) => {
          const width = (WIDTH * bytes) / total;
          const x = at;
          at += width;
          return <rect key={name} fill={fill} x={x} width={width} height="36" />;
        })}
      </svg>
      <ul className="row">
        {parts.map(({ name, fill, bytes }) => (
          <li key={name} className="row">
            <svg className={styles.swatch} viewBox="0 0 1 1" aria-hidden="true">
              <rect fill={fill} width="1" height="1" />
            </svg>
            {name} · {formatBytes(bytes)}
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Counts everything on the disk once, so that the parts add up to its size. */
function partsOf({ active, trash, unregisteredBytes }: StorageReport, disk: ReportedDiskSpace): Part[] {
  const reserve = Math.min(disk.reserve, disk.free);
  const used = disk.total - disk.free;
  // Revisions share content, so the sums can exceed what is on disk.
  let left = used;
  const within = (bytes: number) => {
    const shown = Math.min(bytes, left);
    left -= shown;
    return shown;
  };
  return [
    { name: text.libraries, fill: 'var(--accent)', bytes: within(active.bytes) },
    { name: text.trash, fill: 'var(--chart-2)', bytes: within(trash.bytes) },
    { name: text.unregistered, fill: 'var(--chart-3)', bytes: within(unregisteredBytes) },
    { name: text.others, fill: 'var(--line)', bytes: left },
    { name: text.reserve, fill: 'var(--edge)', bytes: reserve },
    { name: text.free, fill: 'var(--raised)', bytes: disk.free - reserve },
  ];
}
