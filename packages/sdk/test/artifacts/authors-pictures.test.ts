import { expect, test } from 'vitest';
import { drawThumbnails } from '../../src/artifacts/draw-thumbnails.ts';
import { largePictures, type ThumbnailRenderer, withoutPictures } from '../../src/artifacts/thumbnails.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { buildManifest } from '../../src/push/source.ts';
import { hashFile } from '../../src/tree/hash-file.ts';
import { OBJ } from '../discovery/models.ts';
import { folderWith, temporaryFolder } from '../folder.ts';

const LARGE = 'x'.repeat(100_000);

/** What is asked of a renderer for a folder, and the thumbnails that its assets show then. */
async function pushed(files: Record<string, string>, refuses: (entry: string) => boolean = () => false) {
  const found = discoverLibrary(folderWith(files));
  const hashes = new Map(
    found.assets.flatMap((asset) =>
      asset.files.map(({ path }) => {
        const hashed = hashFile(`${found.root}/${path}`, 'r', () => {});
        return [path, hashed !== null && 'sha256' in hashed ? hashed.sha256 : ''] as const;
      }),
    ),
  );
  const pictures = largePictures(found);
  const { assets } = withoutPictures(buildManifest(found, hashes), pictures);
  const asked: string[] = [];
  const renderer: ThumbnailRenderer = {
    version: '1',
    concurrency: 1,
    render: async ({ kind, entry }) => {
      asked.push(`${kind} ${entry}`);
      return refuses(entry) ? { warning: 'the image cannot be read' } : { webp: new Uint8Array([1]) };
    },
    measure: async () => ({}),
    close: async () => {},
  };
  const options = { cacheFolder: temporaryFolder(), pictures };
  const plan = await drawThumbnails(assets, found.root, renderer, { ...options, dryRun: true });
  const { sources, report } = await drawThumbnails(assets, found.root, renderer, options);
  const { report: again } = await drawThumbnails(assets, found.root, renderer, options);
  const shown = assets.map(({ id, thumbnail }) => [id, sources.get(id)?.path ?? thumbnail]);
  return { asked, plan, report, again, shown: Object.fromEntries(shown) };
}

test("an author's large preview image is scaled down once, and its model is not rendered", async () => {
  const { asked, shown } = await pushed({ 'arm/arm.obj': OBJ, 'arm/preview.png': LARGE, 'leg/leg.obj': OBJ });
  expect(asked).toEqual(['image arm/preview.png', 'mesh leg/leg.obj']);
  expect(shown).toEqual({ arm: '.bindery/thumbs/arm.webp', leg: '.bindery/thumbs/leg.webp' });
});

test('scaled-down images are counted separately from rendered models, also on a second run', async () => {
  const { report, again } = await pushed({
    'arm/arm.obj': OBJ,
    'arm/preview.png': LARGE,
    'leg/leg.obj': OBJ,
  });
  expect(report).toMatchObject({ authored: 0, resized: 1, rendered: 1, cached: 0 });
  expect(again).toMatchObject({ authored: 0, resized: 1, rendered: 0, cached: 1 });
});

test('a dry run counts images to scale down, models to render and thumbnails still pending', async () => {
  const { plan } = await pushed({ 'arm/arm.obj': OBJ, 'arm/preview.png': LARGE, 'leg/leg.obj': OBJ });
  expect(plan).toMatchObject({ pending: 2, report: { resized: 1, rendered: 1, cached: 0 } });
});

test('a small preview image, and one named in bindery.yml, are used unchanged', async () => {
  const { asked, shown, report } = await pushed({
    'arm/arm.obj': OBJ,
    'arm/preview.png': 'small',
    'leg/leg.obj': OBJ,
    'leg/preview.png': LARGE,
    'bindery.yml': 'assets: {leg: {thumbnail: leg/preview.png}}',
  });
  expect(asked).toEqual([]);
  expect(report.authored).toBe(2);
  expect(shown).toEqual({ arm: 'arm/preview.png', leg: 'leg/preview.png' });
});

test('if the large preview image is unreadable, the model is rendered and counted as rendered', async () => {
  const { asked, shown, report, again } = await pushed(
    { 'arm/arm.obj': OBJ, 'arm/preview.png': LARGE },
    (entry) => entry.endsWith('.png'),
  );
  expect(asked).toEqual(['image arm/preview.png', 'mesh arm/arm.obj']);
  expect(shown).toEqual({ arm: '.bindery/thumbs/arm.webp' });
  expect(report).toMatchObject({ resized: 0, rendered: 1, cached: 0 });
  expect(again).toMatchObject({ resized: 0, rendered: 0, cached: 1 });
});
