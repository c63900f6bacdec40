import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { MadeCertificate, ManifestAsset } from '@bindery/contract';
import { formatClaim, readClaim } from '@bindery/contract/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RECEIPT, runtimeTests, withReceipt } from '../../src/artifacts/receipts.ts';
import { writtenMeta } from '../../src/artifacts/statistics.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bindery-receipts-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const ARM: ManifestAsset = {
  kind: 'usd',
  id: 'arm',
  entry: 'arm/usd/arm.usda',
  files: [],
};
const receiptPath = () => join(root, 'arm/usd', RECEIPT);

function claimOf(receipt: unknown) {
  mkdirSync(dirname(receiptPath()), { recursive: true });
  writeFileSync(receiptPath(), typeof receipt === 'string' ? receipt : JSON.stringify(receipt));
  return readClaim(withReceipt(ARM, root).meta);
}

const RUN = { FET_001: { passed: true, version: '1.0.0' }, FET_004: { passed: false } };
const TESTS = [{ test_name: 'drop_test', passed: true, timestamp: '2026-06-05', metrics: {} }];

test.each([
  ['wrapped, as validators write it', (validation: object) => ({ SimReady_Metadata: { validation } })],
  ['flat, as older ones did', (validation: object) => validation],
])('a receipt is a claim of the last validation and of the runs: %s', (_name, wrap) => {
  const validation = {
    ...{ profile: 'Robot-Body', profile_version: '1.0.0' },
    validated_features: { '2026-06-05': RUN, '2025-01-01': { FET_999: { passed: true } } },
  };
  const claim = claimOf({ ...wrap(validation), runtime_tests: TESTS });
  expect(claim).toEqual({
    ...{ profile: 'Robot-Body 1.0.0', passed: ['FET_001'], failed: ['FET_004'] },
    tests: [{ name: 'drop_test', passed: true }],
  });
  expect(claim && formatClaim(claim)).toBe(
    'Robot-Body 1.0.0, 1 of 2 features passed, FET_004 failed, drop_test passed',
  );
});

test.each(
  [
    ['', '{', '[]', 'null', '{}', `"${'x'.repeat(2_000_000)}"`],
    [{ runtime_tests: 'all' }, { runtime_tests: [] }, { validated_features: [] }],
    [{ runtime_tests: [{ test_name: 'x'.repeat(300) }] }, { runtime_tests: [{ test_name: '' }] }],
  ].flat(),
)('what is no receipt claims nothing: %j', (receipt) => {
  expect(claimOf(receipt)).toBeNull();
});

test('a receipt of very many runs claims the first hundred', () => {
  const runs = Array.from({ length: 1_000 }, (_, at) => ({ test_name: `run ${at}`, passed: true }));
  expect(claimOf({ runtime_tests: runs })?.tests).toHaveLength(100);
});

test('a link out of the folder is not followed', () => {
  const outside = mkdtempSync(join(tmpdir(), 'bindery-outside-'));
  writeFileSync(join(outside, 'validation.json'), JSON.stringify({ runtime_tests: TESTS }));
  mkdirSync(join(root, 'arm/usd'), { recursive: true });
  symlinkSync(outside, join(root, 'arm/usd/.simready'));
  expect(withReceipt(ARM, root)).toBe(ARM);
  rmSync(outside, { recursive: true });
});

test('what its author writes there stays, and what was found is not taken for something written', () => {
  claimOf({ runtime_tests: TESTS });
  const stated = { ...ARM, meta: { simready: 'by me' } };
  expect(withReceipt(stated, root)).toBe(stated);
  expect(writtenMeta(stated)).toEqual(stated.meta);
  expect(writtenMeta(withReceipt({ ...ARM, meta: { note: 1 } }, root))).toEqual({ note: 1 });
});

test('certificates become runs of each engine that ran', () => {
  const engine = { name: 'newton', version: '1.8.0', reasons: [], losses: [] };
  const certificate: MadeCertificate = {
    ...{
      verdict: 'failed',
      digest: 'd',
      file: 'arm.xml',
      mujoco: '4.0.0',
      certifier: '7',
      madeBy: 'service',
    },
    pictureUrl: null,
    ...{ problems: [{ code: 'falls-through-floor', message: '' }], losses: [] },
    engines: [
      { ...engine, verdict: 'passed', drift: { metres: 0.1, radians: 0.2 } },
      { ...engine, name: 'pybullet', verdict: 'not run' },
    ],
  };
  expect(runtimeTests([certificate], '2026-06-05')).toMatchObject([
    {
      ...{ test_name: 'bindery_certificate_service', passed: false, timestamp: '2026-06-05T00:00:00Z' },
      metrics: {
        engine: { value: 'MuJoCo 4.0.0', unit: null },
        problems: { value: ['falls-through-floor'] },
      },
    },
    {
      ...{ test_name: 'bindery_certificate_service_newton', passed: true },
      metrics: { drift_metres: { value: 0.1, unit: 'm' } },
    },
  ]);
});
