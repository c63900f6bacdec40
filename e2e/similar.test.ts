import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Author, createAuthor, cube } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

let service: RunningService;
let token: string;

/** A bar with a plate at one end, whose parts are listed in the order that is asked for. */
function hammer(scale: number, mirrored: boolean): string {
  const boxes = [
    { from: [-0.05, 0, -0.05], to: [0.05, 1, 0.05] },
    { from: [-0.1, 1, -0.15], to: [0.3, 1.2, 0.15] },
  ];
  const lines: string[] = [];
  for (const [at, { from, to }] of (mirrored ? boxes.toReversed() : boxes).entries()) {
    for (const x of [from[0]!, to[0]!])
      for (const y of [from[1]!, to[1]!])
        for (const z of [from[2]!, to[2]!])
          lines.push(`v ${scale * x * (mirrored ? -1 : 1)} ${scale * y} ${scale * z}`);
    for (const face of ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4']) {
      const corners = face.split(' ').map((corner) => Number(corner) + 8 * at);
      lines.push(`f ${(mirrored ? corners.toReversed() : corners).join(' ')}`);
    }
  }
  return lines.join('\n');
}

beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service.dispose());

/** Returns Ada, who has published a hammer, and in another library the same with a small one for the left hand. */
async function publisher(): Promise<Author> {
  const ada = await Author.create(service, token, {
    'hammer/hammer.obj': hammer(1, false),
    'cube/cube.obj': cube(),
    'note/note.txt': 'no model',
  });
  await ada.push('ada/tools', '--thumbnails');
  await ada.write({ 'small/hammer-left.obj': hammer(0.0254, true) });
  await ada.push('ada/workshop', '--thumbnails');
  return ada;
}

const places = ({ hits }: Record<string, unknown>) =>
  (hits as { namespace: string; library: string; assetId: string; match: string }[]).map(
    ({ namespace, library, assetId, match }) => `${namespace}/${library}/${assetId} ${match}`,
  );

test('a model that was scaled, mirrored and exported again is found as a duplicate in another library', async () => {
  const ada = await publisher();
  const like = (...words: string[]) => ada.run('search', '--like', ...words);
  expect(places(await like('ada/tools/hammer', '--match', 'duplicate'))).toEqual([
    'ada/workshop/small duplicate',
  ]);
  expect(places(await like('ada/tools/hammer', '--match', 'identical'))).toEqual([
    'ada/workshop/hammer identical',
  ]);
  expect(places(await like('ada/tools/hammer', '--library', 'ada/tools', '--match', 'duplicate'))).toEqual(
    [],
  );
});

test('a model and a picture of this machine are compared with everything', async () => {
  const ada = await publisher();
  const like = (...words: string[]) => ada.run('search', '--like', ...words);
  const file = join(ada.home, 'found.obj');
  await writeFile(file, hammer(40, true));
  expect(places(await like(file, '--match', 'duplicate')).toSorted()).toEqual([
    'ada/tools/hammer duplicate',
    'ada/workshop/hammer duplicate',
    'ada/workshop/small duplicate',
  ]);
  const picture = join(ada.home, 'picture.webp');
  await cp(join(await ada.pullAll('ada/tools'), '.bindery/thumbs/hammer.webp'), picture);
  const [first] = places(await like(picture, '--library', 'ada/tools'));
  expect(first).toBe('ada/tools/hammer picture');
});

test('what cannot be compared is said in words', async () => {
  const ada = await publisher();
  const run = (...words: string[]) => bindery(['library', 'search', ...words], { env: ada.env });
  const table = await run('--like', 'ada/tools/hammer');
  expect(table.stdout).toMatch(/ada\/workshop\/hammer +1\.00 +same files/);
  expect((await run('--like', 'ada/tools/note')).stderr).toContain(
    'Push its library again with --thumbnails',
  );
  expect((await run('--like', 'ada/tools')).stderr).toContain('expected an asset, such as ada/tools/mug');
  expect((await run('--like', './none.stl')).stderr).toContain('there is no such file');
  expect((await run('mug', '--like', 'ada/tools/hammer')).stderr).toContain('takes the place of a query');
  await writeFile(join(ada.home, 'broken.glb'), 'no glb');
  const broken = await run('--like', join(ada.home, 'broken.glb'));
  expect(broken).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('cannot be compared') });
});
