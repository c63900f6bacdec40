import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../../../../test/free-port.ts';
import type { S3Access } from './bucket.ts';
import { end, until } from './daemons.ts';

const run = promisify(execFile);

const BACKENDS = ['account', 'container', 'object'] as const;
const DEVICE = 'disk';
/** Sixteen partitions of one copy each, which can move at once. */
const RINGS = `
import sys
from swift.common.ring import RingBuilder
folder = sys.argv[1]
for name, port in zip(('account', 'container', 'object'), sys.argv[2:]):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': int(port), 'device': '${DEVICE}', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(folder + '/' + name + '.ring.gz')
`;

export interface Swift extends S3Access {
  close(): Promise<void>;
}

/** Whether Debian's packages swift-proxy, swift-account, swift-container and swift-object are there. */
export function isSwiftInstalled(): boolean {
  return ['proxy', ...BACKENDS].every((name) => existsSync(`/usr/bin/swift-${name}-server`));
}

/** Starts a Swift of one node that speaks S3 too. It wants extended attributes of the file system. */
export async function startSwift(): Promise<Swift> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-swift-'));
  const processes: ChildProcess[] = [];
  const close = async () => {
    for (const one of processes) await end(one);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const ports = await Promise.all(['proxy', ...BACKENDS].map(freePort));
    const [proxy = 0, ...backends] = ports;
    await mkdir(join(folder, 'devices', DEVICE), { recursive: true });
    await run('/usr/bin/python3', ['-c', RINGS, folder, ...backends.map(String)]);
    const output = openSync(join(folder, 'servers.log'), 'a');
    const serve = async (name: string, settings: string) => {
      const file = join(folder, `${name}.conf`);
      await writeFile(file, settings);
      processes.push(
        spawn(`/usr/bin/swift-${name}-server`, [file, '-v'], { stdio: ['ignore', output, output] }),
      );
    };
    for (const [at, name] of BACKENDS.entries()) await serve(name, backend(folder, name, backends[at] ?? 0));
    await serve('proxy', frontend(folder, proxy));
    const endpoint = `http://127.0.0.1:${proxy}`;
    for (const port of ports) {
      await until('Swift answers', () => fetch(`http://127.0.0.1:${port}/healthcheck`).then(() => true));
    }
    return { endpoint, accessKeyId: 'tests:bindery', secretAccessKey: 'the-secret-of-tests', close };
  } catch (error) {
    const log = await readFile(join(folder, 'servers.log'), 'utf8').catch(() => '');
    await close();
    throw new Error(`Swift did not start: ${(error as Error).message}\n${log.slice(-4_000)}`);
  }
}

/** In one process each; nothing is flushed to a disk that the tests would lose with the machine anyway. */
function defaults(folder: string, port: number): string {
  return `
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
disable_fallocate = true
log_level = WARNING
`;
}

function backend(folder: string, name: string, port: number): string {
  return `${defaults(folder, port)}
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
recon_cache_path = ${folder}
`;
}

/** What \`s3api\` asks for, and the least besides; there is no memcached. Parts may be small, so that tests are quick. */
function frontend(folder: string, port: number): string {
  return `${defaults(folder, port)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_tests_bindery = the-secret-of-tests .admin
[filter:s3api]
use = egg:swift#s3api
min_segment_size = 1
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
`;
}
