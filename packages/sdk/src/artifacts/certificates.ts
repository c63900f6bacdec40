import type { EngineVerdict, Manifest, ManifestAsset, SimulationRun } from '@bindery/contract';
import { certificatePath, certificatePicturePath } from '@bindery/contract/wire';
import type { Refusal, StoredAsset } from '@bindery/formats';
import { sameFiles } from '../library/manifest.ts';
import type { UploadSource } from '../tree/upload-source.ts';

/** Simulates robots. The SDK does not include a simulator. */
export interface AssetCertifier {
  /** Identifies how it judges, with the version of MuJoCo: the same files and the same version give the same verdict. */
  readonly version: string;
  /** Other engines that it asks, with their versions: their verdicts are part of an outcome, too. */
  readonly engines?: readonly string[];
  /** How many robots it simulates at once. */
  readonly concurrency: number;
  certify(
    asset: StoredAsset,
    locate: (path: string) => Promise<string>,
  ): Promise<{ certification: SimulationRun; animation?: Uint8Array } | Refusal>;
  /** Stops the certifier. Simulations in progress are refused. */
  close(): Promise<void>;
}

/** What came of the robots of a library. In a plan, `simulated` counts those that would be. */
export interface CertificateReport {
  simulated: number;
  /** Robots that were simulated from the same files in an earlier run. */
  cached: number;
  certified: number;
  /** Robots without a certificate, and why. */
  uncertified: { asset: string; reason: string }[];
  /** What other engines made of robots, if some were asked. */
  engines: ({ asset: string } & EngineVerdict)[];
}

export interface MadeCertificates {
  /** The certificate and the picture of each certified asset. */
  sources: readonly UploadSource[];
  /** How many robots a plan has yet to simulate; otherwise 0. */
  pending: number;
  report: CertificateReport;
}

/** Returns the manifest with the certificates among its platform artifacts. */
export function withCertificates(manifest: Manifest, made: MadeCertificates | null): Manifest {
  if (made === null) return manifest;
  // Another version of MuJoCo may judge the same files otherwise.
  const outdated = new Set(made.report.uncertified.flatMap(({ asset }) => certificatePaths(asset)));
  const kept = (manifest.generated ?? []).filter((path) => !outdated.has(path));
  const generated = [...new Set([...kept, ...made.sources.map(({ path }) => path)])];
  return generated.length === 0 && manifest.generated === undefined ? manifest : { ...manifest, generated };
}

/** The paths of an asset's certificate and of its picture. */
export function certificatePaths(asset: string): string[] {
  return [certificatePath(asset), certificatePicturePath(asset)];
}

/** Returns the certificate and the picture that an asset had, if its files are the same. */
export function certificatesOf(
  asset: ManifestAsset,
  earlier: ManifestAsset | undefined,
  stored: ReadonlySet<string>,
): string[] {
  if (earlier === undefined || earlier.entry !== asset.entry) return [];
  if (!sameFiles(asset, earlier)) return [];
  return certificatePaths(asset.id).filter((path) => stored.has(path));
}
