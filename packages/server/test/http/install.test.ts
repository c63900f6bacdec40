import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const run = promisify(execFile);
const NAME = 'bindery-cli-1.2.3.tgz';
const BYTES = Buffer.from('a packed command line');

const archive = (hash: string) => ({ name: NAME, bytes: BYTES, sha256: hash });
const textAt = async (url: string) => (await fetch(url)).text();

describe('a service that came with its client', () => {
  let service: TestService;
  let folder: string;
  beforeAll(async () => {
    service = await startService({ clientArchive: archive(sha256(BYTES)) });
    folder = await mkdtemp(join(tmpdir(), 'bindery-install-'));
    // Stands in for npm: what it is given to install is kept.
    const npm = `#!/bin/sh\nfor last; do :; done\ncp "$last" '${folder}/installed'\necho "$@" > '${folder}/words'\n`;
    await writeFile(join(folder, 'npm'), npm);
    await chmod(join(folder, 'npm'), 0o755);
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  const runScript = async (script: string) => {
    await rm(join(folder, 'installed'), { force: true });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return run('sh', ['-c', script], { env });
  };

  test('hands it out, and a script that installs it', async () => {
    const script = await textAt(`${service.url}/install`);
    await runScript(script);
    expect(await readFile(join(folder, 'installed'))).toEqual(BYTES);
    expect(await readFile(join(folder, 'words'), 'utf8')).toContain('--ignore-scripts');
    const answer = await fetch(`${service.url}/install/${NAME}`);
    expect(answer.headers.get('etag')).toBe(`"${sha256(BYTES)}"`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(BYTES);
  });

  test('installs nothing if other bytes arrive, or not all of the script', async () => {
    const script = await textAt(`${service.url}/install`);
    const others = script.replaceAll(sha256(BYTES), sha256(Buffer.from('other bytes')));
    await expect(runScript(others)).rejects.toThrow();
    await expect(runScript(script.slice(0, script.lastIndexOf('}')))).rejects.toThrow();
    await expect(readFile(join(folder, 'installed'))).rejects.toThrow();
  });

  test('says so in /llms.txt, and has no other file', async () => {
    expect(await textAt(`${service.url}/llms.txt`)).toContain(`curl -fsS ${service.url}/install | sh`);
    for (const other of ['bindery-cli-1.2.4.tgz', '..%2fpackage.json', `${NAME}%00`])
      expect((await fetch(`${service.url}/install/${other}`)).status, other).toBe(404);
  });
});

test('a service without a client says so, and names none in /llms.txt', async () => {
  const service = await startService();
  for (const path of ['/install', `/install/${NAME}`]) {
    const answer = await fetch(service.url + path);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      expect.objectContaining({ message: expect.stringContaining('npm run packages') }),
    ]);
  }
  expect(await textAt(`${service.url}/llms.txt`)).not.toMatch(/install|npm|npx/);
  await service.close();
});
