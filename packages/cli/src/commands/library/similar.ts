import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SimilarAssets } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { type AssetAddress, type Client, formatLibraryAddress, libraryParams, readQuery } from '@bindery/sdk';
import type { SimilarOptions } from '@bindery/sdk/libraries';
import { type Parse, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { countMissing, describeFile, type Extract } from './describe-file.ts';
import { assetAddress } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { partialNote } from './search-filters.ts';

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

/** Four numbers of pixels. */
export const crop: Parse<readonly [number, number, number, number]> = (value) => {
  const [x = -1, y = -1, width = 0, height = 0, ...more] = value
    .split(',')
    .map((number) => (/^\d{1,6}$/.test(number) ? Number(number) : Number.NaN));
  if (more.length > 0 || !(x >= 0 && y >= 0 && width > 0 && height > 0))
    throw new UsageProblem('expected left, top, width and height in pixels, such as 120,80,300,200');
  return [x, y, width, height];
};

type Asked = { query: Omit<SimilarOptions, 'signal'>; share: string | undefined } & Extract;

/** Returns the answer of the service as it came. Warns if a file of this machine lacks others that it needs. */
export async function askSimilar(
  client: Client,
  like: Like,
  asked: Asked,
  context: Context,
): Promise<Buffer> {
  const { query, share, ...extract } = asked;
  if ('file' in like) {
    const { output, signal } = context;
    const { described: body, missing } = await describeFile(like.file, { ...extract, signal });
    if (missing.length > 0)
      output.warn(`${sanitizeLine(like.file)} is compared without parts: ${countMissing(missing)}`);
    const { bytes } = await client.raw(routes.search.findSimilarTo, { query, body, idempotent: true });
    return bytes;
  }
  if (extract.part !== undefined || extract.crop !== undefined)
    return withFileOf(client, { ...like.asset, share }, context, (file) =>
      askSimilar(client, { file }, asked, context),
    );
  const { asset: assetId, ...library } = like.asset;
  const { bytes } = await client.raw(routes.search.findSimilar, {
    params: { ...libraryParams(library), assetId },
    query: { ...query, ...readQuery({ ...library, share }) },
  });
  return bytes;
}

/** Pulls an asset to a folder that is removed afterwards: the service knows what it looks like as a whole. */
async function withFileOf<T>(
  client: Client,
  { asset, ...library }: AssetAddress & { asset: string; share: string | undefined },
  context: Context,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const { pullLibrary } = await import('@bindery/sdk/reading');
  const folder = mkdtempSync(join(tmpdir(), 'bindery-like-'));
  try {
    const pulled = await pullLibrary(client, library, join(folder, 'files'), {
      ...(await localOptions(context)),
      stateFolder: join(folder, 'state'),
      assets: [asset],
    });
    const entry = pulled.opened[0]?.entry;
    if (!entry) throw usageError(`${sanitizeLine(asset)} has no file to open.`);
    return await work(join(pulled.folder, entry));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a match is called in the table. */
const MATCHES = { identical: 'same files', duplicate: 'duplicate', shape: 'shape', picture: 'picture' };

export function showSimilar(bytes: Buffer, output: Output): void {
  const { hits, total, skipped, partial, comparedBy } = JSON.parse(bytes.toString('utf8')) as SimilarAssets;
  for (const { library } of skipped)
    output.warn(`${sanitizeLine(library)} was left out: it cannot be read at the moment`);
  if (partial !== undefined) output.warn(partialNote(partial));
  output.table({
    headings: ['asset', 'similarity', 'match', 'kind', 'license', 'title'],
    rightAligned: [1],
    rows: hits.map(({ namespace, library, assetId, similarity, match, part, kind, license, title }) =>
      [
        `${namespace}/${library}/${assetId}`,
        similarity.toFixed(2),
        part === undefined ? MATCHES[match] : `its ${part}`,
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
