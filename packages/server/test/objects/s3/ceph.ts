import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../../../test/free-port.ts';
import { end, until } from './daemons.ts';

const run = promisify(execFile);

/** Debian's classes of objects; RADOS looks for them relative to where it was built. */
const OBJECT_CLASSES = '/usr/lib/x86_64-linux-gnu/rados-classes';
const MEMORY_BYTES = 4 * 1024 ** 3;
const READY_WITHIN_MS = 240_000;

export interface Ceph {
  /** An S3 endpoint on the loopback. */
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Its processes. */
  pids: number[];
  /** How many requests the gateway has answered. */
  requests(): Promise<number>;
  close(): Promise<void>;
}

/** Whether Debian's packages radosgw, ceph-mon, ceph-osd and ceph-common are there. */
export function isCephInstalled(): boolean {
  return ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph'].every((name) => existsSync(`/usr/bin/${name}`));
}

/** Starts a Ceph of one node with an S3 gateway: one monitor, and one OSD that keeps everything in memory. */
export async function startCeph(): Promise<Ceph> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-ceph-'));
  const [gateway, monitor] = [await freePort(), await freePort()];
  const processes: ChildProcess[] = [];
  const cluster = new Cluster(folder, processes);
  const close = async () => {
    for (const one of processes.toReversed()) await end(one);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const accessKeyId = 'AKIABINDERYTESTS';
    const secretAccessKey = 'the-secret-of-tests-on-loopback';
    await cluster.make({ gateway, monitor });
    await cluster.tool('radosgw-admin', [
      ...['user', 'create', '--uid=bindery', '--display-name=Bindery'],
      ...[`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`],
    ]);
    const endpoint = `http://127.0.0.1:${gateway}`;
    cluster.daemon('radosgw', ['-n', 'client.rgw']);
    await until('the gateway answers', () => fetch(endpoint).then(({ ok }) => ok));
    return {
      ...{ endpoint, accessKeyId, secretAccessKey, close },
      pids: processes.flatMap(({ pid }) => pid ?? []),
      requests: () => cluster.requests(),
    };
  } catch (error) {
    const log = await readFile(join(folder, 'daemons.log'), 'utf8').catch(() => '');
    await close();
    throw new Error(`Ceph did not start: ${(error as Error).message}\n${log.slice(-4_000)}`);
  }
}

class Cluster {
  readonly #folder: string;
  readonly #processes: ChildProcess[];
  readonly #output: number;

  constructor(folder: string, processes: ChildProcess[]) {
    this.#folder = folder;
    this.#processes = processes;
    this.#output = openSync(join(folder, 'daemons.log'), 'a');
  }

  async make({ gateway, monitor }: { gateway: number; monitor: number }): Promise<void> {
    const folder = this.#folder;
    const id = randomUUID();
    const address = `v2:127.0.0.1:${monitor}`;
    for (const name of ['mon', 'osd', 'rgw', 'run']) await mkdir(join(folder, name));
    await writeFile(join(folder, 'ceph.conf'), settings(folder, id, address, gateway));
    await this.#makeKeys();
    const map = join(folder, 'monmap');
    await run('monmaptool', ['--create', '--addv', 'a', `[${address}]`, '--fsid', id, map]);
    const keyring = join(folder, 'keyring');
    await run('ceph-mon', [...this.#named(), '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring]);
    this.daemon('ceph-mon', ['-i', 'a']);
    const disk = randomUUID();
    await this.tool('ceph', ['osd', 'new', disk]);
    await run('ceph-osd', [...this.#named(), '-i', '0', '--mkfs', '--osd-uuid', disk]);
    await this.tool('ceph', ['osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost']);
    this.daemon('ceph-osd', ['-i', '0']);
  }

  daemon(command: string, args: readonly string[]): void {
    const output = ['ignore', this.#output, this.#output] as const;
    this.#processes.push(spawn(command, [...this.#named(), '-f', ...args], { stdio: [...output] }));
  }

  /** A command that waits until the cluster can do it. */
  async tool(command: string, args: readonly string[]): Promise<void> {
    await run(command, [...this.#named(), ...args], { timeout: READY_WITHIN_MS });
  }

  async requests(): Promise<number> {
    const socket = join(this.#folder, 'run/client.rgw.asok');
    const { stdout } = await run('ceph', ['--admin-daemon', socket, 'perf', 'dump']);
    return (JSON.parse(stdout) as { rgw: { req: number } }).rgw.req;
  }

  #named(): string[] {
    return ['-c', join(this.#folder, 'ceph.conf')];
  }

  async #makeKeys(): Promise<void> {
    const keyring = join(this.#folder, 'keyring');
    const rights: Record<string, string[]> = {
      'mon.': ['mon', 'allow *'],
      'client.admin': ['mon', 'allow *', 'osd', 'allow *', 'mgr', 'allow *'],
      'osd.0': ['mon', 'allow profile osd', 'osd', 'allow *'],
      'client.rgw': ['mon', 'allow rw', 'osd', 'allow rwx'],
    };
    await writeFile(keyring, '');
    for (const [name, granted] of Object.entries(rights)) {
      const caps = Array.from({ length: granted.length / 2 }, (_, at) => [
        '--cap',
        ...granted.slice(2 * at, 2 * at + 2),
      ]);
      await run('ceph-authtool', [keyring, '--gen-key', '-n', name, ...caps.flat()]);
    }
  }
}

/** One copy of everything, keys for everybody, few placement groups; parts may be small, so that tests are quick. */
function settings(folder: string, id: string, monitor: string, gateway: number): string {
  return `
[global]
fsid = ${id}
mon host = ${monitor}/0
keyring = ${folder}/keyring
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/run/$name.log
crash dir = ${folder}/run
public addr = 127.0.0.1
cluster addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
mon max pg per osd = 1000
[mon]
mon data = ${folder}/mon
mon data avail warn = 1
mon data avail crit = 1
[osd]
osd data = ${folder}/osd
osd objectstore = memstore
osd class dir = ${OBJECT_CLASSES}
memstore device bytes = ${MEMORY_BYTES}
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${gateway} tcp_nodelay=1
rgw data = ${folder}/rgw
rgw thread pool size = 64
rgw multipart min part size = 65536
`;
}
