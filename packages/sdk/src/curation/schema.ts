import {
  LIMITS,
  manifestAssetFields,
  manifestEntryPoint,
  manifestLibrary,
  vocabularyToken,
} from '@bindery/contract';
import { z } from 'zod';
import { CHECK_CODES } from '../check/codes.ts';
import { globProblem } from '../globs/glob.ts';

const glob = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const message = globProblem(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });
const globs = z.array(glob);
const { title, description, category, tags, license, attribution, kind, format, entry, thumbnail } =
  manifestAssetFields.shape;

const curatedAsset = z.strictObject({
  title,
  description,
  category,
  tags,
  license,
  attribution,
  kind,
  format,
  entry,
  entryPoints: z.record(z.string().min(1).max(64), manifestEntryPoint).optional(),
  thumbnail,
  meta: z
    .record(z.string(), z.json())
    .refine(
      (meta) => new TextEncoder().encode(JSON.stringify(meta)).byteLength <= LIMITS.manifest.metaBytes,
      {
        error: `at most ${LIMITS.manifest.metaBytes} bytes as JSON`,
      },
    )
    .optional(),
  files: globs.min(1, { error: 'at least one glob' }).optional(),
});
/** What the author states about one asset; what is absent is discovered. */
export type CuratedAsset = z.infer<typeof curatedAsset>;

/** The whole of `bindery.yml`. Globs and paths are relative to its folder. */
export const curation = z.strictObject({
  /** The library block of the manifest. */
  library: manifestLibrary.optional(),
  discover: z
    .strictObject({
      /** Each folder or file that matches is an asset. By default assets are found. */
      assets: globs.optional(),
      /** What is not part of the library. */
      exclude: globs.optional(),
    })
    .optional(),
  /** Used for assets that do not state their own; `tags` are added to theirs. */
  defaults: z
    .strictObject({ category: vocabularyToken.optional(), license: manifestLibrary.shape.license, tags })
    .optional(),
  /** Codes of findings of `bindery library check` that are intended. */
  check: z.strictObject({ accept: z.array(z.enum(CHECK_CODES)).optional() }).optional(),
  /** By id. An asset with `files` claims them, wherever they are. */
  assets: z.record(manifestAssetFields.shape.id, curatedAsset).optional(),
});
export type Curation = z.infer<typeof curation>;
