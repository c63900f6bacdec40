import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Author, createAuthor } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service.dispose());

/** Returns an author who has released a note and a sheet, and afterwards changed the note and removed the sheet. */
async function released(library: string): Promise<Author> {
  const ada = await Author.create(service, token, {
    'note/note.txt': 'first',
    'sheet/sheet.csv': 'a,b',
    'same/same.txt': 'the same',
  });
  await ada.push(library);
  await ada.run('release', library, 'v1.2', '--notes', 'As in the paper', '--revision', '1');
  await ada.write({ 'note/note.txt': 'second', 'board/board.txt': 'new' });
  await ada.push(library);
  await ada.run('rm', library, 'sheet', '--yes');
  return ada;
}

const library = (ada: Author, ...words: string[]) => bindery(['library', ...words], { env: ada.env });

test('a release is pulled, inspected, searched and compared as it was published', async () => {
  const ada = await released('ada/paper');
  const target = join(ada.home, 'pulled');
  const pulled = await ada.run('pull', 'ada/paper@v1.2', '-o', target);
  expect(pulled).toMatchObject({ library: 'ada/paper@v1.2', revision: 1 });
  expect(await readFile(join(target, 'note/note.txt'), 'utf8')).toBe('first');
  expect(await readFile(join(target, 'sheet/sheet.csv'), 'utf8')).toBe('a,b');
  expect((await library(ada, 'stat', 'ada/paper@v1.2', '-o', target)).exitCode).toBe(0);
  expect((await library(ada, 'stat', 'ada/paper', '-o', target)).exitCode).toBe(1);

  expect(await ada.run('info', 'ada/paper@v1.2')).toMatchObject({
    release: 'v1.2',
    revision: 1,
    assetCount: 3,
  });
  expect(await ada.run('info', 'ada/paper')).not.toHaveProperty('release');
  const found = await ada.run('search', 'sheet', '--library', 'ada/paper@v1.2');
  expect(found.hits).toMatchObject([{ assetId: 'sheet' }]);
  expect((await ada.run('search', 'sheet', '--library', 'ada/paper')).hits).toEqual([]);

  const changes = [
    '+ asset board',
    '- asset sheet',
    '~ asset note',
    '+ file  board/board.txt',
    '- file  sheet/sheet.csv',
    '~ file  note/note.txt',
  ];
  const { stdout } = await library(ada, 'diff', 'ada/paper@v1.2', 'ada/paper');
  expect(stdout.split('\n')).toEqual([...changes, '']);
  const since = await library(ada, 'diff', 'ada/paper@v1.2');
  expect(since.stdout).toBe(stdout);
  const short = await library(ada, 'diff', 'ada/paper@v1.2', '@v1.2');
  expect(short.stdout).toContain('There are no differences');
  const numbered = await library(ada, 'diff', 'ada/paper#1', 'ada/paper#2', '--texts');
  expect(numbered.stdout.split('\n')).toEqual([
    '+ asset board',
    '~ asset note',
    '+ file  board/board.txt',
    '~ file  note/note.txt',
    '@ note/note.txt',
    '  line 1 → 1',
    '  -first',
    '  \\ No newline at end of file',
    '  +second',
    '  \\ No newline at end of file',
    '',
  ]);
});

test('the log lists registered revisions and releases, newest first', async () => {
  const ada = await released('ada/logged');
  const { stdout } = await library(ada, 'log', 'ada/logged');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  '));
  expect(lines.map(([revision, kept, , by, what, notes]) => [revision, kept, by, what, notes])).toEqual([
    ['3', 'yes', 'ada', expect.stringMatching(/^\+0 -1 ~0: 3 assets, /), '-'],
    ['2', 'yes', 'ada', expect.stringMatching(/^\+1 -0 ~1: 4 assets, /), '-'],
    ['1', 'yes', 'ada', 'released as v1.2', 'As in the paper'],
    ['1', 'yes', 'ada', expect.stringMatching(/^\+3 -0 ~0: 3 assets, /), '-'],
  ]);
});

test('pushing a folder pulled from a release stops instead of undoing later pushes', async () => {
  const ada = await released('ada/careful');
  const target = join(ada.home, 'pulled');
  await ada.run('pull', 'ada/careful@v1.2', '-o', target);
  const { exitCode, stderr } = await library(ada, 'push', target, 'ada/careful');
  expect(exitCode).toBe(6);
  expect(stderr).toContain('note');
});

test('releases are listed, and deleted only with --yes after showing what that frees', async () => {
  const ada = await released('ada/brief');
  const listed = await library(ada, 'releases', 'ada/brief');
  expect(listed.stdout).toMatch(/^v1\.2 {2}1 {2}3 {2}3 {2}.*ada {2}As in the paper\n$/);
  const refused = await library(ada, 'unrelease', 'ada/brief', 'v1.2');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toMatch(
    /Delete the release ada\/brief@v1\.2\? That frees .* \(\d+ objects\) after the grace period\./,
  );
  expect(await ada.run('unrelease', 'ada/brief', 'v1.2', '--yes')).toMatchObject({ release: 'v1.2' });
  const gone = await library(ada, 'info', 'ada/brief@v1.2');
  expect(gone.exitCode).toBe(5);
});

test.each([
  [['release', 'ada/paper', 'latest'], 'not be "latest"'],
  [['release', 'ada/paper@v1', 'v2'], 'a release cannot be given here'],
  [['pull', 'ada/paper@.v1', '-o', 'there'], 'a release name must be 1 to 64'],
  [
    ['search', 'x', '--library', 'ada/paper@v1', '--library', 'ada/brief'],
    'A release can only be searched by itself',
  ],
])('%s is refused before any request is sent', async (words, message) => {
  const { exitCode, stderr } = await bindery(['library', ...words], {
    env: { BINDERY_API_URL: 'http://127.0.0.1:9' },
  });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
});
