import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { ManifestAsset, SimulationRun } from '@bindery/contract';
import {
  CERTIFICATE_FAILURES,
  CERTIFIED_KINDS,
  certificateOf,
  certificatePath,
  certificatePicturePath,
  DEFAULT_KIND,
  engineVerdictOf,
} from '@bindery/contract/wire';
import { CertificationError } from '../failures.ts';
import { digestOf, sizesAndHashes } from '../library/manifest.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import type { AssetCertifier, MadeCertificates } from './certificates.ts';
import { DerivedFileCache } from './derived-file-cache.ts';
import type { ThumbnailOptions } from './thumbnails.ts';
import { workThrough } from './work-through.ts';

/** What a simulation showed, as it is cached. */
type Outcome = { run: SimulationRun; picture: string | null } | { refused: string };

const CACHE_BYTES = 512 * 1024 ** 2;

/**
 * Simulates the robots that were not simulated before with these files, from the folder at `root`. Throws
 * `CertificationError` for robots that fail in a way that `accepted` does not have.
 */
export async function certifyAssets(
  assets: readonly ManifestAsset[],
  root: string,
  certifier: AssetCertifier,
  { accepted, ...options }: ThumbnailOptions & { accepted: ReadonlySet<string> },
): Promise<MadeCertificates> {
  const { cacheFolder, dryRun } = options;
  const cache = new DerivedFileCache(join(cacheFolder, 'certificates'), CACHE_BYTES);
  const robots = assets.filter(
    ({ kind = DEFAULT_KIND, entry }) => entry !== undefined && CERTIFIED_KINDS.has(kind),
  );
  const outcomes = new Map<string, Outcome>();
  for (const robot of robots) {
    const known = cache.read(nameOf(robot, certifier));
    if (known !== null) outcomes.set(robot.id, JSON.parse(known.content.toString('utf8')));
  }
  const missing = robots.filter(({ id }) => !outcomes.has(id));
  const cached = outcomes.size;
  if (!dryRun && missing.length > 0) {
    const work = { label: 'Simulating robots', unit: 'robots' } as const;
    await workThrough(missing, work, certifier, options, async (robot) => {
      outcomes.set(robot.id, await certifyOne(robot, root, certifier, cache));
    });
  }
  const judged = robots.flatMap((robot) => {
    const outcome = outcomes.get(robot.id);
    return outcome === undefined ? [] : [{ robot, outcome }];
  });
  refuseFailed(judged, accepted);
  const passed = judged.flatMap(({ robot, outcome }) =>
    'run' in outcome && failuresOf(outcome).length === 0 ? [{ robot, outcome }] : [],
  );
  cache.trim();
  return {
    sources: passed.flatMap(({ robot, outcome }) => sourcesOf(robot, outcome, certifier)),
    pending: dryRun ? missing.length : 0,
    report: {
      simulated: missing.length,
      cached,
      certified: passed.length,
      uncertified: judged.flatMap(({ robot, outcome }) => {
        const reason = 'refused' in outcome ? outcome.refused : failuresOf(outcome)[0]?.message;
        return reason === undefined ? [] : [{ asset: robot.id, reason }];
      }),
      engines: judged.flatMap(({ robot, outcome }) =>
        ('run' in outcome ? (outcome.run.engines ?? []) : []).map((run) => ({
          asset: robot.id,
          ...engineVerdictOf(run),
        })),
      ),
    },
  };
}

async function certifyOne(
  robot: ManifestAsset,
  root: string,
  certifier: AssetCertifier,
  cache: DerivedFileCache,
): Promise<Outcome> {
  const { kind = DEFAULT_KIND, format, entry = '', files } = robot;
  const asset = { kind, format, entry, ...sizesAndHashes(files) };
  const found = await certifier.certify(asset, async (path) => join(root, path));
  const isRefused = 'refused' in found;
  const outcome: Outcome = isRefused
    ? { refused: found.refused }
    : {
        run: found.certification,
        picture: found.animation ? Buffer.from(found.animation).toString('base64') : null,
      };
  const isTransient = isRefused
    ? found.isTransient
    : found.certification.engines?.some((run) => 'refused' in run && run.isTransient);
  if (!isTransient) cache.write(nameOf(robot, certifier), Buffer.from(JSON.stringify(outcome)));
  return outcome;
}

function nameOf(
  { kind, format, entry, files }: ManifestAsset,
  { version, engines = [] }: AssetCertifier,
): string {
  return hash('sha256', JSON.stringify([version, kind, format, entry, digestOf(files), ...engines]));
}

function failuresOf(outcome: Outcome) {
  return 'run' in outcome ? outcome.run.problems.filter(({ code }) => CERTIFICATE_FAILURES.has(code)) : [];
}

function refuseFailed(
  judged: readonly { robot: ManifestAsset; outcome: Outcome }[],
  accepted: ReadonlySet<string>,
): void {
  const problems = judged.flatMap(({ robot, outcome }) =>
    failuresOf(outcome)
      .filter(({ code }) => !accepted.has(code))
      .map(({ code, message }) => ({ asset: robot.id, file: robot.entry ?? '', code, message })),
  );
  if (problems.length > 0) throw new CertificationError(problems);
}

function sourcesOf(
  robot: ManifestAsset,
  { run, picture }: Extract<Outcome, { run: SimulationRun }>,
  { version: certifier }: AssetCertifier,
): UploadSource[] {
  const { id, entry: file = '', files } = robot;
  const certificate = certificateOf(run, { digest: digestOf(files), file, certifier });
  const text = Buffer.from(JSON.stringify(certificate));
  const webp =
    picture === null ? [] : [bytesSource(certificatePicturePath(id), Buffer.from(picture, 'base64'))];
  return [bytesSource(certificatePath(id), text), ...webp];
}
