import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../packages/server/src/configuration/configuration.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const HAPROXY = '/usr/sbin/haproxy';

interface Service {
  build?: string;
  image?: string;
  command?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  depends_on?: string[] | Record<string, unknown>;
}

/** Returns the services of a compose file, with their anchors merged. */
function servicesOf(path: string): Record<string, Service> {
  const { services } = parse(readFileSync(join(root, path), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };
  return services;
}

describe.each(['compose.yaml', 'deploy/compose.replicas.yaml'])('%s', (path) => {
  const services = servicesOf(path);

  test('sets only settings that exist, and builds from the clone', () => {
    const servers = Object.values(services).filter(({ image }) => image === 'bindery');
    expect(servers.length).toBeGreaterThan(0);
    for (const { build = '', environment = {} } of servers) {
      expect(existsSync(join(root, dirname(path), build, 'Dockerfile'))).toBe(true);
      const settings = Object.keys(environment).filter((name) => name.startsWith('BINDERY_'));
      expect(settings.filter((name) => !SETTINGS.includes(name))).toEqual([]);
    }
  });

  test('depends only on services that it defines', () => {
    const named = Object.values(services).flatMap(({ depends_on: on = [] }) =>
      Array.isArray(on) ? on : Object.keys(on),
    );
    expect(named.filter((name) => !(name in services))).toEqual([]);
  });
});

describe('deploy/compose.replicas.yaml', () => {
  const services = servicesOf('deploy/compose.replicas.yaml');
  const { environment = {} } = services.balancer ?? {};
  const servers = Object.entries(services).filter(
    ([, { image, command }]) => image === 'bindery' && command === undefined,
  );

  test('gives the load balancer every server, in the variables that haproxy.cfg reads', () => {
    const configuration = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8');
    const read = new Set(configuration.match(/BINDERY_\w+/g));
    expect(new Set(Object.keys(environment))).toEqual(read);
    const targets = Object.entries(environment).filter(([name]) => name.startsWith('BINDERY_SERVER_'));
    expect(targets.map(([, target]) => target)).toEqual(servers.map(([name]) => `${name}:7420`));
  });

  test('gives each server its own data folder', () => {
    expect(new Set(servers.map(([, { volumes }]) => volumes?.join())).size).toBe(servers.length);
  });

  test('migrates once before any server starts', () => {
    const migrated = { migrate: { condition: 'service_completed_successfully' } };
    for (const [, { depends_on }] of servers) expect(depends_on).toEqual(migrated);
    expect(services.migrate).toMatchObject({
      image: 'bindery',
      command: ['admin', 'migrate'],
      restart: 'no',
    });
  });

  test.skipIf(!existsSync(HAPROXY))('gives HAProxy a valid configuration', () => {
    // Container names cannot be resolved here.
    const env = Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [name, value.replace(/^[a-z]+:/, '127.0.0.1:')]),
    );
    execFileSync(HAPROXY, ['-c', '-q', '-f', join(root, 'deploy/haproxy.cfg')], { env });
  });
});
