import { existsSync, statSync } from 'node:fs';
import type { SimilarAssets } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { type AssetAddress, type Client, formatLibraryAddress, libraryParams, readQuery } from '@bindery/sdk';
import type { SimilarOptions } from '@bindery/sdk/libraries';
import { type Parse, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { countMissing, describeFile } from './describe-file.ts';
import { assetAddress } from './inputs.ts';
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

/** Returns the answer of the service as it came. Warns if a file of this machine lacks others that it needs. */
export async function askSimilar(
  client: Client,
  like: Like,
  { query, share }: { query: Omit<SimilarOptions, 'signal'>; share: string | undefined },
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): Promise<Buffer> {
  if ('file' in like) {
    const { described: body, missing } = await describeFile(like.file, undefined, signal);
    if (missing.length > 0)
      output.warn(`${sanitizeLine(like.file)} is compared without parts: ${countMissing(missing)}`);
    const { bytes } = await client.raw(routes.search.findSimilarTo, { query, body, idempotent: true });
    return bytes;
  }
  const { asset: assetId, ...library } = like.asset;
  const { bytes } = await client.raw(routes.search.findSimilar, {
    params: { ...libraryParams(library), assetId },
    query: { ...query, ...readQuery({ ...library, share }) },
  });
  return bytes;
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
