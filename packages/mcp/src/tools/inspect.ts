import { assetId } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS, cursorInput, readCursor, writeCursor } from '../arguments.ts';
import { authored } from '../authored.ts';
import type { AssetCard, Catalog } from '../catalog.ts';
import { picturesOf } from '../pictures.ts';
import { defineTool, READ_ONLY } from '../tool.ts';
import { certificate, describeCertificate } from './certify.ts';
import { authoredAsset } from './hits.ts';
import { formatLibrary, revisionInput } from './names.ts';

const input = z.strictObject({
  library: revisionInput,
  assetId: assetId.describe('authored.assetId of a hit.'),
  files: z.int().min(0).max(BOUNDS.files.max).default(BOUNDS.files.default),
  cursor: cursorInput,
});

const output = z.object({
  library: z.string(),
  revision: z.int(),
  fileCount: z.int(),
  totalBytes: z.int(),
  digest: z.string().describe('Equal digests are equal files.'),
  nextCursor: z.string().nullable(),
  authored: z.object({
    ...authoredAsset,
    attribution: z.string().nullable(),
    upstream: z.record(z.string(), z.unknown()).nullable(),
    entry: z.string().nullable().describe('The file that a viewer opens.'),
    entryPoints: z.record(z.string(), z.object({ kind: z.string(), file: z.string() })),
    meta: z.record(z.string(), z.unknown()),
    certificates: z.array(certificate),
    page: z.string().describe('Its page in the dashboard, to show to people.'),
    files: z.array(z.object({ path: z.string(), size: z.int(), sha256: z.string() })),
  }),
});

export const inspectAsset = (catalog: Catalog) =>
  defineTool({
    name: 'inspect_asset',
    title: 'Inspect an asset',
    description:
      'Shows one asset: its licence, its description, how a robot behaved in simulation, its files with sizes and hashes, and its thumbnail as an image.',
    annotations: READ_ONLY,
    viewer: { shows: true, calls: true },
    input,
    output,
    async run({ library, assetId, files: limit, cursor }) {
      const question = JSON.stringify([formatLibrary(library), assetId]);
      const offset = readCursor(question, cursor);
      const card = await catalog.readAsset(library, assetId, { offset, limit });
      const { revision, id, kind, format, category, fileCount, totalBytes, digest } = card;
      const next = offset + card.files.length;
      const [picture] = offset === 0 ? await picturesOf([card]) : [];
      return {
        value: {
          library: formatLibrary(library),
          revision,
          fileCount,
          totalBytes,
          digest,
          nextCursor: card.files.length > 0 && next < fileCount ? writeCursor(question, next) : null,
          ...authored({
            assetId: id,
            kind,
            format,
            category,
            title: card.title,
            description: card.description,
            tags: [...card.tags],
            license: card.license,
            attribution: card.attribution,
            upstream: card.upstream,
            entry: card.entry,
            entryPoints: card.entryPoints,
            meta: withoutDescriptor(card.meta),
            certificates: card.certificates.map(describeCertificate),
            page: card.page,
            files: card.files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
          }),
        },
        pictures: picture ? [{ label: 'Image 1: the asset', picture }] : [],
      };
    },
  });

/** What the asset is compared by says nothing to a model; `find_similar` compares. */
function withoutDescriptor(meta: AssetCard['meta']): AssetCard['meta'] {
  const { descriptor: _, ...statistics } = (meta.statistics ?? {}) as Record<string, unknown>;
  return 'statistics' in meta ? { ...meta, statistics } : meta;
}
