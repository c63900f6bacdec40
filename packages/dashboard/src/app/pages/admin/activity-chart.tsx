import type { MinuteOfWork } from '@bindery/contract';
import { useId } from 'react';
import { adminMessages } from '../../messages/admin.ts';
import styles from './admin.module.css';

const MINUTE = 60_000;
const MINUTES = 60;
const STEP = 10;
const HEIGHT = 100;

/** The requests of the last hour, one column per minute, with the failed ones at its foot. */
export function ActivityChart({ minutes }: { minutes: readonly MinuteOfWork[] }) {
  const title = useId();
  const text = adminMessages.health;
  const requests = minutes.reduce((sum, minute) => sum + minute.requests, 0);
  const failures = minutes.reduce((sum, minute) => sum + minute.failures, 0);
  const milliseconds = minutes.reduce(
    (sum, { requests, meanMilliseconds }) => sum + requests * meanMilliseconds,
    0,
  );
  const summary = text.summary(requests, failures, requests === 0 ? 0 : milliseconds / requests);
  const most = Math.max(1, ...minutes.map((minute) => minute.requests));
  const last = Math.max(...minutes.map(({ at }) => Date.parse(at)), 0);
  return (
    <figure>
      <figcaption>{text.requests}</figcaption>
      <svg
        viewBox={`0 0 ${MINUTES * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={`${styles.picture} ${styles.minutes}`}
        role="img"
        aria-labelledby={title}
      >
        <title id={title}>{`${text.requests}: ${summary}`}</title>
        <rect className={styles.ground} width={MINUTES * STEP} height={HEIGHT} />
        {minutes.map((minute) => {
          const place = MINUTES - 1 - (last - Date.parse(minute.at)) / MINUTE;
          const height = (HEIGHT * minute.requests) / most;
          const failed = (HEIGHT * minute.failures) / most;
          return (
            <g key={minute.at}>
              <rect
                className={styles.libraries}
                x={place * STEP + 1}
                y={HEIGHT - height}
                width={STEP - 2}
                height={height}
              />
              <rect
                className={styles.failures}
                x={place * STEP + 1}
                y={HEIGHT - failed}
                width={STEP - 2}
                height={failed}
              />
            </g>
          );
        })}
      </svg>
      <p>{summary}</p>
    </figure>
  );
}
