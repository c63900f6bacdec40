import type { HealthReport, ModelReport, StorageReport } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../../format-quantities.ts';
import { formatDate } from '../../format.ts';
import {
  adminMessages,
  allNamespacesMessages,
  healthMessages,
  modelsMessages,
  storageMessages,
} from '../../messages/admin.ts';
import { Card, Fact, Pair } from '../../parts/card.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { queryOf } from '../../session.ts';
import { ActivityChart } from './activity-chart.tsx';
import styles from './admin.module.css';
import { AdminFrame, LargestLibraries } from './admin-frame.tsx';
import { StorageChart } from './storage-chart.tsx';

const healthQuery = queryOf(['admin', 'health'], routes.admin.getHealth, {});
const storageQuery = queryOf(['admin', 'storage'], routes.admin.getStorage, {});
const modelsQuery = queryOf(['admin', 'models'], routes.admin.getModels, {});

/** The state of the service: health, storage, models. */
export function OverviewPage() {
  return (
    <AdminFrame title={adminMessages.overview}>
      <Loaded query={healthQuery}>{(health) => <Health health={health} />}</Loaded>
      <Loaded query={storageQuery}>{(storage) => <Storage storage={storage} />}</Loaded>
      <Loaded query={modelsQuery}>{(models) => <Models models={models} />}</Loaded>
    </AdminFrame>
  );
}

function Health({ health }: { health: HealthReport }) {
  const text = healthMessages;
  const { status, problems, version, node, database, startedAt, memoryBytes, transferred } = health;
  return (
    <Card title={text.title}>
      <p className={status === 'ready' ? 'good' : 'bad'}>
        <strong>{text[status]}</strong>
      </p>
      {problems.map((problem) => (
        <p key={problem} role="alert" className="alert">
          {problem}
        </p>
      ))}
      <dl className={styles.facts} aria-label={text.facts}>
        <Fact name={text.version} value={version} />
        <Fact name={text.node} value={node} />
        <Fact name={text.database} value={`${database.kind}, ${database.schema}`} />
        <Fact name={text.started} value={formatDate(startedAt)} />
        <Fact name={text.memory} value={formatBytes(memoryBytes)} />
        <Fact name={text.transferred} value={text.amounts(transferred.bytesIn, transferred.bytesOut)} />
      </dl>
      <ActivityChart minutes={health.lastHour} />
      <p className="detail">{text.ofProcess}</p>
    </Card>
  );
}

function Storage({ storage }: { storage: StorageReport }) {
  const text = storageMessages;
  const { active, disk, damagedObjects, pendingObjects } = storage;
  return (
    <Card title={text.title}>
      <p>{text.amount(active.libraries, active.files, active.bytes)}</p>
      {disk === null ? <p>{text.noDisk}</p> : <StorageChart report={storage} disk={disk} />}
      <p className="detail">{damagedObjects === 0 ? text.sound : text.damaged(damagedObjects)}</p>
      {pendingObjects > 0 && <p className="detail">{text.pending(pendingObjects)}</p>}
      <h3>{allNamespacesMessages.largest}</h3>
      <LargestLibraries libraries={storage.largest} />
      <p>
        <Link to="/-/admin/namespaces">{allNamespacesMessages.title}</Link>
      </p>
    </Card>
  );
}

function Models({ models: { active, configured, libraries } }: { models: ModelReport }) {
  const text = modelsMessages;
  return (
    <Card title={text.title}>
      <p>{active === null ? text.none : text.active(active)}</p>
      {configured !== null && configured !== active && <p>{text.configured(configured)}</p>}
      {libraries.length > 0 && (
        <>
          <h3>{text.withVectors}</h3>
          <ul className="list">
            {libraries.map(({ model, libraries, assets }) => (
              <Pair
                key={model ?? ''}
                name={<span>{model ?? text.noVectors}</span>}
                value={text.amount(libraries, assets)}
              />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}
