import { LIMITS, type Method, sha256Hex } from '@bindery/contract';
import { z } from 'zod';
import { usdSearchRequest } from './usd-search/request.ts';

/*
 * The bodies that clients of the doors send, by the protocols of Hugging Face and USD Search. Every list and every text has a bound.
 */

/** The most paths that a client can ask about at once; clients in Python ask about up to 500. */
const MAX_PATHS = 1_000;

/** The most changes of a commit, as at Hugging Face. */
export const MAX_CHANGES = 25_000;

interface DoorBody<Body extends z.ZodType> {
  method: Method;
  /** As the route is registered, `kind` being one of `models` and `datasets`. */
  path: string;
  body: Body;
}

function defineBody<Body extends z.ZodType>(path: string, body: Body): DoorBody<Body> {
  return { method: 'POST', path, body };
}

const text = z.string().max(200);
const path = z.string().max(LIMITS.path.bytes);
const size = z.int().min(0);

const createRepository = defineBody(
  '/hf/api/repos/create',
  z.looseObject({
    name: text,
    organization: text.nullish(),
    type: text.nullish(),
    private: z.boolean().nullish(),
    visibility: text.nullish(),
  }),
);

const preupload = defineBody(
  '/hf/api/:kind/:namespace/:name/preupload/:revision',
  z.looseObject({ files: z.array(z.looseObject({ path, size })).max(LIMITS.uploadBatch.files) }),
);

const lfsBatch = defineBody(
  '/hf/:namespace/:name/info/lfs/objects/batch',
  z.looseObject({
    operation: z.literal('upload'),
    objects: z.array(z.looseObject({ oid: sha256Hex, size })).max(LIMITS.uploadBatch.files),
  }),
);

/** A JSON body, as clients in JavaScript send it, or a form, as those in Python do. */
const pathsInfo = defineBody(
  '/hf/api/:kind/:namespace/:name/paths-info/:revision',
  z
    .looseObject({
      paths: z.union([z.array(path).max(MAX_PATHS), path]).default([]),
      expand: z.union([z.boolean(), z.string().max(5)]).default(false),
    })
    .transform(({ paths, expand }) => ({
      paths: [paths].flat(),
      expand: /^(true|1)$/i.test(String(expand)),
    })),
);

const line = z.discriminatedUnion('key', [
  z.looseObject({ key: z.literal('header'), value: z.looseObject({ parentCommit: text.nullish() }) }),
  z.looseObject({
    key: z.literal('file'),
    value: z.looseObject({
      path,
      content: z.string().max(LIMITS.pathsBody),
      encoding: z.enum(['base64', 'utf-8']).optional(),
    }),
  }),
  z.looseObject({
    key: z.literal('lfsFile'),
    value: z.looseObject({ path, oid: sha256Hex, size: size.nullish() }),
  }),
  z.looseObject({ key: z.enum(['deletedFile', 'deletedFolder']), value: z.looseObject({ path }) }),
]);

/** A change as a client states it: a file that it copies can come without its size. */
export type StatedChange =
  | { kind: 'write'; path: string; content: string; encoding: 'base64' | 'utf8' }
  | { kind: 'put'; path: string; sha256: string; size: number | null }
  | { kind: 'delete'; path: string };

/** One JSON object in each line. */
const commit = defineBody(
  '/hf/api/:kind/:namespace/:name/commit/:revision',
  z
    .array(line)
    .max(MAX_CHANGES + 1)
    .transform((lines) => {
      const header = lines.findLast(({ key }) => key === 'header');
      return {
        parent: header?.key === 'header' ? (header.value.parentCommit ?? undefined) : undefined,
        changes: lines.flatMap(changesOf),
      };
    }),
);

function changesOf({ key, value }: z.output<typeof line>): StatedChange[] {
  switch (key) {
    case 'header':
      return [];
    case 'file': {
      const { path, content, encoding } = value;
      return [{ kind: 'write', path, content, encoding: encoding === 'utf-8' ? 'utf8' : 'base64' }];
    }
    case 'lfsFile':
      return [{ kind: 'put', path: value.path, sha256: value.oid, size: value.size ?? null }];
    case 'deletedFile':
      return [{ kind: 'delete', path: value.path }];
    case 'deletedFolder':
      return [{ kind: 'delete', path: `${value.path.replace(/\/$/, '')}/` }];
  }
}

const usdSearch = defineBody('/usdsearch/search_hybrid', usdSearchRequest);
const usdQuery = defineBody(
  '/usdsearch/llm_parse/query',
  z.looseObject({ query: z.string().min(1).max(LIMITS.search.queryLength) }),
);

export const doorBodies = { createRepository, preupload, lfsBatch, pathsInfo, commit, usdSearch, usdQuery };
