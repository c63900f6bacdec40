import { hash } from 'node:crypto';
import {
  LIMITS,
  MANIFEST_SCHEMA,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  VECTORS_SCHEMA,
} from '@bindery/contract';
import { fillCollaboration } from './collaboration.ts';
import { DIMENSIONS, generateLibrary, generateMatrix } from './generated-vectors.ts';
import { seedCopy, seedDataFolder, seedLibrary, seedListed } from './seed.ts';

const FILES = 20_000;
const ASSETS = 50_000;
/** Only some assets have vectors, because the cost of a scan is not measured here. */
const VECTORS = 2_000;
/** The libraries with vectors. */
export const SEARCHED = Array.from({ length: 50 }, (_, number) => `library-${number}`);
const COLLABORATION = {
  namespaces: 10,
  projects: 2_000,
  notes: 1_000,
  nodes: 3_000,
  bindrs: 2_000,
  grants: 2_000,
};

/** Fills a data folder with what is expensive to read, whose vectors are of the given model; returns a token. Takes a minute or two, and 5 GB. */
export function fillMeasured(dataDir: string, model: string): Promise<string> {
  return seedDataFolder(dataDir, async (seeding) => {
    const seed = (name: string, manifest: Buffer, registeredAgain = false) =>
      seedLibrary(seeding, { name, manifest, visibility: 'private', registeredAgain });
    await seed(
      'largest',
      generateManifest(() => 0),
      true,
    );
    const textures = Array.from({ length: FILES }, (_, number) => `textures/${number}.png`);
    const files = textures.map((path, size) => ({ path, size, sha256: size.toString(16).padStart(64, '0') }));
    await seed('many-files', manifestOf({ files }));
    await seed('many-artifacts', manifestOf({ files: files.slice(0, 1) }));

    const [first = '', ...others] = SEARCHED;
    const { manifest } = generateLibrary(ASSETS, model);
    const items = manifest.assets.slice(0, VECTORS).map(({ id }, row) => ({ id, image: row, text: null }));
    const document = { schema: VECTORS_SCHEMA, model: model, dim: DIMENSIONS, items };
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
    await seedListed(seeding, 'many-artifacts', 450);
    await fillCollaboration(seeding.context.db, COLLABORATION, seeding.accountId);
    return seeding.token;
  });
}

/** A manifest with one asset. */
export function manifestOf({ files, generated = [] }: { files: object[]; generated?: string[] }): Buffer {
  return Buffer.from(JSON.stringify({ schema: MANIFEST_SCHEMA, generated, assets: [{ id: 'all', files }] }));
}

/** One file of the generated tree: its path depends on its number, its content on number and generation. */
export interface GeneratedFile {
  path: string;
  content: Buffer;
  sha256: string;
}

const GENERATED_ASSETS = LIMITS.manifest.assets;
const FILES_PER_ASSET = 18;

/** The number of files of the largest manifest. */
export const FILE_COUNT = GENERATED_ASSETS * FILES_PER_ASSET;

export function generateFile(number: number, generation: number): GeneratedFile {
  const asset = Math.floor(number / FILES_PER_ASSET);
  const content = Buffer.from(`${number}:${generation}`);
  return {
    path: `a${asset}/f${number % FILES_PER_ASSET}.o`,
    content,
    sha256: hash('sha256', content),
  };
}

/**
 * Generates a manifest of 50,000 assets and 900,000 files, close to 100 MiB. `generationOf` determines each file's
 * content, and thereby in how many files two manifests differ.
 */
export function generateManifest(generationOf: (number: number) => number): Buffer {
  const chunks: string[] = [`{"schema":"${MANIFEST_SCHEMA}","library":{"title":"Largest"},"assets":[`];
  for (let asset = 0; asset < GENERATED_ASSETS; asset++) {
    const files: string[] = [];
    for (let file = 0; file < FILES_PER_ASSET; file++) {
      const number = asset * FILES_PER_ASSET + file;
      const { path, content, sha256 } = generateFile(number, generationOf(number));
      files.push(`{"path":"${path}","size":${content.length},"sha256":"${sha256}"}`);
    }
    const card = `"id":"a${asset}","title":"Asset ${asset}","kind":"mesh","tags":["t${asset % 97}"]`;
    chunks.push(`${asset > 0 ? ',' : ''}{${card},"files":[${files.join(',')}]}`);
  }
  chunks.push(']}');
  return Buffer.from(chunks.join(''));
}
