import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { BodyInputOf, SimilarAssets } from '@bindery/contract';
import { DESCRIPTOR_VERSION, routes } from '@bindery/contract/wire';
import { type AssetAddress, type Client, formatLibraryAddress, libraryParams, readQuery } from '@bindery/sdk';
import type { SimilarOptions } from '@bindery/sdk/libraries';
import { type Parse, UsageProblem } from '../../command.ts';
import { CommandError } from '../../output/command-error.ts';
import { EXIT } from '../../output/exit-codes.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { assetAddress } from './inputs.ts';
import { withRenderer } from './thumbnails.ts';

/** What `--like` names: an asset of the service, or a file of this machine. */
type Like = { file: string } | { asset: AssetAddress & { asset: string } };

/** A file if there is one of this name, else an asset. */
export const likeAddress: Parse<Like> = (value) => {
  if (existsSync(value) && statSync(value).isFile()) return { file: value };
  if (/^\.{0,2}\/|\\/.test(value)) throw new UsageProblem('there is no such file');
  const { asset, ...library } = assetAddress(value);
  if (asset === undefined)
    throw new UsageProblem(
      `expected an asset, such as ${formatLibraryAddress(library)}/mug, or a file with a model or a picture`,
    );
  return { asset: { ...library, asset } };
};

/** Returns the answer of the service as it came. */
export async function askSimilar(
  client: Client,
  like: Like,
  { query, share }: { query: Omit<SimilarOptions, 'signal'>; share: string | undefined },
): Promise<Buffer> {
  if ('file' in like) {
    const { bytes } = await client.raw(routes.search.findSimilarTo, {
      query,
      body: await describeFile(like.file),
      idempotent: true,
    });
    return bytes;
  }
  const { asset: assetId, ...library } = like.asset;
  const { bytes } = await client.raw(routes.search.findSimilar, {
    params: { ...libraryParams(library), assetId },
    query: { ...query, ...readQuery({ ...library, share }) },
  });
  return bytes;
}

/** Describes a model or a picture of this machine for the service to search by. */
async function describeFile(file: string): Promise<BodyInputOf<(typeof routes)['search']['findSimilarTo']>> {
  const { findSubject } = await import('@bindery/sdk/reading');
  const { kind } = findSubject([{ name: file }]) ?? { kind: 'mesh' };
  if (kind === 'image') {
    const { describeImage } = await optionalPackage(
      '@bindery/render',
      'Searching by a picture',
      () => import('@bindery/render'),
    );
    const described = await describeImage(await readFile(file));
    if ('warning' in described) throw undescribed(file, described.warning);
    return { version: DESCRIPTOR_VERSION, picture: described.descriptor };
  }
  const measured = await withRenderer(true, async (renderer) =>
    renderer?.measure({ kind, entry: basename(file), files: filesNear(file) }),
  );
  if (measured === undefined || 'warning' in measured)
    throw undescribed(file, measured?.warning ?? 'cannot be read');
  const { descriptor } = (measured.statistics ?? {}) as { descriptor?: string };
  const [version, model] = descriptor?.split(':') ?? [];
  if (version !== DESCRIPTOR_VERSION || model === undefined) throw undescribed(file, 'nothing visible in it');
  return { version, model };
}

function undescribed(file: string, why: string): CommandError {
  return new CommandError(
    EXIT.usage,
    'cannot_compare',
    `${sanitizeLine(file)} cannot be compared: ${sanitizeLine(why)}.`,
    { next: 'Give a model, a picture, or an asset as <ns/name/asset>.' },
  );
}

/** The file, and those beside it and one folder below, which it can refer to. */
function filesNear(file: string) {
  const folder = dirname(resolve(file));
  const sizes = new Map<string, number>();
  const add = (prefix: string) => {
    for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      if (entry.isFile()) sizes.set(path, statSync(join(folder, path)).size);
      else if (entry.isDirectory() && prefix === '' && !entry.name.startsWith('.')) add(`${path}/`);
    }
  };
  add('');
  return {
    sizes,
    read: async (path: string) => {
      if (!sizes.has(path)) throw new Error('no such file');
      return new Uint8Array(readFileSync(join(folder, path)));
    },
  };
}

/** What a match is called in the table. */
const MATCHES = { identical: 'same files', duplicate: 'duplicate', shape: 'shape', picture: 'picture' };

export function showSimilar(bytes: Buffer, output: Output): void {
  const { hits, total, skipped, comparedBy } = JSON.parse(bytes.toString('utf8')) as SimilarAssets;
  for (const { library } of skipped)
    output.warn(`${sanitizeLine(library)} was left out: it cannot be read at the moment`);
  output.table({
    headings: ['asset', 'similarity', 'match', 'kind', 'license', 'title'],
    rightAligned: [1],
    rows: hits.map(({ namespace, library, assetId, similarity, match, kind, license, title }) =>
      [
        `${namespace}/${library}/${assetId}`,
        similarity.toFixed(2),
        MATCHES[match],
        kind,
        license ?? '',
        title ?? '',
      ].map(sanitizeLine),
    ),
  });
  if (comparedBy.length === 0)
    output.note(
      'Nothing is known of what this asset looks like. Push its library again with --thumbnails, then it can be compared.',
    );
  else output.note(`${hits.length} of ${formatCount(total, 'similar asset')}`);
}
