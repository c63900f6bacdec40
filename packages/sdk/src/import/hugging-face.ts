import type { ManifestLibrary } from '@bindery/contract';
import { z } from 'zod';
import { toSpdxExpression } from '../discovery/license/spdx-expressions.ts';
import { ImportError } from '../failures.ts';
import { RefusedRequest } from './requests.ts';
import {
  refuseTooMany,
  type SourceKind,
  type UpstreamContext,
  type UpstreamFile,
  type UpstreamTree,
} from './upstream.ts';

const PAGES = 'https://huggingface.co';

interface Repository {
  kind: 'models' | 'datasets';
  name: string;
  revision: string;
}

const described = z.object({
  sha: z.string().max(128),
  cardData: z.object({ license: z.unknown(), pretty_name: z.unknown() }).partial().nullish(),
  tags: z.array(z.string()).optional(),
});

const entries = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    oid: z.string(),
    size: z.number(),
    lfs: z.object({ oid: z.string() }).nullish(),
  }),
);

/** Without it, the answer also lists every file. */
const DESCRIBED = 'expand=sha&expand=cardData&expand=tags';

/** Models and datasets of Hugging Face, or of a server that speaks like it, as `HF_ENDPOINT` says. */
export const HUGGING_FACE: SourceKind = {
  example: 'hf:datasets/owner/name@main',
  parse(address) {
    const typed = address.startsWith(`${PAGES}/`)
      ? address.slice(PAGES.length + 1).replace(/\/(?:tree|resolve)\/([^/]+)\/?$/, '@$1')
      : /^hf:(?:\/\/)?(.*)$/.exec(address)?.[1];
    if (typed === undefined) return null;
    const [, dataset, name, revision = 'main'] =
      /^(?:(datasets\/)|models\/)?([\w.-]+\/[\w.-]+)(?:@([\w./-]+))?\/?$/.exec(typed) ?? [];
    if (name === undefined)
      throw new ImportError(
        'source_invalid',
        `invalid source "${address}": expected hf:[datasets/]<owner>/<name>[@<revision>]`,
      );
    const repository: Repository = { kind: dataset ? 'datasets' : 'models', name, revision };
    return {
      key: `hf:${repository.kind}/${name}`,
      address: endpointOf,
      open: (context) => openRepository(repository, context),
    };
  },
};

function endpointOf({ HF_ENDPOINT = PAGES }: UpstreamContext['environment']): string {
  return HF_ENDPOINT.replace(/\/$/, '');
}

async function openRepository(
  { kind, name, revision }: Repository,
  { requests, environment, maxFiles, signal }: UpstreamContext,
): Promise<UpstreamTree> {
  const endpoint = endpointOf(environment);
  const token = environment.HF_TOKEN;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const at = { headers, signal };
  const api = `${endpoint}/api/${kind}/${name}`;
  const describe = (of: string) =>
    requests
      .json(`${api}/revision/${encodeURIComponent(of)}?${DESCRIBED}`, described, at)
      .then(({ document }) => document);
  const { sha, cardData, tags = [] } = await describe(revision);
  const page = `${endpoint}/${kind === 'datasets' ? 'datasets/' : ''}${name}`;
  const license = licenseOf(cardData?.license, tags);
  const files: UpstreamFile[] = [];
  let pages = 0;
  for (let next: string | null = `${api}/tree/${sha}?recursive=true&expand=false`; next !== null; ) {
    const { document, headers: received } = await requests.json(next, entries, at);
    for (const { type, path, oid, size, lfs } of document) {
      if (type !== 'file') continue;
      const digest = lfs
        ? ({ algorithm: 'sha256', hex: lfs.oid } as const)
        : ({ algorithm: 'git', hex: oid } as const);
      const url = `${page}/resolve/${sha}/${path.split('/').map(encodeURIComponent).join('/')}`;
      files.push({ path, version: lfs?.oid ?? oid, size, digest, url });
    }
    refuseTooMany(files.length, maxFiles);
    refuseTooMany(++pages);
    next = nextPage(received.link, endpoint);
  }
  const library: ManifestLibrary = {
    ...(typeof cardData?.pretty_name === 'string' && { title: cardData.pretty_name }),
    ...(license !== undefined && { license }),
    homepage: page,
    upstream: { repo: page, commit: sha },
  };
  return {
    source: page,
    revision: sha,
    library,
    folders: new Map(),
    files,
    leftOut: [],
    concurrency: 16,
    open: ({ url }, from, fileSignal) => requests.open(url, from, { headers, signal: fileSignal }),
    // A history that was squashed no longer has its commits.
    continues: (earlier) =>
      describe(earlier).then(
        () => true,
        (error: unknown) => {
          if (error instanceof RefusedRequest && error.status === 404) return false;
          throw error;
        },
      ),
    close: async () => {},
  };
}

function licenseOf(stated: unknown, tags: readonly string[]): string | undefined {
  const tagged = tags.find((tag) => tag.startsWith('license:'))?.slice('license:'.length);
  const license = typeof stated === 'string' ? stated : tagged;
  return license && (toSpdxExpression(license) ?? license);
}

/** Returns the address of the next page, which has to be of the same server. */
function nextPage(link: string | undefined, endpoint: string): string | null {
  const next = /<([^<>]{1,2048})>; ?rel="next"/.exec(link ?? '')?.[1];
  if (next === undefined) return null;
  const address = new URL(next, endpoint);
  if (address.origin !== new URL(endpoint).origin)
    throw new ImportError(
      'source_refused',
      `${endpoint} continues its list at another server, ${address.origin}.`,
    );
  return address.href;
}
