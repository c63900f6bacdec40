import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createThumbnailPool, memoryFiles, RENDERER_VERSION } from '../src/index.ts';
import { goldenModels } from './models/golden.ts';
import { everySample } from './models/samples.ts';

/** Writes the record anew, but never other pictures under the same version. */
const UPDATE = process.env.UPDATE_GOLDEN === '1';
const RECORD = new URL('golden/digests.json', import.meta.url);

interface Drawn {
  version: string;
  /** A digest of the encoded picture by the name of the model. */
  pictures: Record<string, string>;
}

test('RENDERER_VERSION changes whenever the rendered pictures change', { timeout: 240_000 }, async () => {
  const recorded = JSON.parse(await readFile(RECORD, 'utf8')) as Drawn;
  const drawn = await drawAll();
  const changed = Object.keys(recorded.pictures).filter(
    (name) => drawn.pictures[name] !== recorded.pictures[name],
  );
  if (drawn.version === recorded.version) {
    expect(changed, 'pictures that changed: count up RENDERER_VERSION, then UPDATE_GOLDEN=1').toEqual([]);
  }
  if (UPDATE) await writeFile(RECORD, `${JSON.stringify(drawn, null, 2)}\n`);
  else expect(drawn, 'the record: UPDATE_GOLDEN=1 writes it anew').toEqual(recorded);
});

/** In processes of their own: where a picture is drawn does not matter. */
async function drawAll(): Promise<Drawn> {
  await using pool = createThumbnailPool({ workers: 2, timeoutMs: 60_000, memoryMiB: 2048 });
  const models = [...(await goldenModels()), ...(await everySample())];
  const pictures = await Promise.all(
    models.map(async ({ name, kind, entry, files }) => {
      const thumbnail = await pool.render({ kind, entry, files: memoryFiles(files) });
      if (!('webp' in thumbnail)) throw new Error(`${name}: ${thumbnail.warning}`);
      return [`${name}, ${kind}`, hash('sha256', thumbnail.webp).slice(0, 16)] as const;
    }),
  );
  return { version: RENDERER_VERSION, pictures: Object.fromEntries(pictures) };
}
