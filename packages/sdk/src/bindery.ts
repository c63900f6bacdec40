import type { Release } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { type Client, createClient } from './client/client.ts';
import { chooseServer, configFolder, readConfig } from './credentials/config.ts';
import { findLogin, findToken } from './credentials/find-token.ts';
import { usableToken } from './credentials/usable-token.ts';
import { BinderyError } from './failures.ts';
import type { AssetInfo, LibraryInfo } from './library/info.ts';
import {
  type AssetAddress,
  type LibraryAddress,
  libraryParams,
  parseAssetAddress,
} from './library/library-address.ts';
import type { FoundAssets, SearchFilters } from './library/search.ts';
import type { SyncOptions, SyncResult } from './project-assets/sync.ts';
import type { PullOptions, PullResult } from './pull/pull.ts';
import type { FolderPush } from './push/push.ts';
import type { PushOptions } from './push/source.ts';
import type { StatOptions, StatResult } from './stat/stat.ts';
import { cacheFolder, stateFolder } from './tree/cache-folder.ts';

export interface BinderyOptions {
  /**
   * The address of the server. By default that of `BINDERY_API_URL`, else that of the last login, else
   * `http://127.0.0.1:7420`.
   */
  server?: string | undefined;
  /** Null: anonymous. By default `BINDERY_TOKEN`, else the stored login for the server. */
  token?: string | null | undefined;
  /** Told of what does not stop an operation, such as a login for another server. */
  onWarning?: ((message: string) => void) | undefined;
}

type Folders = 'cacheFolder' | 'stateFolder';

/** Cache and records of this machine, as the command line uses them too. */
const FOLDERS = () => ({ cacheFolder: cacheFolder(), stateFolder: stateFolder() });

/**
 * The libraries of one server, and what this machine does with them. Libraries are named `namespace/name` or, to read a
 * release, `namespace/name@release`. Failures are `BinderyError`s.
 */
export class Bindery {
  readonly #options: BinderyOptions;
  #client: Promise<Client> | undefined;
  readonly #others = new Map<string, Promise<Client>>();

  constructor(options: BinderyOptions = {}) {
    this.#options = options;
  }

  /** The client of the server, for everything that this class has no method for. */
  client(): Promise<Client> {
    this.#client ??= this.#open();
    return this.#client;
  }

  /**
   * Makes a folder match a library, or one asset of it (`namespace/name/asset`); `namespace/name#3` is a revision of it.
   * By default the folder is named like the library.
   */
  async pull(
    library: string,
    folder?: string,
    options: Partial<Omit<PullOptions, Folders>> = {},
  ): Promise<PullResult> {
    const { asset, ...address } = numberedAddressOf(library);
    const { pullLibrary } = await import('./pull/pull.ts');
    return pullLibrary(await this.client(), address, folder ?? address.name, {
      ...FOLDERS(),
      ...(asset === undefined ? {} : { assets: [asset] }),
      ...options,
    });
  }

  /** Makes a library equal to a folder. It is created if it does not exist. */
  async push(
    folder: string,
    library: string,
    options: Partial<Omit<PushOptions, Folders>> = {},
  ): Promise<FolderPush> {
    const { pushFolder } = await import('./push/push.ts');
    return pushFolder(await this.client(), libraryOf(library), folder, { ...FOLDERS(), ...options });
  }

  /** Finds assets, the most relevant first: in some libraries, or in everything that may be read. */
  async search(
    query: string,
    {
      libraries,
      ...options
    }: SearchFilters & { libraries?: readonly string[]; limit?: number; offset?: number } = {},
  ): Promise<FoundAssets> {
    const { searchAssets } = await import('./library/search.ts');
    return searchAssets(await this.client(), query, {
      libraries: libraries?.map(libraryOf) ?? null,
      ...options,
    });
  }

