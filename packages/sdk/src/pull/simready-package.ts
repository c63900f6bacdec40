import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { MadeCertificate } from '@bindery/contract';
import { type Loss, stagePicture } from '@bindery/formats';
import { RECEIPT, runtimeTests } from '../artifacts/receipts.ts';
import type { CachedAsset, DescribedAsset } from './place-in-cache.ts';

/** The folder of a stage in its package; supporting files of SimReady would be in it as well. */
const FOLDER = 'usd';

/** A stage that was written into a draft of the folder `target`. */
interface Generated {
  draft: string;
  target: string;
  asset: string;
  stage: string;
  files: readonly string[];
}

/**
 * Lays a stage and its picture out as SimReady's requirements NP.005 and SR.002 ask: the stage is called as the folder of
 * the asset, and is in a folder of its own. Beside it is what SR.004 asks that the stage does not say, and the certificates as runs of the benchmark.
 * What is in `target` already says when the stage was generated first.
 */
export function layOutSimReady(
  { draft, target, asset, stage, files }: Generated,
  described: DescribedAsset & Pick<CachedAsset, 'entry'>,
  certificates: readonly MadeCertificate[],
): { entry: string; files: string[]; losses: Loss[] } {
  const name = basename(target);
  const entry = `${FOLDER}/${name}.usdz`;
  const picture = `${FOLDER}/${stagePicture(`${name}.usdz`)}`;
  const places = new Map([
    [stage, entry],
    [stagePicture(stage), picture],
  ]);
  mkdirSync(dirname(join(draft, picture)), { recursive: true });
  const moved = files.map((file) => {
    const place = places.get(file) ?? file;
    if (place !== file) renameSync(join(draft, file), join(draft, place));
    return place;
  });
  rmSync(dirname(dirname(join(draft, stagePicture(stage)))), { recursive: true, force: true });
  const sidecar = `${FOLDER}/${name}.json`;
  const date = dateIn(join(target, sidecar)) ?? today();
  const { metadata, missing } = metadataOf(described, date);
  const written = new Map<string, object>([[sidecar, metadata]]);
  if (certificates.length > 0)
    written.set(`${FOLDER}/${RECEIPT}`, { runtime_tests: runtimeTests(certificates, date) });
  for (const [path, value] of written) {
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    writeFileSync(join(draft, path), `${JSON.stringify(value, null, 2)}\n`);
  }
  const losses: Loss[] = [];
  if (missing.length > 0)
    losses.push({ what: 'SimReady', names: ['SR.004'], why: `${asset} has no ${missing.join(', ')}` });
  if (!moved.includes(picture))
    losses.push({ what: 'SimReady', names: ['SR.002'], why: 'no picture of it could be drawn' });
  return { entry, files: [...moved, ...written.keys()], losses };
}

/** What a manifest says of an asset, in the words of SimReady; and the words for what it does not say. */
function metadataOf(
  { attribution, license, category, qcode, entry }: DescribedAsset & Pick<CachedAsset, 'entry'>,
  date: string,
) {
  const known = { author: attribution, asset_license: license, category, qcode };
  const said = Object.entries(known).filter(([, value]) => value !== null);
  const missing = Object.keys(known).filter((word) => known[word as keyof typeof known] === null);
  return {
    metadata: { ...Object.fromEntries(said), source_file: entry ?? '', usd_date_generated: date },
    missing,
  };
}

/** The date in the metadata that are there; undefined if there are none. */
function dateIn(path: string): string | undefined {
  try {
    const { usd_date_generated: date } = JSON.parse(readFileSync(path, 'utf8'));
    return /^\d{4}-\d\d-\d\d$/.test(date) ? date : undefined;
  } catch {
    return undefined;
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
