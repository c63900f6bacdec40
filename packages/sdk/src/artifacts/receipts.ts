import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { MadeCertificate, ManifestAsset, SimReadyClaim } from '@bindery/contract';
import { MAX_CLAIMS, readClaim } from '@bindery/contract/wire';
import { withMeta } from './statistics.ts';

/*
 * What NVIDIA's validator and benchmark write beside an asset.
 */

/** Below the folder of the file that opens an asset. */
export const RECEIPT = '.simready/validation.json';

/** As much as their own readers accept. */
const MAX_BYTES = 1024 * 1024;

/** Returns the asset with what the receipt beside it claims in its `meta`, unless its author says it there. */
export function withReceipt(asset: ManifestAsset, root: string): ManifestAsset {
  if (asset.kind !== 'usd' || asset.entry === undefined || asset.meta?.simready !== undefined) return asset;
  const simready = claimIn(readReceipt(join(root, dirname(asset.entry), RECEIPT)));
  return readClaim({ simready }) === null ? asset : withMeta(asset, { simready });
}

/** Undefined if there is none that can be read: others write it, and an asset is what it is without. */
function readReceipt(path: string): unknown {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.size > MAX_BYTES || realpathSync(path) !== path) return undefined;
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

/** Newer validators wrap what they write, older ones and the benchmark do not. */
function claimIn(receipt: unknown): SimReadyClaim | undefined {
  const document = fieldsOf(receipt);
  const wrapped = fieldsOf(fieldsOf(document.SimReady_Metadata).validation);
  const { profile, profile_version: version, validated_features: runs } = { ...document, ...wrapped };
  const days = Object.keys(fieldsOf(runs)).sort();
  const features = Object.entries(fieldsOf(fieldsOf(runs)[days.at(-1) ?? ''])).slice(0, MAX_CLAIMS);
  const named = (isPassed: boolean) =>
    features.flatMap(([name, said]) => ((fieldsOf(said).passed === true) === isPassed ? [name] : []));
  const runsInEngines = Array.isArray(document.runtime_tests) ? document.runtime_tests : [];
  const tests = runsInEngines.slice(0, MAX_CLAIMS).flatMap((test) => {
    const { test_name: name, passed } = fieldsOf(test);
    return typeof name === 'string' && name !== '' ? [{ name, passed: passed === true }] : [];
  });
  if (features.length + tests.length === 0) return undefined;
  return {
    ...(typeof profile === 'string' && {
      profile: typeof version === 'string' ? `${profile} ${version}` : profile,
    }),
    passed: named(true),
    failed: named(false),
    tests,
  };
}

/**
 * Returns the runs of certificates as the benchmark writes them. A certificate does not say when it was made, so `date` is
 * the day of the package.
 */
export function runtimeTests(certificates: readonly MadeCertificate[], date: string) {
  const timestamp = `${date}T00:00:00Z`;
  const metric = (value: unknown, unit: string | null = null) => ({ value, unit });
  return certificates.flatMap(
    ({ verdict, mujoco, madeBy, certifier, digest, rest, problems, engines = [] }) => [
      {
        test_name: `bindery_certificate_${madeBy}`,
        passed: verdict === 'passed',
        timestamp,
        metrics: {
          engine: metric(`MuJoCo ${mujoco}`),
          certifier: metric(certifier),
          source_digest: metric(digest),
          ...(rest && { simulated: metric(rest.seconds, 's') }),
          problems: metric(problems.map(({ code }) => code)),
        },
      },
      ...engines.flatMap(({ name, version, verdict, drift, losses }) =>
        verdict === 'not run'
          ? []
          : {
              test_name: `bindery_certificate_${madeBy}_${name}`,
              passed: verdict === 'passed',
              timestamp,
              metrics: {
                engine: metric(`${name} ${version}`),
                ...(drift && {
                  drift_metres: metric(drift.metres, 'm'),
                  drift_radians: metric(drift.radians, 'rad'),
                }),
                losses: metric(losses),
              },
            },
      ),
    ],
  );
}
