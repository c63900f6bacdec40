import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createTerminalUser,
  SOURCE_BINDERY,
  type TerminalUser,
  waitForExit,
  waitForOutput,
} from './command-line.ts';

const OWN_NODE = new URL('../src/own-node.js', import.meta.url);

/** How the program is started where Node is too old for it: by the Node on the PATH, if that is one, else as if. */
const [NODE, ARGUMENTS] = isOld(systemNode('process.versions.node'))
  ? [systemNode('process.execPath'), [SOURCE_BINDERY]]
  : [process.execPath, [...runsOwnNode(OWN_NODE), SOURCE_BINDERY]];

function runsOwnNode({ href }: URL): string[] {
  const program = `import { runWithOwnNode } from '${href}'; await runWithOwnNode(process.argv.slice(1), '22.18');`;
  return ['--input-type=module', '--eval', program];
}

function isOld(version: string): boolean {
  const [major = 0] = version.split('.').map(Number);
  return version !== '' && major < 24;
}

function systemNode(expression: string): string {
  const path = (process.env.PATH ?? '').split(':').filter((folder) => !folder.includes('node_modules'));
  try {
    return execFileSync('node', ['-p', expression], {
      encoding: 'utf8',
      env: { PATH: path.join(':') },
    }).trim();
  } catch {
    return '';
  }
}

let ada: TerminalUser;
beforeEach(async () => {
  ada = await createTerminalUser();
});
afterEach(() => ada.dispose());

test('--version prints the version of the package and nothing else', async () => {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  for (const words of [['--version'], ['-V']]) {
    expect(await ada.run(...words)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  }
});

test('an empty HOME does not make the current folder the home folder', async () => {
  const { stderr } = await ada.with({ HOME: '' }).run('model', 'rm', 'siglip2', '--yes');
  expect(stderr).toMatch(/ is not in \//);
});

describe('bindery under an older Node', () => {
  const launch = (...words: string[]) => spawn(NODE, [...ARGUMENTS, ...words], { env: ada.environment });

  test('runs with the Node of its installation and keeps arguments, streams and exit code', async () => {
    expect(await waitForExit(launch('completion', 'bash'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('complete -F _bindery bindery'),
      stderr: '',
    });
    expect(await waitForExit(launch('no such command'))).toMatchObject({ code: 2, stdout: '' });
  });

  test('says in one line which Node it needs if its installation has none', async () => {
    const alone = join(ada.home, 'own-node.mjs');
    await copyFile(OWN_NODE, alone);
    const child = spawn(process.execPath, runsOwnNode(pathToFileURL(alone)), { env: ada.environment });
    expect(await waitForExit(child)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Error: bindery needs Node 22\.18 or newer, [^\n]*nodejs\.org\.\n$/),
    });
  });

  test('passes SIGTERM on, and the service shuts down with exit code 0', async () => {
    const child = launch('serve', '--port', '0', '--data-dir', ada.home);
    const ended = waitForExit(child);
    await waitForOutput(child.stdout, /listening on (\S+)/);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  test('leaves no process running after SIGKILL', async () => {
    const child = launch('serve', '--port', '0', '--data-dir', ada.home);
    const [, url = ''] = await waitForOutput(child.stdout, /listening on (\S+)/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill('SIGKILL');
    // The streams close when the last process that holds them has ended.
    await once(child, 'close');
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});
