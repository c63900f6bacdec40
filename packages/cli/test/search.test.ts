import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderWith } from '../../sdk/test/folder.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { createTerminalUser, type TerminalUser } from './command-line.ts';

let service: TestService;
let ada: TerminalUser;
beforeAll(async () => {
  service = await startService();
  const member = await service.member('ada');
  const person = await createTerminalUser(service.url);
  ada = person.with({ BINDERY_TOKEN: member.headers.authorization?.replace('Bearer ', '') ?? '' });
});
afterAll(async () => {
  await ada.dispose();
  await service.close();
});

/** A robot of links in a row, each on a hinge. */
function chain(name: string, joints: number): string {
  const links = Array.from({ length: joints + 1 }, (_, at) => `<link name="l${at}"/>`);
  const hinges = Array.from(
    { length: joints },
    (_, at) =>
      `<joint name="j${at}" type="continuous"><parent link="l${at}"/><child link="l${at + 1}"/><axis xyz="0 0 1"/></joint>`,
  );
  const shape = '<visual><geometry><box size="1 1 1"/></geometry></visual>';
  return `<robot name="${name}">${links.join('').replace('<link name="l0"/>', `<link name="l0">${shape}</link>`)}${hinges.join('')}</robot>`;
}

async function found(...words: string[]): Promise<string[]> {
  const { stdout } = await ada.run('search', ...words, '--json');
  return JSON.parse(stdout).hits.map(({ assetId }: { assetId: string }) => assetId);
}

test('what is pushed without thumbnails is measured, and found by what it measures', async () => {
  const folder = folderWith({ 'seven/seven.urdf': chain('seven', 7), 'two/two.urdf': chain('two', 2) });
  const planned = await ada.run('library', 'push', folder, 'ada/chains', '--dry-run');
  expect(planned.stderr).toContain('2 assets to measure.');
  expect(await ada.run('library', 'push', folder, 'ada/chains')).toMatchObject({ code: 0 });
  expect(await found('', '--joints', '7')).toEqual(['seven']);
  expect(
    await found('seven with 7 degrees of freedom', '--library', 'ada/chains', '--rank', 'relevance'),
  ).toEqual(['seven']);
  const again = await ada.run('library', 'push', folder, 'ada/chains');
  expect(again.stdout).toContain('up to date');
});

test('words that the specified order cannot see are searched by relevance, which is said', async () => {
  const folder = folderWith({
    'arm/arm.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
    'bindery.yml': 'assets: {arm: {title: 协作机器人手臂}}',
  });
  expect(await ada.run('library', 'push', folder, 'ada/cjk')).toMatchObject({ code: 0 });
  const inLibrary = await ada.run('library', 'search', '机器人', '--library', 'ada/cjk');
  expect(inLibrary).toMatchObject({ code: 0, stdout: expect.stringContaining('ada/cjk/arm') });
  expect(inLibrary.stderr).toContain('Searched by relevance');
  expect(await found('机器人', '--library', 'ada/cjk')).toEqual(['arm']);
  expect(await found('机器人', '--library', 'ada/cjk', '--rank', 'specified')).toEqual([]);
  expect((await ada.run('search', 'arm', '--library', 'ada/cjk')).stderr).not.toContain('relevance');
});
