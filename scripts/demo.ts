import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differences } from './differences.ts';
import { writeSampleLibrary } from './sample-library/write.ts';

/*
 * The main workflow from an empty folder: starts the service, creates an account, publishes a generated library,
 * searches it, pulls it again and compares every byte. The service keeps running; `--stop` stops it.
 */

const BINDERY = fileURLToPath(new URL('../packages/cli/bin/bindery.js', import.meta.url));
const DEFAULT_PORT = 7_420;
const USER = 'demo';

const { values: options } = parseArgs({ options: { stop: { type: 'boolean', default: false } } });
const folder = await mkdtemp(join(tmpdir(), 'bindery-demo-'));
const dataDir = join(folder, 'data');
const { service, url } = await serve();
try {
  await demonstrate();
  if (options.stop) await stop();
  else printNextSteps();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\nThe log is in ${folder}.\n`);
  service.kill('SIGTERM');
  process.exitCode = 1;
}

async function demonstrate(): Promise<void> {
  const password = randomBytes(12).toString('base64url');
  const email = `${USER}@example.org`;
  await bindery(['admin', 'create-user', USER, '--email', email, '--password-stdin', '--data-dir', dataDir], {
    input: password,
  });
  const made = await bindery(['admin', 'create-token', USER, '--json', '--data-dir', dataDir], {
    quiet: true,
  });
  const { token } = JSON.parse(made) as { token: string };
  const env = { BINDERY_API_URL: url, BINDERY_TOKEN: token, BINDERY_CONFIG_DIR: join(folder, 'config') };

  const library = `${USER}/workshop`;
  const source = join(folder, 'workshop');
  const pulled = join(folder, 'pulled');
  const { assets, files } = await writeSampleLibrary(source);
  say(`Generated ${assets} assets, ${files} files, in ${source}.`);
  await bindery(['library', 'push', source, library, '--visibility', 'public', '--thumbnails', '--embed'], {
    env,
  });
  await bindery(['library', 'search', 'robot gripper', '--library', library], { env });
  await bindery(['library', 'pull', library, '-o', pulled], { env });
  await bindery(['library', 'stat', library, '-o', pulled], { env });
  await bindery(['search', 'something to pick up small parts'], { env });

  const different = await differences(source, pulled);
  if (different.length > 0) throw new Error(`What was pulled differs: ${different.join(', ')}`);
  say(`Every byte of ${source} and ${pulled} is the same.`);
  say(`Look at it in the dashboard: ${url}/app/${library}`);
  say(`Sign in at ${url} as ${email} with the password ${password} (made for this demo).`);
}

/** Starts the service detached from this process, with its output in files, and waits for its ready line. */
async function serve(): Promise<{ service: ChildProcess; url: string }> {
  const port = (await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : 0;
  const words = ['serve', '--port', String(port), '--data-dir', dataDir];
  say(`$ bindery ${words.join(' ')}`);
  const [ready, log] = [join(folder, 'ready.txt'), join(folder, 'service.log')];
  const [stdout, stderr] = [await open(ready, 'w'), await open(log, 'w')];
  const service = spawn(process.execPath, [BINDERY, ...words], {
    detached: true,
    stdio: ['ignore', stdout.fd, stderr.fd],
  });
  await Promise.all([stdout.close(), stderr.close()]);
  while (service.exitCode === null) {
    const [, url] = /^listening on (\S+)\n/.exec(await readFile(ready, 'utf8')) ?? [];
    if (url !== undefined) {
      say(`listening on ${url}`);
      return { service, url };
    }
    await wait(50);
  }
  throw new Error(await readFile(log, 'utf8'));
}

/** Runs one command, printing it and its output; returns its stdout. */
async function bindery(
  words: string[],
  { env = {}, input = '', quiet = false }: { env?: Record<string, string>; input?: string; quiet?: boolean },
): Promise<string> {
  if (!quiet) say(`\n$ bindery ${words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ')}`);
  const command = spawn(process.execPath, [BINDERY, ...words], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  command.stdin.end(input);
  let answer = '';
  command.stdout.on('data', (chunk) => {
    answer += chunk;
    if (!quiet) process.stdout.write(chunk);
  });
  const [code] = await once(command, 'close');
  if (code !== 0) throw new Error(`bindery ${words.slice(0, 2).join(' ')} ended with exit code ${code}.`);
  return answer;
}

async function stop(): Promise<void> {
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`The service ended with exit code ${code}.`);
  await rm(folder, { recursive: true, force: true });
  say('Stopped the service and removed its folder.');
}

function printNextSteps(): void {
  service.unref();
  say(`\nThe service goes on at ${url}, with everything in ${folder}.`);
  say(`Stop it with: kill ${service.pid}`);
}

async function isFree(port: number): Promise<boolean> {
  const probe = connect(port, '127.0.0.1');
  try {
    await once(probe, 'connect');
    return false;
  } catch {
    return true;
  } finally {
    probe.destroy();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
