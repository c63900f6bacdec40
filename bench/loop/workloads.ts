import { SMALL_MODEL } from '@bindery/encoder/small-model';
import { openSqlite } from '../../packages/server/src/adapters/database/sqlite.ts';
import { dataFolderLayout } from '../../packages/server/src/service/data-folder.ts';
import { OWNER } from '../seed.ts';
import { bodyWorkloads } from './body-workloads.ts';
import type { Workload } from './workload.ts';
import { LARGEST, LIBRARIES, MANY_FILES, SEARCHED, seedAbandoned } from './world.ts';

function get(path: string, headers?: object): Workload['prepare'] {
  return async (service) => () => service.send('GET', path, { headers });
}

const SMALL_CACHE = { BINDERY_INDEX_CACHE_MIB: '1' };

const readWorkloads: Workload[] = [
  { name: 'nothing', prepare: async () => () => new Promise((resolve) => setTimeout(resolve, 50)) },
  { name: 'a small answer (/healthz)', prepare: get('/healthz') },
  { name: 'the description of the interface (/openapi.json)', prepare: get('/openapi.json') },
  {
    name: 'opening the index of 900,000 files',
    environment: SMALL_CACHE,
    prepare: get(`${LIBRARIES}/${LARGEST}/assets/a1`),
  },
  { name: 'a manifest of 100 MiB', times: 5, prepare: get(`${LIBRARIES}/${LARGEST}/manifest`) },
  {
    name: 'a manifest of 100 MiB, compressed',
    times: 2,
    prepare: get(`${LIBRARIES}/${LARGEST}/manifest`, { 'accept-encoding': 'br' }),
  },
  {
    name: `an asset of ${MANY_FILES.files.toLocaleString('en')} files`,
    prepare: get(`${LIBRARIES}/${MANY_FILES.name}/assets/${MANY_FILES.asset}`),
  },
  { name: 'a list of 500 libraries', prepare: get('/libraries?limit=500') },
  {
    name: 'a list of 500 libraries, compressed',
    prepare: get('/libraries?limit=500', { 'accept-encoding': 'gzip' }),
  },
];

const removal: Workload = {
  name: 'removing 500,000 abandoned uploads',
  times: 0,
  async seed({ dataDir }) {
    const db = openSqlite(dataFolderLayout(dataDir).databaseFile);
    await seedAbandoned(db);
    await db.destroy();
  },
  prepare: async (service) => () => service.sendCommand('remove-abandoned'),
};

const [SEARCHED_ONE = ''] = SEARCHED;
const ALL_SEARCHED = SEARCHED.map((name) => `${OWNER}/${name}`).join(',');

/** As many different words as fit into the longest query, each a prefix of another word. */
const MANY_WORDS = [...'abcdefghijklmnopqrstuvwxyz0123456789']
  .flatMap((letter) => [letter, `a${letter}`, `r${letter}`, `0${letter}`])
  .join(' ')
  .slice(0, 500);

const searches: Workload[] = [
  { name: 'keyword', q: 'red chair' },
  { name: 'keyword (a letter that every asset has)', q: 'a' },
  { name: 'keyword (150 words)', q: MANY_WORDS },
  { name: 'browsing', q: '' },
  { name: 'fused', q: 'red chair', environment: { BINDERY_ENCODER: SMALL_MODEL } },
].flatMap(({ name, q, environment = {} }): Workload[] => {
  const one = new URLSearchParams({ q, limit: '200', explain: 'true' });
  const all = new URLSearchParams({ q, limit: '200', explain: 'true', libraries: ALL_SEARCHED });
  return [
    {
      name: `${name} search of 50,000 assets`,
      environment,
      prepare: get(`${LIBRARIES}/${SEARCHED_ONE}/search?${one}`),
    },
    {
      name: `${name} search of 50 × 50,000 assets`,
      times: 10,
      environment,
      prepare: get(`/library-search?${all}`),
    },
  ];
});

/** All requests known to be expensive. */
export const WORKLOADS: Workload[] = [...readWorkloads, ...bodyWorkloads, ...searches, removal];
