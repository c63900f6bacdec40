import { spawn } from 'node:child_process';
import type { SearchHit } from '@bindery/contract';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../../../server/test/actor.ts';
import { publish } from '../../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../../server/test/service.ts';
import { BINDERY, createTerminalUser, type TerminalUser, waitForExit } from '../command-line.ts';
import { readKitty } from './parse.ts';

const RED = { r: 200, g: 30, b: 40 };

let service: TestService;
let ada: TerminalUser;
beforeAll(async () => {
  service = await startService();
  const member = await service.member('ada');
  const red = await sharp({ create: { width: 400, height: 300, channels: 3, background: RED } })
    .png()
    .toBuffer();
  const [picture, broken] = ['.bindery/thumbs/mug.png', '.bindery/thumbs/jug.png'];
  await publish(member, 'ada/kitchen', {
    assets: [
      { id: 'mug', title: 'A mug', thumbnail: picture, files: { 'mug/a.stl': 'a' } },
      { id: 'jug', title: 'A jug', thumbnail: broken, files: { 'jug/a.stl': 'b' } },
      { id: 'cup', title: 'A cup', files: { 'cup/a.stl': 'c' } },
    ],
    generated: { [picture]: red, [broken]: '\u001b]0;owned\u0007' },
  });
  await makeSmall(member);
  ada = (await createTerminalUser(service.url)).with({
    BINDERY_TOKEN: member.headers.authorization?.replace('Bearer ', '') ?? '',
    TERM: 'xterm-kitty',
    SHELL: '/bin/sh',
  });
});
afterAll(async () => {
  await ada.dispose();
  await service.close();
});

/** Has the service make the small pictures now, so that no test depends on how long that takes. */
async function makeSmall(member: Actor): Promise<void> {
  const { body } = await member.get<{ hits: SearchHit[] }>(
    '/namespaces/ada/libraries/kitchen/search?srcset=true',
  );
  const answers = body.hits.flatMap(({ assetId, thumbnailSrcset }) => {
    const [url] = thumbnailSrcset?.split(' ') ?? [];
    return url ? [fetch(url).then(({ status }) => `${assetId} ${status}`)] : [];
  });
  expect((await Promise.all(answers)).sort()).toEqual(['jug 404', 'mug 200']);
}

/** Types a command on a terminal, which util-linux's `script` makes. */
function onTerminal(person: TerminalUser, ...words: string[]) {
  const line = [process.execPath, BINDERY, ...words].map((word) => `'${word}'`).join(' ');
  const command = `stty cols 100 rows 30 -onlcr; exec ${line}`;
  return waitForExit(
    spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env: person.environment }),
  );
}

const SEARCH = ['library', 'search', '', '--library', 'ada/kitchen'];

test('on a terminal with graphics, a thumbnail is printed above its hit and all other output is unchanged', async () => {
  const { code, stdout } = await onTerminal(ada, ...SEARCH);
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  const mug = lines.findIndex((line) => line.startsWith('ada/kitchen/mug'));
  const { width, height, pixels } = readKitty(lines[mug - 1] ?? '');
  expect([width, height]).toEqual([160, 120]);
  for (const [at, part] of [RED.r, RED.g, RED.b, 255].entries()) {
    expect(Math.abs((pixels[at] ?? 0) - part)).toBeLessThanOrEqual(4);
  }
  const plain = await onTerminal(ada, ...SEARCH, '--no-pictures');
  expect(lines.toSpliced(mug - 1, 1).join('\n')).toBe(plain.stdout);
  expect(plain.stdout).toBe((await onTerminal(ada.with({ TERM: 'xterm' }), ...SEARCH)).stdout);
});

test('a search across all libraries shows thumbnails too', async () => {
  const { stdout } = await onTerminal(ada, 'search', 'mug');
  const lines = stdout.split('\n');
  const mug = lines.findIndex((line) => line.startsWith('ada/kitchen/mug'));
  expect(readKitty(lines[mug - 1] ?? '')).toMatchObject({ width: 160, height: 120 });
});

test('piped output contains no pictures, and --json on a terminal no thumbnail URLs', async () => {
  const elsewhere = ada.with({ TERM: 'xterm' });
  const [shown, before] = [await ada.run(...SEARCH), await elsewhere.run(...SEARCH)];
  expect(shown).toEqual(before);
  expect(shown.stdout).not.toContain('\u001b');
  const json = JSON.parse((await onTerminal(ada, ...SEARCH, '--json')).stdout);
  expect(json.hits[0]).not.toHaveProperty('thumbnailSrcset');
});
