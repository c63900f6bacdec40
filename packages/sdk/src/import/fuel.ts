import { LIMITS } from '@bindery/contract/wire';
import { percentDecoded } from '@bindery/formats';
import { z } from 'zod';
import { toSpdxExpression } from '../discovery/license/spdx-expressions.ts';
import { ImportError } from '../failures.ts';
import { RefusedRequest } from './requests.ts';
import type { SourceKind, UpstreamContext, UpstreamFile, UpstreamFolder, UpstreamTree } from './upstream.ts';

const SERVER = 'https://fuel.gazebosim.org';

const model = z.object({
  name: z.string(),
  owner: z.string(),
  version: z.number().optional(),
  license_name: z.string().optional(),
});
type Model = z.infer<typeof model>;

/** Models of Gazebo Fuel, or of a server that speaks like it: those of an owner, of a collection, or one. */
export const FUEL: SourceKind = {
  example: 'fuel:OpenRobotics/collections/Cafe',
  parse(address) {
    const [, server, path] = /^(?:fuel:(?:\/\/)?|(https?:\/\/[^/]+)\/1\.0\/)(.+?)\/?$/.exec(address) ?? [];
    if (path === undefined || (server === undefined && !address.startsWith('fuel:'))) return null;
    const [owner = '', what, name, ...more] = path.split('/').map(percentDecoded);
    const isKnown =
      what === undefined || ((what === 'collections' || what === 'models') && name !== undefined);
    if (!isKnown || more.length > 0)
      throw new ImportError(
        'source_invalid',
        `invalid source "${address}": expected fuel:<owner>, fuel:<owner>/collections/<name> or fuel:<owner>/models/<name>`,
      );
    return {
      key: `fuel:${server ?? SERVER}/${path}`,
      address: () => server ?? SERVER,
      open: (context) => openModels(server ?? SERVER, { owner, what, name }, context),
    };
  },
};

async function openModels(
  server: string,
  { owner, what, name }: { owner: string; what: string | undefined; name: string | undefined },
  { requests, environment, signal }: UpstreamContext,
): Promise<UpstreamTree> {
  const token = environment.FUEL_TOKEN;
  const at = { headers: (token ? { 'private-token': token } : {}) as Record<string, string>, signal };
  const encoded = (parts: readonly string[]) => `${server}/1.0/${parts.map(encodeURIComponent).join('/')}`;
  const models: Model[] = [];
  if (what === 'models')
    models.push((await requests.json(encoded([owner, 'models', name ?? '']), model, at)).document);
  else {
    const list = encoded(what === 'collections' ? [owner, what, name ?? '', 'models'] : [owner, 'models']);
    for (let page = 1; models.length <= LIMITS.manifest.assets; page++) {
      const found = await pageOf(`${list}?page=${page}&per_page=100`);
      models.push(...found);
      if (found.length === 0) break;
    }
  }
  if (models.length === 0)
    throw new RefusedRequest(encoded([owner, ...(what ? [what] : []), ...(name ? [name] : [])]), 404);

  /** A page beyond the last is empty or missing. */
  async function pageOf(address: string): Promise<Model[]> {
    const isMissing = (error: unknown) => error instanceof RefusedRequest && error.status === 404;
    return requests.json(address, z.array(model), at).then(
      ({ document }) => document,
      (error: unknown) => {
        if (isMissing(error)) return [];
        throw error;
      },
    );
  }

  const page = `${server}/${[owner, what, name].filter(Boolean).join('/')}`;
  const folderOf = uniqueFolders(models);
  return {
    source: page,
    revision: null,
    library: { homepage: page, upstream: { repo: page } },
    folders: new Map(
      models.map((model): [string, UpstreamFolder] => [
        folderOf(model),
        {
          title: model.name,
          attribution: model.owner,
          ...(model.license_name && {
            license: toSpdxExpression(model.license_name) ?? model.license_name,
          }),
        },
      ]),
    ),
    files: models.map((model): UpstreamFile => {
      const version = String(model.version ?? 'tip');
      const url = encoded([model.owner, 'models', model.name, version, `${model.name}.zip`]);
      return { path: folderOf(model), version, size: null, digest: null, url, archive: 'zip' };
    }),
    leftOut: [],
    concurrency: 8,
    open: ({ url }, from, fileSignal) => requests.open(url, from, { ...at, signal: fileSignal }),
    continues: async () => null,
    close: async () => {},
  };
}

/** Models of a collection can have one name and different owners. */
function uniqueFolders(models: readonly Model[]): (model: Model) => string {
  const counts = new Map<string, number>();
  const nameOf = ({ name }: Model) => name.replaceAll(/[/\\]/g, '-');
  for (const model of models) counts.set(nameOf(model), (counts.get(nameOf(model)) ?? 0) + 1);
  return (model) => (counts.get(nameOf(model)) === 1 ? nameOf(model) : `${nameOf(model)} (${model.owner})`);
}
