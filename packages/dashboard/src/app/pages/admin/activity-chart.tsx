import type { MinuteOfWork } from '@bindery/contract';
import { useId } from 'react';
import { healthMessages as text } from '../../messages/admin.ts';
import styles from './admin.module.css';

const MINUTE = 60_000;
const MINUTES = 60;
const STEP = 10;
const HEIGHT = 100;

/** The requests of the last hour, one column per minute, with the failed ones at its foot. */
export function ActivityChart({ minutes }: { minutes: readonly MinuteOfWork[] }) {
  const title = useId();
  const sum = (of: (minute: MinuteOfWork) => number) => minutes.reduce((all, minute) => all + of(minute), 0);
  const requests = sum((minute) => minute.requests);
  const failures = sum((minute) => minute.failures);
  const milliseconds = sum((minute) => minute.requests * minute.meanMilliseconds);
  const summary = text.summary(requests, failures, requests === 0 ? 0 : milliseconds / requests);
  const most = Math.max(1, ...minutes.map((minute) => minute.requests));
  const last = Math.max(...minutes.map(({ at }) => Date.parse(at)), 0);
  return (
    <figure className="stack">
      <figcaption>{text.requests}</figcaption>
      <svg
        viewBox={`0 0 ${MINUTES * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={`${styles.picture} ${styles.minutes}`}
        role="img"
        aria-labelledby={title}
      >
        <title id={title}>{`${text.requests}: ${summary}`}</title>
        <rect fill="var(--raised)" width={MINUTES * STEP} height={HEIGHT} />
        {minutes.map((minute) => {
          const place = MINUTES - 1 - (last - Date.parse(minute.at)) / MINUTE;
          const column = (count: number, fill: string) => {
            const height = (HEIGHT * count) / most;
            const x = place * STEP + 1;
            return <rect fill={fill} x={x} y={HEIGHT - height} width={STEP - 2} height={height} />;
          };
          return (
            <g key={minute.at}>
              {column(minute.requests, 'var(--accent)')}
              {column(minute.failures, 'var(--bad)')}
            </g>
          );
        })}
      </svg>
      <p>{summary}</p>
    </figure>
  );
}
