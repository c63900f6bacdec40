import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { formatDate } from '../../format.ts';
import { adminMessages } from '../../messages/admin.ts';
import { Card } from '../../parts/card.tsx';
import form from '../../parts/form.module.css';
import { FailureNotice } from '../../parts/notices.tsx';
import { ActivityChart } from './activity-chart.tsx';
import styles from './admin.module.css';
import { AdminFrame, healthQuery, LargestLibraries, modelsQuery, storageQuery } from './admin-frame.tsx';
import { StorageChart } from './storage-chart.tsx';

/** The state of the service: health, storage, models. */
export function OverviewPage() {
  return (
    <AdminFrame title={adminMessages.overview}>
      <Health />
      <Storage />
      <Models />
    </AdminFrame>
  );
}

function Health() {
  const { data, error, refetch } = useQuery(healthQuery);
  const text = adminMessages.health;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  const { status, problems, database, transferred } = data;
  const facts: [string, string][] = [
    [text.version, data.version],
    [text.node, data.node],
    [text.database, `${database.kind}, ${database.schema}`],
    [text.started, formatDate(data.startedAt)],
    [text.memory, formatBytes(data.memoryBytes)],
    [text.transferred, text.amounts(transferred.bytesIn, transferred.bytesOut)],
  ];
  return (
    <Card title={text.title}>
      <p className={status === 'ready' ? styles.ready : styles.failing}>{text[status]}</p>
      {problems.map((problem) => (
        <p key={problem} role="alert" className={form.alert}>
          {problem}
        </p>
      ))}
      <dl className={styles.facts} aria-label={text.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ActivityChart minutes={data.lastHour} />
      <p className={form.soft}>{text.ofProcess}</p>
    </Card>
  );
}

function Storage() {
  const { data, error, refetch } = useQuery(storageQuery);
  const text = adminMessages.storage;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  const { active, disk, damagedObjects, pendingObjects } = data;
  return (
    <Card title={text.title}>
      <p>{text.amount(active.libraries, active.files, active.bytes)}</p>
      {disk === null ? <p>{text.noDisk}</p> : <StorageChart report={data} disk={disk} />}
      <p className={form.soft}>{damagedObjects === 0 ? text.sound : text.damaged(damagedObjects)}</p>
      {pendingObjects > 0 && <p className={form.soft}>{text.pending(pendingObjects)}</p>}
      <h3>{adminMessages.namespaces.largest}</h3>
      <LargestLibraries libraries={data.largest} />
      <p>
        <Link to="/-/admin/namespaces">{adminMessages.namespaces.title}</Link>
      </p>
    </Card>
  );
}

function Models() {
  const { data, error, refetch } = useQuery(modelsQuery);
  const text = adminMessages.models;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (!data) return null;
  const { active, configured, libraries } = data;
  return (
    <Card title={text.title}>
      <p>{active === null ? text.none : text.active(active)}</p>
      {configured !== null && configured !== active && <p>{text.configured(configured)}</p>}
      {libraries.length > 0 && (
        <>
          <h3>{text.withVectors}</h3>
          <ul className={form.list}>
            {libraries.map(({ model, libraries, assets }) => (
              <li key={model ?? ''}>
                <span>{model ?? text.noVectors}</span>
                <span className={form.soft}>{text.amount(libraries, assets)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