  /** Describes a library or, for `namespace/name/asset`, one of its assets. */
  async info(library: string): Promise<LibraryInfo | AssetInfo> {
    const { asset, ...address } = addressOf(library);
    const client = await this.client();
    const [{ readHead }, { readRemoteLibrary }, { assetInfo, libraryInfo }] = await Promise.all([
      import('./library/read-library.ts'),
      import('./library/manifest-cache.ts'),
      import('./library/info.ts'),
    ]);
    const head = await readHead(client, address);
    const { manifest } = await readRemoteLibrary(client, address, head, FOLDERS());
    return asset === undefined
      ? libraryInfo(address, head, manifest)
      : assetInfo(address, head, manifest, asset);
  }

  /** Tells whether a folder matches a library. */
  async stat(
    library: string,
    folder?: string,
    options: Partial<Omit<StatOptions, Folders>> = {},
  ): Promise<StatResult> {
    const { asset, ...address } = addressOf(library);
    const { statLibrary } = await import('./stat/stat.ts');
    return statLibrary(await this.client(), address, folder ?? address.name, {
      ...FOLDERS(),
      ...(asset === undefined ? {} : { assets: [asset] }),
      ...options,
    });
  }

  /** Lays out the assets of the project that a folder belongs to, as `assets.yml` and `assets.lock` name them. */
  async sync(
    folder = process.cwd(),
    options: Partial<Omit<SyncOptions, Folders | 'clientFor'>> = {},
  ): Promise<SyncResult> {
    const { syncProject } = await import('./project-assets/sync.ts');
    return syncProject(folder, {
      ...FOLDERS(),
      ...options,
      clientFor: (server) => (server === null ? this.client() : this.#clientOf(server)),
    });
  }

  /** Gives the current revision of a library a permanent name. */
  async release(library: string, name: string, { notes }: { notes?: string } = {}): Promise<Release> {
    const client = await this.client();
    return client.call(routes.releases.createRelease, {
      params: libraryParams(libraryOf(library)),
      body: { name, ...(notes === undefined ? {} : { notes }) },
    });
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    for (const opening of [this.#client, ...this.#others.values()]) {
      await (await opening?.catch(() => undefined))?.close();
    }
  }

  async #open(): Promise<Client> {
    const { server, config, storage } = await this.#settings();
    if (this.#options.token !== undefined)
      return createClient({ baseUrl: server, token: this.#options.token });
    const found = await findToken(server, config, storage);
    return createClient({ baseUrl: server, token: found && (await usableToken(found, server)) });
  }

  /** A server that a file names gets only the login that is stored for it. */
  async #clientOf(named: string): Promise<Client> {
    const { server, config, storage } = await this.#settings();
    if (named === server) return this.client();
    const known = this.#others.get(named);
    if (known !== undefined) return known;
    const opening = findLogin(named, config, storage).then(async (login) =>
      createClient({ baseUrl: named, token: login && (await usableToken(login, named)) }),
    );
    this.#others.set(named, opening);
    return opening;
  }

  async #settings() {
    const environment = process.env;
    const warn = this.#options.onWarning ?? (() => {});
    const folder = configFolder(environment);
    const { config, damage } = await readConfig(folder);
    if (damage !== null) warn(damage);
    const storage = { folder, environment, warn };
    try {
      return { config, storage, server: chooseServer({ apiUrl: this.#options.server, environment, config }) };
    } catch (error) {
      throw new BinderyError('invalid_address', (error as TypeError).message, { cause: error });
    }
  }
}

function addressOf(text: string): Omit<AssetAddress, 'revision'> {
  const { revision, ...address } = numberedAddressOf(text);
  if (revision === undefined) return address;
  throw new BinderyError(
    'invalid_address',
    `${JSON.stringify(text)} names a revision, which only a pull reads. A release names one for good.`,
    { details: { address: text } },
  );
}

function numberedAddressOf(text: string): AssetAddress {
  const address = parseAssetAddress(text);
  if (address !== null) return address;
  throw new BinderyError(
    'invalid_address',
    `Invalid library ${JSON.stringify(text)}: expected <namespace>/<name>.`,
    { details: { address: text } },
  );
}

function libraryOf(text: string): LibraryAddress {
  const { asset, ...address } = addressOf(text);
  if (asset === undefined) return address;
  throw new BinderyError('invalid_address', `${JSON.stringify(text)} names an asset, not a library.`, {
    details: { address: text },
  });
}
