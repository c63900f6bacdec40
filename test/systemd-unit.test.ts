import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const unit = readFileSync(new URL('../deploy/bindery.service', import.meta.url), 'utf8');
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

/** Seconds: what docs/scaling.md suggests for BINDERY_DRAIN, and what the service gives to running requests. */
const DRAIN = 5;
const RUNNING_REQUESTS = 10;

test('the unit for systemd gives the service time to drain and to stop', () => {
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(DRAIN + RUNNING_REQUESTS);
});

test('the unit for systemd confines the service to the system calls of services, without those of administrators', () => {
  expect(unit.match(/^SystemCallFilter=.*$/gm)).toEqual([
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged',
  ]);
  expect(setting('SystemCallErrorNumber')).toBe('EPERM');
  expect(setting('CapabilityBoundingSet')).toBe('');
  expect(setting('ProtectProc')).toBe('invisible');
  for (const name of [
    'RestrictNamespaces',
    'ProtectClock',
    'ProtectHostname',
    'ProtectKernelLogs',
    'PrivateUsers',
  ])
    expect(setting(name), name).toBe('yes');
  // Node compiles code while it runs.
  expect(setting('MemoryDenyWriteExecute')).toBeUndefined();
});

test('the unit for systemd waits for a database that is down, and does not retry a wrong setting', () => {
  // By default systemd gives up after five starts within ten seconds.
  expect(Number(setting('RestartSec')) * 5).toBeGreaterThan(10);
  expect(setting('RestartPreventExitStatus')).toBe('2');
});
