import { benchCheck } from './check.ts';
import { benchOverPostgres, benchOverSqlite, type CollaborationRow } from './collaboration/collaboration.ts';
import { benchViewers } from './dashboard.ts';
import { benchPages } from './dashboard-pages.ts';
import { benchDiscovery } from './discovery.ts';
import { benchDistant } from './distant.ts';
import { benchHidden } from './hidden.ts';
import { benchLoop } from './loop.ts';
import { benchRegister } from './register.ts';
import { benchRelevance } from './relevance.ts';
import { benchRender } from './render.ts';
import { benchReplicas } from './replicas.ts';
import { type BenchmarkRow, table } from './results-table.ts';
import { benchSearch } from './search.ts';
import { benchStart } from './start.ts';
import { benchSync } from './sync.ts';
import { benchLargeFile, benchRobots, benchSmallFiles } from './transfer.ts';
import { benchBucket } from './transfer-s3.ts';
import { benchVectors } from './vectors.ts';

const SEARCH_TARGET = 3;

/** The benchmarks, selected by name or the part before the hyphen: `npm run bench -- start transfer`. */
const BENCHES: Record<string, () => Promise<BenchmarkRow[]>> = {
  start: benchStart,
  'transfer-small': () => benchSmallFiles(),
  'transfer-robots': () => benchRobots(),
  'transfer-large': () => benchLargeFile(),
  'transfer-s3': () => benchBucket(),
  distant: benchDistant,
  sync: () => benchSync(),
  search,
  relevance: benchRelevance,
  vectors: () => benchVectors(),
  register,
  replicas: benchReplicas,
  loop: () => benchLoop(),
  'collaboration-sqlite': async () => collaboration(await benchOverSqlite()),
  'collaboration-postgres': async () => collaboration(await benchOverPostgres()),
  hidden: () => benchHidden(),
  discovery: benchDiscovery,
  check: benchCheck,
  render: benchRender,
  'dashboard-pages': benchPages,
  'dashboard-viewers': benchViewers,
};

const chosen = process.argv.slice(2);
const chooses = (choice: string, name: string) => name === choice || name.startsWith(`${choice}-`);
const unknown = chosen.filter((choice) => !Object.keys(BENCHES).some((name) => chooses(choice, name)));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.\n`,
  );
  process.exit(2);
}
const rows: BenchmarkRow[] = [];
for (const [name, bench] of Object.entries(BENCHES)) {
  if (chosen.length > 0 && !chosen.some((choice) => chooses(choice, name))) continue;
  process.stderr.write(`${name} …\n`);
  rows.push(...(await bench()));
}
process.stdout.write(`${table(rows)}\n`);
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;

async function search(): Promise<BenchmarkRow[]> {
  const [bindery, ...peers] = await benchSearch();
  if (!bindery) throw new Error('The search bench measured nothing.');
  return peers.flatMap((peer) =>
    (['p50', 'p99'] as const).map((percentile) => {
      const ratio = peer[percentile] / bindery[percentile];
      return {
        work: `keyword search, 50,000 assets, 50 hits, ${percentile}`,
        bindery: `${bindery[percentile].toFixed(2)} ms`,
        peer: `${peer.name} ${peer[percentile].toFixed(2)} ms`,
        ratio: `${ratio.toFixed(1)} × faster`,
        target: `${SEARCH_TARGET} × faster`,
        met: ratio >= SEARCH_TARGET,
      };
    }),
  );
}

async function register(): Promise<BenchmarkRow[]> {
  const { manifestMebibytes, files, newFiles, seconds, others, peakMebibytes } = await benchRegister();
  const what = `register ${files.toLocaleString('en')} files (${Math.round(manifestMebibytes)} MiB, ${newFiles.toLocaleString('en')} new)`;
  const row = (work: string, value: number, limit: number, unit: string): BenchmarkRow => ({
    work,
    bindery: `${Math.round(value * 10) / 10} ${unit}`,
    peer: '',
    ratio: '',
    target: `${limit} ${unit}`,
    met: value <= limit,
  });
  return [
    row(what, seconds, 10, 's'),
    row('other requests meanwhile, p99', others.p99, 50, 'ms'),
    row('memory of the service, peak', peakMebibytes, 1_536, 'MiB'),
  ];
}

function collaboration(measured: readonly CollaborationRow[]): BenchmarkRow[] {
  return measured.map(({ database, work, target, result, met }) => ({
    work: `${work} (${database})`,
    bindery: result,
    peer: '',
    ratio: '',
    target,
    met,
  }));
}
