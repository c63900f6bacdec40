import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { administer, createToken, readConfiguration } from '@bindery/server';
import { onTestFinished } from 'vitest';
import { createPerson } from '../packages/server/test/people.ts';
import { bindery, type RunningService, temporaryFolder } from './bindery.ts';

/** A cube as OBJ, with the given length of its sides. */
export function cube(side = 2): string {
  const ends = [-side / 2, side / 2];
  return [
    ...ends.flatMap((x) => ends.flatMap((y) => ends.map((z) => `v ${x} ${y} ${z}`))),
    ...['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4'].map((corners) => `f ${corners}`),
  ].join('\n');
}

export interface PublishedManifest {
  assets: { id: string; thumbnail?: string }[];
  generated?: string[];
}

/** Every account of these tests has this password. */
export const PASSWORD = 'correct horse battery';

/** Creates an account in the database of a service, running or not, as `bindery admin create-user` does. */
export async function createUser(
  { dataDir }: Pick<RunningService, 'dataDir'>,
  userName: string,
  env: Record<string, string> = {},
): Promise<void> {
  const person = { userName, email: `${userName}@example.org`, password: PASSWORD };
  const configuration = readConfiguration({ ...env, BINDERY_DATA_DIR: dataDir });
  await administer(configuration, (context) => createPerson(context, person), { create: true });
}

/** Creates an account as above; returns a token with write access. */
export async function createAuthor(
  service: Pick<RunningService, 'dataDir'>,
  userName = 'ada',
  env: Record<string, string> = {},
): Promise<string> {
  await createUser(service, userName, env);
  const configuration = readConfiguration({ ...env, BINDERY_DATA_DIR: service.dataDir });
  return (await administer(configuration, (context) => createToken(context, userName))).token;
}

/** A user with a folder to publish and separate caches, for one test. */
export class Author {
  readonly home: string;
  readonly folder: string;
  readonly env: Record<string, string>;

  private constructor(home: string, env: Record<string, string>) {
    this.home = home;
    this.folder = join(home, 'shapes');
    this.env = env;
  }

  static async create({ url }: RunningService, token: string, files: Record<string, string | Uint8Array>) {
    const home = await removedAfterwards();
    const author = new Author(home, {
      HOME: home,
      XDG_CACHE_HOME: join(home, 'cache'),
      XDG_STATE_HOME: join(home, 'state'),
      XDG_DATA_HOME: join(home, 'data'),
      BINDERY_API_URL: url,
      BINDERY_TOKEN: token,
    });
    await author.write(files);
    return author;
  }

  /** Writes files to the folder. */
  async write(files: Record<string, string | Uint8Array>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true });
      await writeFile(join(this.folder, path), content);
    }
  }

  /** Runs a command and returns its JSON; throws its stderr on failure. */
  async run(...words: string[]) {
    const ended = await bindery(['library', ...words, '--json'], { env: this.env });
    if (ended.exitCode !== 0) throw new Error(`exit ${ended.exitCode}: ${ended.stderr}`);
    return JSON.parse(ended.stdout);
  }

  push(library: string, ...words: string[]) {
    return this.run('push', this.folder, library, ...words);
  }

  async manifest(library: string): Promise<PublishedManifest> {
    const [namespace, name] = library.split('/');
    const { BINDERY_API_URL, BINDERY_TOKEN } = this.env;
    const answer = await fetch(`${BINDERY_API_URL}/namespaces/${namespace}/libraries/${name}/manifest`, {
      headers: { authorization: `Bearer ${BINDERY_TOKEN}` },
    });
    return (await answer.json()) as PublishedManifest;
  }

  /** Returns the bytes of a file below `.bindery/`, from a full pull. */
  async artifact(library: string, path: string): Promise<Buffer> {
    return readFile(join(await this.pullAll(library), '.bindery', path));
  }

  async pullAll(library: string): Promise<string> {
    const target = join(await removedAfterwards(), 'pulled');
    await this.run('pull', library, '-o', target, '--all');
    return target;
  }
}

async function removedAfterwards(): Promise<string> {
  const folder = await temporaryFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
