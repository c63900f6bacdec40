import { availableParallelism } from 'node:os';
import { ENGINES, type EngineName, formatEngineVerdict } from '@bindery/contract/wire';
import type { Engines } from '@bindery/render';
import type { AssetCertifier, CertificateReport } from '@bindery/sdk/libraries';
import { flag, repeatedOption, UsageProblem } from '../../command.ts';
import { CommandError, usageError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { formatNumber, sanitizeLine } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { warnOfAssets } from './report.ts';

export const certify = flag('simulate the robots first; publish their certificates, or nothing if one fails');

export const engine = repeatedOption(
  '<engine>',
  `with --certify: simulate in this engine, too: ${ENGINES.join(' or ')}; can be repeated`,
  (text): EngineName => {
    const name = ENGINES.find((one) => one === text);
    if (name === undefined) throw new UsageProblem(`expected ${ENGINES.join(' or ')}`);
    return name;
  },
);

/** Limits for one robot, in MuJoCo and in each engine. */
const TIMEOUT_MS = 600_000;
const MEMORY_MIB = 2_048;
const ENGINE_MIB = 4_096;

/**
 * Runs `work` with a certifier if certificates are wanted; its processes start with the first robot to be simulated. Throws
 * `CommandError` (`package_missing`) for an engine that is not installed.
 */
export async function withCertifier<T>(
  { certify: wanted, engine: names }: { certify: boolean; engine: readonly EngineName[] },
  environment: NodeJS.ProcessEnv,
  work: (certifier: AssetCertifier | undefined) => Promise<T>,
): Promise<T> {
  if (!wanted && names.length > 0)
    throw usageError('--engine simulates robots for certificates.', 'Add --certify, or leave out --engine.');
  if (!wanted) return work(undefined);
  const renderer = await optionalPackage(
    '@bindery/render',
    'Simulating robots',
    () => import('@bindery/render'),
  );
  const { createConversionPool, CERTIFIER_VERSION } = renderer;
  const engines = await enginesOf(names, environment.BINDERY_PYTHON || 'python3', renderer);
  const concurrency = Math.min(availableParallelism(), 4);
  const bounds = { workers: concurrency, timeoutMs: TIMEOUT_MS, memoryMiB: MEMORY_MIB };
  await using pool = createConversionPool(bounds, engines);
  return await work({
    version: CERTIFIER_VERSION,
    engines: [...(engines?.versions ?? [])].map((named) => named.join(' ')),
    concurrency,
    certify: pool.certify,
    close: pool.close,
  });
}

async function enginesOf(
  names: readonly EngineName[],
  python: string,
  { engineVersions, howToInstallEngine }: typeof import('@bindery/render'),
): Promise<Engines | undefined> {
  if (names.length === 0) return undefined;
  const versions = await engineVersions(names, python);
  for (const [name, version] of versions)
    if (version === '')
      throw new CommandError(EXIT.usage, 'package_missing', `${howToInstallEngine(name)}.`, {
        next: `Install it for ${python}, or set BINDERY_PYTHON to a Python that has it.`,
      });
  return { python, versions, timeoutMs: TIMEOUT_MS, memoryMiB: ENGINE_MIB };
}

export function reportCertificates(report: CertificateReport | null, isPlan: boolean, output: Output): void {
  if (report === null) return;
  const { simulated, cached, certified, uncertified, engines } = report;
  const done = isPlan ? 'to simulate' : 'simulated';
  const passed = isPlan ? '' : `, ${formatNumber(certified)} certified`;
  output.note(`Robots: ${formatNumber(simulated)} ${done}, ${formatNumber(cached)} unchanged${passed}.`);
  for (const { asset, ...verdict } of engines)
    output.note(sanitizeLine(`${asset}: ${formatEngineVerdict(verdict)}`));
  warnOfAssets(
    'no certificate for',
    uncertified.map(({ asset, reason }) => ({ asset, warning: reason })),
    output,
  );
}
