import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_SCHEMA, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH, VECTORS_SCHEMA } from '@bindery/contract';
import { SMALL_MODEL, writeSmallModel } from '../../packages/encoder/src/small-model/index.ts';
import type { Database } from '../../packages/server/src/database/schema.ts';
import { buildWorld } from '../collaboration/world.ts';
import { generateManifest } from '../large-manifest.ts';
import { OWNER, type Seeding, seedCopy, seedDataFolder, seedLibrary } from '../seed.ts';
import { DIMENSIONS, generateLibrary, generateMatrix } from '../vectors/corpus.ts';

/** The path of the seeded libraries. */
export const LIBRARIES = `/namespaces/${OWNER}/libraries`;

export const LARGEST = 'largest';
export const MANY_FILES = { name: 'many-files', asset: 'all', files: 20_000 };
export const MANY_ARTIFACTS = { name: 'many-artifacts', artifacts: 60_000 };
export const SEARCHED = Array.from({ length: 50 }, (_, number) => `library-${number}`);
export const ASSETS = 50_000;
/** Only some assets have vectors, because the cost of a scan is not measured here. */
const VECTORS = 2_000;
const LISTED = 450;
const ABANDONED = 500_000;

/** The data folder that all work uses. */
export interface World {
  dataDir: string;
  models: string;
  token: string;
}

/** Fills a folder unless it is already filled. Takes a minute or two, and 5 GB. */
export async function openWorld(folder: string): Promise<World> {
  const dataDir = join(folder, 'data');
  const models = join(folder, 'models');
  const tokenFile = join(folder, 'token');
  if (!existsSync(tokenFile)) {
    await mkdir(dataDir, { recursive: true });
    await writeSmallModel(models);
    writeFileSync(tokenFile, await seedDataFolder(dataDir, fill));
  }
  return { dataDir, models, token: readFileSync(tokenFile, 'utf8') };
}

async function fill(seeding: Seeding): Promise<string> {
  await seedLibrary(seeding, {
    name: LARGEST,
    manifest: generateManifest(() => 0),
    artifacts: [],
    visibility: 'private',
    registeredAgain: true,
  });
  await seedPlain(seeding, MANY_FILES.name, manifestOfManyFiles());
  await seedPlain(seeding, MANY_ARTIFACTS.name, manifestOfManyArtifacts([]));
  await seedSearched(seeding);
  await seedListed(seeding);
  await buildWorld(seeding.parts.db, SMALL_WORLD, seeding.accountId);
  return seeding.token;
}

const SMALL_WORLD = {
  namespaces: 10,
  projects: 2_000,
  notes: 1_000,
  nodes: 3_000,
  bindrs: 2_000,
  grants: 2_000,
};

function seedPlain(seeding: Seeding, name: string, manifest: Buffer) {
  return seedLibrary(seeding, { name, manifest, artifacts: [], visibility: 'private' });
}

function manifestOfManyFiles(): Buffer {
  const files = Array.from({ length: MANY_FILES.files }, (_, number) => ({
    path: `textures/${number}.png`,
    size: number,
    sha256: number.toString(16).padStart(64, '0'),
  }));
  return Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, assets: [{ id: MANY_FILES.asset, files }] }));
}

/** A manifest with one asset and generated files. */
export function manifestOfManyArtifacts(generated: readonly string[]): Buffer {
  const files = [{ path: 'a.stl', size: 1, sha256: '0'.repeat(64) }];
  return Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, generated, assets: [{ id: 'a', files }] }));
}

async function seedSearched(seeding: Seeding): Promise<void> {
  const [first = '', ...others] = SEARCHED;
  const { manifest } = generateLibrary(ASSETS, SMALL_MODEL);
  const items = manifest.assets.slice(0, VECTORS).map(({ id }, row) => ({ id, image: row, text: null }));
  const document = { schema: VECTORS_SCHEMA, model: SMALL_MODEL, dim: DIMENSIONS, items };
  const original = await seedLibrary(seeding, {
    name: first,
    manifest: Buffer.from(JSON.stringify(manifest)),
    artifacts: [
      { path: VECTORS_INDEX_PATH, bytes: Buffer.from(JSON.stringify(document)) },
      { path: VECTORS_MATRIX_PATH, bytes: new Uint8Array(generateMatrix(VECTORS).buffer) },
    ],
    visibility: 'public',
  });
  for (const name of others) await seedCopy(seeding, original, name);
}

/** Inserts rows for long lists: copies of one library's row, each with categories, kinds and licences. */
async function seedListed({ parts: { db } }: Seeding): Promise<void> {
  const row = await db
    .selectFrom('libraries')
    .selectAll()
    .where('name', '=', MANY_ARTIFACTS.name)
    .executeTakeFirstOrThrow();
  const words = JSON.stringify(Array.from({ length: 100 }, (_, number) => `a category or so ${number}`));
  for (let number = 0; number < LISTED; number++) {
    const own = { id: `listed-${number}`, store_id: `listed-${number}`, name: `listed-${number}` };
    const text = { title: `Listed ${number}`, description: 'A library in a long list. '.repeat(10) };
    const lists = { tags: words, categories: words, kinds: words, licenses: words };
    await db
      .insertInto('libraries')
      .values({ ...row, ...own, ...text, ...lists, cover_sha256: '0'.repeat(64), cover_path: 'cover.webp' })
      .execute();
  }
}

/** Inserts rows of uploads that have not been registered for days. */
export async function seedAbandoned(db: Database): Promise<void> {
  const batch = 1_000;
  for (let start = 0; start < ABANDONED; start += batch) {
    const receipts = Array.from({ length: batch }, (_, at) => ({
      store_id: 'abandoned',
      path: `meshes/part-${start + at}.stl`,
      sha256: '0'.repeat(64),
      size: 1,
      number: start + at,
      received_at: start + at,
    }));
    await db.insertInto('upload_receipts').values(receipts).execute();
  }
}
