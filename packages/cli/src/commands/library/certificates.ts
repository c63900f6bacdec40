import { availableParallelism } from 'node:os';
import type { AssetCertifier, CertificateReport } from '@bindery/sdk/libraries';
import { flag } from '../../command.ts';
import type { Output } from '../../output/output.ts';
import { formatNumber } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { warnOfAssets } from './report.ts';

export const certify = flag('simulate the robots first; publish their certificates, or nothing if one fails');

/** Limits for one robot. */
const TIMEOUT_MS = 600_000;
const MEMORY_MIB = 2_048;

/** Runs `work` with a certifier if certificates are wanted; its processes start with the first robot to be simulated. */
export async function withCertifier<T>(
  wanted: boolean,
  work: (certifier: AssetCertifier | undefined) => Promise<T>,
): Promise<T> {
  if (!wanted) return work(undefined);
  const { createConversionPool, CERTIFIER_VERSION } = await optionalPackage(
    '@bindery/render',
    'Simulating robots',
    () => import('@bindery/render'),
  );
  const concurrency = Math.min(availableParallelism(), 4);
  await using pool = createConversionPool({
    workers: concurrency,
    timeoutMs: TIMEOUT_MS,
    memoryMiB: MEMORY_MIB,
  });
  return await work({
    version: CERTIFIER_VERSION,
    concurrency,
    certify: pool.certify,
    close: pool.close,
  });
}

export function reportCertificates(report: CertificateReport | null, isPlan: boolean, output: Output): void {
  if (report === null) return;
  const { simulated, cached, certified, uncertified } = report;
  const done = isPlan ? 'to simulate' : 'simulated';
  const passed = isPlan ? '' : `, ${formatNumber(certified)} certified`;
  output.note(`Robots: ${formatNumber(simulated)} ${done}, ${formatNumber(cached)} unchanged${passed}.`);
  warnOfAssets(
    'no certificate for',
    uncertified.map(({ asset, reason }) => ({ asset, warning: reason })),
    output,
  );
}
