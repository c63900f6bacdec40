import type { ManifestAsset } from '@bindery/contract';
import { LIMITS, README_FILE } from '@bindery/contract/wire';
import { z } from 'zod';
import { ImportError } from '../failures.ts';
import {
  formatLibraryAddress,
  type LibraryAddress,
  parseLibraryAddress,
  readQuery,
} from '../library/library-address.ts';
import { readManifest } from '../library/read-manifest.ts';
import type { SourceKind, UpstreamContext, UpstreamFile, UpstreamTree } from './upstream.ts';

const folder = z.object({
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  entries: z.array(z.object({ name: z.string(), size: z.int().optional(), sha256: z.string().optional() })),
});

/** A library of another service, or a release of one, with its assets as that service knows them. */
export const BINDERY: SourceKind = {
  example: 'https://bindery.example/namespace/library@v1',
  parse(address) {
    const [, server = '', library = ''] =
      /^(https?:\/\/[^?#@]+?)\/(?:app\/)?([^/?#]+\/[^/?#]+)$/.exec(address) ?? [];
    const parsed = URL.canParse(server) ? parseLibraryAddress(library) : null;
    return (
      parsed && {
        key: `${server}/${parsed.namespace}/${parsed.name}`,
        address: () => server,
        open: (context) => openLibrary(server, parsed, context),
      }
    );
  },
};

async function openLibrary(
  server: string,
  address: LibraryAddress,
  { requests, environment, signal }: UpstreamContext,
): Promise<UpstreamTree> {
  const token = environment.BINDERY_SOURCE_TOKEN;
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const { namespace, name } = address;
  const raw = `${server}/raw/${namespace}/${name}`;
  const root = await readRoot();
  const query = new URLSearchParams(readQuery(address));
  const { text } = await requests.text(
    `${server}/namespaces/${namespace}/libraries/${name}/manifest?${query}`,
    { headers, signal },
    LIMITS.manifest.bytes,
  );
  const { library = {}, assets, generated = [] } = readManifest(Buffer.from(text));
  if ((await readRoot()).commit !== root.commit)
    throw new ImportError('source_unavailable', `${namespace}/${name} was published meanwhile; try again.`);

  /** A folder of the revision that is to be read. */
  async function readRoot(): Promise<z.infer<typeof folder>> {
    const at = { headers: { ...headers, accept: 'application/json' }, signal };
    return (await requests.json(`${server}/raw/${formatLibraryAddress(address)}/`, folder, at)).document;
  }

  const made = new Set(generated);
  const readme = root.entries.filter(({ name }) => name === README_FILE);
  const files = new Map(
    [
      ...assets.flatMap((asset) => asset.files),
      ...readme.map(({ name, size = 0, sha256 = '' }) => ({ path: name, size, sha256 })),
    ].map((file) => [file.path, file]),
  );
  const source = `${server}/${namespace}/${name}`;
  const permanent = `${server}/raw/${formatLibraryAddress(address)}`;
  return {
    source,
    revision: root.commit,
    library: { homepage: `${server}/app/${namespace}/${name}`, upstream: { repo: source }, ...library },
    folders: new Map(),
    files: [...files.values()].map(
      ({ path, size, sha256 }): UpstreamFile => ({
        ...{ path, size, version: sha256, digest: { algorithm: 'sha256', hex: sha256 } },
        ...{ url: `${permanent}/${encoded(path)}`, etag: `"${sha256}"` },
      }),
    ),
    assets: assets.map((asset) => withoutMade(asset, made)),
    leftOut: [],
    concurrency: 16,
    // Whatever is published meanwhile, files are those of the revision that was listed.
    open: ({ path }, from, fileSignal) =>
      requests.open(`${raw}@${root.commit}/${encoded(path)}`, from, { headers, signal: fileSignal }),
    continues: async () => null,
    close: async () => {},
  };
}

/** Pictures that the other service has are made anew. */
function withoutMade({ thumbnail, ...asset }: ManifestAsset, made: ReadonlySet<string>): ManifestAsset {
  return thumbnail == null || made.has(thumbnail) ? asset : { ...asset, thumbnail };
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
