import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSampleLibrary } from './sample-library/write.ts';

/*
 * Types the first session of the README into a shell with an empty home, and records it as
 * docs/images/first-session.txt. The service uses its default port, so nothing else may use it at the same time.
 */

const SESSION: readonly (string | { typed: string; run: string })[] = [
  {
    typed: 'bindery serve &',
    run: 'bindery serve 2>service.log & for i in {1..100}; do curl -sf http://127.0.0.1:7420/readyz >ready.txt && break; sleep 0.2; done',
  },
  'bindery admin create-user ada --email ada@example.org --password-stdin < password.txt',
  'export BINDERY_TOKEN=$(bindery admin create-token ada)',
  'bindery library push workshop --visibility public --thumbnails --embed',
  'bindery search "something to pick up small parts" --limit 3',
  'bindery library info ada/workshop --asset gripper',
  'bindery library pull ada/workshop --asset gripper -o sim',
  'bindery library stat ada/workshop --asset gripper -o sim',
  'diff -r workshop/gripper sim/gripper',
];
/** Progress lines, which a terminal overwrites. */
const PROGRESS = /^[A-Z].* \d+% {2}/;
const PROMPT = '\u0001$ ';

const home = mkdtempSync(join(tmpdir(), 'bindery-session-'));
try {
  await writeSampleLibrary(join(home, 'workshop'));
  writeFileSync(join(home, 'password.txt'), 'correct horse battery staple\n');
  writeFileSync(
    new URL('../docs/images/first-session.txt', import.meta.url),
    SESSION.map(typedIn(record())).join(''),
  );
} finally {
  rmSync(home, { recursive: true });
}

/** Returns what the shell printed after each line. */
function record(): string[] {
  const lines = SESSION.map((step) => `printf '${PROMPT}'\n${typeof step === 'string' ? step : step.run}\n`);
  const bin = fileURLToPath(new URL('../node_modules/.bin', import.meta.url));
  const { stdout, status } = spawnSync('bash', ['-e'], {
    cwd: home,
    env: {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: home,
      BINDERY_DATA_DIR: join(home, 'data'),
      BINDERY_API_URL: 'http://127.0.0.1:7420',
    },
    input: `exec 2>&1; trap 'kill %1; wait' EXIT\n${lines.join('')}`,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The session ended with ${status}:\n${stdout}`);
  return stdout.split(PROMPT).slice(1);
}

function typedIn(printed: readonly string[]) {
  return (step: (typeof SESSION)[number], at: number): string => {
    const lines = (printed[at] ?? '').replaceAll(home, '/home/ada').split('\n');
    const shown = lines.filter((line) => !PROGRESS.test(line)).join('\n');
    return `$ ${typeof step === 'string' ? step : step.typed}\n${shown}`;
  };
}
