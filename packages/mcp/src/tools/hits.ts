import { FEATURES, LICENSE_CLASSES, LIMITS, readRange } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { FoundAsset } from '../catalog.ts';
import { picturesOf } from '../pictures.ts';
import type { Answer } from '../tool.ts';
import { formatLibrary } from './names.ts';

const value = z.string().min(1).max(200);
const filter = (description: string, one: z.ZodType<string> = value) =>
  z
    .union([one, z.array(one).min(1).max(LIMITS.search.filterValues)])
    .transform((values) => [values].flat())
    .optional()
    .describe(description);

const rangeValue = z.string().refine((text) => readRange(text) !== null, { error: 'a number or a range' });
const range = (description: string) => filter(`${description}: "..5", "2..5", "2.." or "2".`, rangeValue);

/** What can be asked of assets besides words. */
export const filters = {
  category: filter('Only of this category, or one of these; so are the other filters.'),
  kind: filter('Only of this kind: mjcf, urdf, sdf, mesh, splat, image, file …'),
  license: filter(
    `Only under this licence, as SPDX writes it (MIT, Apache-2.0, CC-BY-4.0 …), or of this class: ${LICENSE_CLASSES.join(', ')}.`,
  ),
  tag: filter('Only with this tag.'),
  format: filter('Only in this format: glb, usd, obj, xml …'),
  author: filter('Only by this author, as the attribution names them.'),
  has: z.array(z.enum(FEATURES)).min(1).optional().describe('Only with all of these.'),
  bytes: range('Only with a download of so many bytes'),
  height: range('Only so tall, in metres'),
  extent: range('Only with a longest side of so many metres'),
  mass: range('Only of so many kilograms'),
  joints: range('Only with so many joints'),
  triangles: range('Only with so many triangles'),
};

export const pictures = z
  .boolean()
  .default(true)
  .describe(`Whether to include the thumbnails of the first ${BOUNDS.pictures.perAnswer} hits as images.`);

/** What authors say of an asset, in every answer about one. */
export const authoredAsset = {
  assetId: z.string(),
  kind: z.string(),
  format: z.string().nullable(),
  category: z.string().nullable(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  license: z.string().nullable(),
};

export const hit = z.object({
  library: z.string().describe('In the form that other tools accept.'),
  score: z.number(),
  files: z.object({ count: z.int(), bytes: z.int() }),
  digest: z.string(),
  picture: z.int().nullable().describe('Which image of this response shows it, counted from 1.'),
  authored: z.object({
    ...authoredAsset,
    entryPoint: z.string().nullable().describe('Which of its entry points the query names.'),
  }),
});

type Hit = z.input<typeof hit>;

/**
 * Describes hits, with their thumbnails if they are wanted.
 *
 * @param release of the library that was searched, if it was one
 */
export async function describeHits(
  found: readonly FoundAsset[],
  wanted: boolean,
  release?: string,
): Promise<{ hits: Hit[]; pictures: Answer<unknown>['pictures'] }> {
  const shown = await picturesOf(wanted ? found : []);
  const labelled = found.flatMap((_, at) => {
    const picture = shown[at];
    return picture ? [{ at, picture }] : [];
  });
  return {
    hits: found.map((one, at) => describe(one, release, numberOf(labelled, at))),
    pictures: labelled.map(({ at, picture }, number) => ({
      label: `Image ${number + 1}: hit ${at + 1}`,
      picture,
    })),
  };
}

function numberOf(labelled: readonly { at: number }[], at: number): number | null {
  const index = labelled.findIndex((one) => one.at === at);
  return index < 0 ? null : index + 1;
}

function describe({ hit }: FoundAsset, release: string | undefined, picture: number | null): Hit {
  const { namespace, library: name, assetId, kind, format, category, score, files, digest } = hit;
  return {
    library: formatLibrary({ namespace, name, release }),
    score,
    files,
    digest,
    picture,
    ...authored({
      assetId,
      kind,
      format,
      category,
      title: hit.title,
      description: shortened(hit.description, BOUNDS.listedText),
      tags: hit.tags,
      license: hit.license,
      entryPoint: hit.entryPoint ?? null,
    }),
  };
}
