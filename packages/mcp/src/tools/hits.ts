import { FEATURES, LICENSE_CLASSES, LIMITS, readRange } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored, shortened } from '../authored.ts';
import type { FoundAsset } from '../catalog.ts';
import { picturesOf } from '../pictures.ts';
import type { Answer } from '../tool.ts';
import { formatLibrary } from './names.ts';

const value = z.string().min(1).max(200);
const filter = (one: z.ZodType<string> = value) =>
  z
    .union([one, z.array(one).min(1).max(LIMITS.search.filterValues)])
    .transform((values) => [values].flat())
    .optional();

const rangeValue = z.string().refine((text) => readRange(text) !== null, { error: 'a number or a range' });

/** What can be asked of assets besides words, where another tool describes it. */
export const plainFilters = {
  category: filter(),
  kind: filter(),
  license: filter(),
  tag: filter(),
  format: filter(),
  author: filter(),
  has: z.array(z.enum(FEATURES)).min(1).max(FEATURES.length).optional(),
  bytes: filter(rangeValue),
  height: filter(rangeValue),
  extent: filter(rangeValue),
  mass: filter(rangeValue),
  joints: filter(rangeValue),
  triangles: filter(rangeValue),
};

export const filters = {
  ...plainFilters,
  category: plainFilters.category.describe(
    'Only of this category, or one of these; likewise the other filters.',
  ),
  kind: plainFilters.kind.describe('mjcf, urdf, sdf, mesh, splat, image, file …'),
  license: plainFilters.license.describe(
    `As SPDX writes it (MIT, CC-BY-4.0 …), or a class: ${LICENSE_CLASSES.join(', ')}.`,
  ),
  format: plainFilters.format.describe('glb, usd, obj, xml …'),
  author: plainFilters.author.describe('As the attribution names them.'),
  bytes: plainFilters.bytes.describe('"..5", "2..5", "2.." or "2"; likewise the other numbers.'),
  height: plainFilters.height.describe('In metres.'),
  extent: plainFilters.extent.describe('The longest side, in metres.'),
  mass: plainFilters.mass.describe('In kilograms.'),
};

export const pictures = z
  .boolean()
  .default(true)
  .describe(`Whether to show the first ${BOUNDS.pictures.perAnswer} hits as images.`);

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
  library: z.string(),
  score: z.number(),
  files: z.object({ count: z.int(), bytes: z.int() }),
  digest: z.string(),
  picture: z.int().nullable().describe('Which image of this response shows it, counted from 1.'),
  authored: z.object({
    ...authoredAsset,
    /** Which of its entry points the query names. */
    entryPoint: z.string().nullable(),
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
