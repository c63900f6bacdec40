import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '@bindery/contract';
import { createClient, type LibraryAddress } from '../../src/index.ts';
import { type SyncOptions, type SyncResult, syncProject } from '../../src/project-assets/index.ts';
import { pushFolder } from '../../src/push/push.ts';
import { folderWith, temporaryFolder } from '../folder.ts';
import { serviceForOneTest } from '../push/publisher.ts';

export type Files = Record<string, string | Buffer>;

/** A real service, and ann, who publishes libraries there. */
export async function createWorld() {
  const service = await serviceForOneTest();
  const { headers } = await service.member('ann');
  const token = headers.authorization?.replace('Bearer ', '') ?? '';
  const client = createClient({ baseUrl: service.url, token });
  const home = temporaryFolder();
  const address = (name: string): LibraryAddress => ({ namespace: 'ann', name });
  return {
    url: service.url,
    token,
    client,
    /** Makes a library equal to these files. */
    publish: (name: string, files: Files) =>
      pushFolder(client, address(name), folderWith(files), {
        confirmRemovals: async () => {},
        cacheFolder: join(home, 'cache'),
        stateFolder: join(home, 'state'),
        force: true,
      }),
    release: (name: string, release: string) =>
      client.call(routes.releases.createRelease, { params: address(name), body: { name: release } }),
    machine: () => new Machine(service.url, token),
  };
}

/** A machine of its own: a home and a project. */
export class Machine {
  readonly home = temporaryFolder();
  readonly project = temporaryFolder();
  /** Requests so far. */
  requests = 0;
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  write(files: Files): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(this.project, path, '..'), { recursive: true });
      writeFileSync(join(this.project, path), content);
    }
  }

  read(path: string): string {
    return readFileSync(join(this.project, path), 'utf8');
  }

  uses(...assets: string[]): void {
    this.write({ 'assets.yml': `assets:\n${assets.map((asset) => `  - ${asset}\n`).join('')}` });
  }

  /** Every file below the folder of the assets with what it holds. */
  get assets(): Record<string, string> {
    const folder = join(this.project, 'assets');
    return Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  async sync(more: Partial<SyncOptions> = {}): Promise<SyncResult> {
    const client = createClient({
      baseUrl: this.#url,
      token: this.#token,
      retry: { attempts: 1, pause: 1, maxPause: 1 },
    });
    try {
      return await syncProject(this.project, {
        cacheFolder: join(this.home, 'cache'),
        stateFolder: join(this.home, 'state'),
        clientFor: async () => {
          this.requests++;
          return client;
        },
        ...more,
      });
    } finally {
      await client.close();
    }
  }
}
