import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A message bus with an unlocked keyring on it, as a desktop session has, in a home folder of its own. */
export interface KeyringSession {
  environment: NodeJS.ProcessEnv;
  /** Runs a Python program in the session and answers what it printed. */
  python(program: string, ...args: string[]): string;
  close(): Promise<void>;
}

const NEEDED = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool'];
const NAME_HAS_OWNER = 'org.freedesktop.DBus.NameHasOwner';
const SECRETS = 'string:org.freedesktop.secrets';

/** What this machine lacks for `openKeyringSession`; empty if it can be opened. */
export function missingForKeyring(): string[] {
  const programs = NEEDED.filter((program) => !runs('which', [program]));
  const modules = ['keyring', 'secretstorage', 'cryptography'].filter(
    (module) => !runs(PYTHON, ['-c', `import ${module}`]),
  );
  return [...programs, ...modules.map((module) => `Python's ${module}`)];
}

export const PYTHON = '/usr/bin/python3';

export function runs(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export async function openKeyringSession(): Promise<KeyringSession> {
  const home = await mkdtemp(join(tmpdir(), 'bindery-keyring-'));
  const base = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, LANG: 'C.UTF-8' };
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = String((await once(bus.stdout, 'data'))[0]).trim();
  const environment = { ...base, DBUS_SESSION_BUS_ADDRESS: address };
  const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    env: environment,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  keyring.stdin.end('a password');
  const close = async () => {
    await end(keyring);
    await end(bus);
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await isOnBus(environment);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    environment,
    python: (program, ...args) =>
      execFileSync(PYTHON, ['-c', program, ...args], { env: environment, encoding: 'utf8' }).trim(),
    close,
  };
}

/** Waits for the daemon to be on the bus; an earlier question would make the bus start a second, locked one. */
async function isOnBus(environment: NodeJS.ProcessEnv): Promise<void> {
  const question = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/',
    NAME_HAS_OWNER,
    SECRETS,
  ];
  for (let attempt = 0; attempt < 100; attempt++) {
    const answer = execFileSync('dbus-send', question, { env: environment, encoding: 'utf8', stdio: 'pipe' });
    if (answer.includes('boolean true')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The keyring daemon did not come up.');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
