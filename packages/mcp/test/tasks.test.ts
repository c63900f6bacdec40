import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeSampleLibrary } from '../../../scripts/sample-library/write.ts';
import { createTerminalUser } from '../../cli/test/command-line.ts';
import { compileModel } from '../../formats/src/mjcf/compile.ts';
import { copyModelFiles } from '../../formats/src/mjcf/model-files.ts';
import { memoryFiles } from '../../formats/src/reading/asset-files.ts';
import { withMujoco } from '../../render/src/host/mujoco.ts';
import { createRendererContext } from '../../render/src/host/renderer-context.ts';
import type { Actor } from '../../server/test/actor.ts';
import { publish, sha256 } from '../../server/test/libraries/publish.ts';
import { startService, type TestService } from '../../server/test/service.ts';
import { connectOverHttp, startAgent } from './agent.ts';

const CUBE = `${[0, 1, 2, 3, 4, 5, 6, 7].map((n) => `v ${n & 1} ${(n >> 1) & 1} ${n >> 2}`).join('\n')}
f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n`;

/** The triangles of a binary STL file as OBJ. */
function scaledObj(stl: Buffer, scale: number): string {
  const triangles = stl.readUInt32LE(80);
  const corners = Array.from({ length: triangles * 3 }, (_, corner) => {
    const at = 84 + Math.floor(corner / 3) * 50 + 12 + (corner % 3) * 12;
    return [0, 4, 8].map((offset) => stl.readFloatLE(at + offset) * scale).join(' ');
  });
  const faces = Array.from({ length: triangles }, (_, at) => [1, 2, 3].map((corner) => at * 3 + corner));
  return [...corners.map((corner) => `v ${corner}`), ...faces.map((face) => `f ${face.join(' ')}`)].join(
    '\n',
  );
}

let service: TestService;
let ada: Actor;
let root: string;
const clients = new Map<string, Client>();

/** The table of what was played: transport, task, calls, bytes of text and of pictures in the answers. */
const played: [string, string, number, number, number][] = [];

beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
  root = await mkdtemp(join(tmpdir(), 'bindery-tasks-'));
  const sample = await mkdtemp(join(tmpdir(), 'bindery-sample-'));
  await writeSampleLibrary(sample);
  const copies = await mkdtemp(join(tmpdir(), 'bindery-copies-'));
  const bracket = await readFile(join(sample, 'bracket/bracket.stl'));
  await writeFile(join(copies, 'winkel.obj'), scaledObj(bracket, 1_000));
  const person = await createTerminalUser(service.url);
  const token = ada.headers.authorization?.replace('Bearer ', '') ?? '';
  for (const [folder, library] of [
    [sample, 'ada/workshop'],
    [copies, 'ada/copies'],
  ] as const) {
    const words = ['library', 'push', folder, library, '--thumbnails'];
    const pushed = await person.with({ BINDERY_TOKEN: token }).run(...words);
    expect(pushed).toMatchObject({ code: 0 });
    await rm(folder, { recursive: true });
  }
  await person.dispose();

  const mug = (id: string, license: string, padding = 0) => ({
    id,
    title: `A mug (${id})`,
    kind: 'mesh',
    license,
    entry: `${id}/mug.obj`,
    files: { [`${id}/mug.obj`]: `${CUBE}# ${id}${' '.repeat(padding)}` },
  });
  await publish(await service.member('bob'), 'bob/kitchen', {
    assets: [mug('heavy', 'MIT', 6_000_000), mug('bought', 'CC-BY-NC-4.0'), mug('plain', 'Apache-2.0')],
    visibility: 'public',
  });
  await ada.post('/namespaces/ada/projects', { displayName: 'Tea kitchen', slug: 'p-17' });
  await ada.post('/namespaces/ada/notes', { name: 'The kettle leaks', projects: ['p-17'] });

  const agree = () => ({ action: 'accept' as const, content: { publish: true } });
  clients.set('stdio', await startAgent(ada, { root, person: agree }));
  clients.set('HTTP', await connectOverHttp(ada, 'modern'));
});
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await service.close();
  await rm(root, { recursive: true, force: true });
  if (process.env.BINDERY_TASK_TABLE === undefined) return;
  for (const row of played) process.stdout.write(`| ${row.join(' | ')} |\n`);
});

// biome-ignore lint/suspicious/noExplicitAny: an agent looks into whatever it is answered
type Ask = (tool: string, input?: Record<string, unknown>) => Promise<any>;

/** Plays a task as an agent would: what it asks for comes from the task and from answers alone. */
async function play<Result>(
  transport: string,
  task: string,
  script: (ask: Ask) => Promise<Result>,
): Promise<Result> {
  const client = clients.get(transport);
  if (client === undefined) throw new Error(`nobody speaks ${transport}`);
  const row: (typeof played)[number] = [transport, task, 0, 0, 0];
  const result = await script(async (name, input = {}) => {
    const { content, structuredContent, isError } = (await client.callTool({
      name,
      arguments: input,
    })) as CallToolResult;
    row[2] += 1;
    for (const block of content) {
      if (block.type === 'text') row[3] += Buffer.byteLength(block.text);
      if (block.type === 'image') row[4] += block.data.length;
    }
    if (isError) throw new Error(`${name} answered ${JSON.stringify(content)}`);
    return structuredContent;
  });
  played.push(row);
  expect(row[3] / row[2]).toBeLessThanOrEqual(8 * 1024);
  return result;
}

/** Compiles a model in a folder with MuJoCo itself. */
async function openInMujoco(folder: string, entry: string): Promise<{ joints: number; bodies: number }> {
  const names = await Array.fromAsync(walk(folder));
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name))] as const),
  );
  const context = createRendererContext(memoryFiles(new Map(files)));
  return withMujoco(async (mujoco) => {
    const model = compileModel(mujoco, await copyModelFiles(mujoco, entry, context));
    const { njnt: joints, nbody: bodies } = model;
    model.delete();
    return { joints, bodies };
  });
}

async function* walk(folder: string): AsyncGenerator<string> {
  const { glob } = await import('node:fs/promises');
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (entry.isFile()) yield relative(folder, join(entry.parentPath, entry.name));
  }
}

const transports = ['stdio', 'HTTP'];

test('a mug under 5 MB with a permissive licence is found, pulled and verified', async () => {
  const { folder, entry, license } = await play(
    'stdio',
    'a mug under 5 MB, permissive, in ./assets',
    async (ask) => {
      const { hits } = await ask('search_assets', { query: 'mug under 5 MB, permissive licence' });
      const [{ library, authored }] = hits;
      const pulled = await ask('pull_assets', { library, assets: [authored.assetId], folder: './assets' });
      return { folder: pulled.folder, ...pulled.authored.assets[0] };
    },
  );
  expect(license).toBe('Apache-2.0');
  expect(sha256(await readFile(join(folder, entry)))).toBe(sha256(Buffer.from(`${CUBE}# plain`)));
});

test('a gripper with few joints is pulled and opened by MuJoCo', async () => {
  const { folder, entry } = await play(
    'stdio',
    'a gripper with fewer than 4 joints for MuJoCo',
    async (ask) => {
      const { hits } = await ask('search_assets', {
        query: 'gripper with fewer than 4 joints',
        kind: 'mjcf',
      });
      const [{ library, authored }] = hits;
      const pulled = await ask('pull_assets', { library, assets: [authored.assetId], folder: 'gripper' });
      return { folder: pulled.folder, ...pulled.authored.assets[0] };
    },
  );
  const { joints } = await openInMujoco(folder, entry);
  expect(joints).toBeGreaterThan(0);
  expect(joints).toBeLessThan(4);
});

test('what a project has locked is found to be old, and updated', async () => {
  const part = (text: string) => ({ id: 'bolt', kind: 'mesh', files: { 'bolt/bolt.obj': text } });
  await publish(ada, 'ada/parts', { assets: [part(CUBE)] });
  const added = await play('stdio', 'use the bolt of ada/parts in this project', (ask) =>
    ask('add_to_project', { folder: 'cell', library: 'ada/parts', assets: ['bolt'] }),
  );
  const file = join(added.folder, added.authored.assets[0].entry);
  expect(await readFile(file, 'utf8')).toBe(CUBE);
  await publish(ada, 'ada/parts', { assets: [part(`${CUBE}# longer`)] });
  const after = await play('stdio', 'is what this project locked still fresh? update it', async (ask) => {
    const checked = await ask('check_project_folder', { folder: 'cell' });
    if (!checked.upToDate) await ask('sync_project_folder', { folder: 'cell', upgrade: true });
    return ask('check_project_folder', { folder: 'cell' });
  });
  expect(after).toEqual({ upToDate: true, outdated: [] });
  expect(await readFile(file, 'utf8')).toBe(`${CUBE}# longer`);
  expect(JSON.parse(await readFile(join(root, 'cell/assets.lock'), 'utf8'))).toMatchObject({
    libraries: { 'ada/parts': { revision: 2 } },
  });
});

test('a table and three props stand in a scene without touching, with credits', async () => {
  const scene = await play(
    'stdio',
    'a table and three props, not touching, simulated, with credits',
    async (ask) => {
      const tables = await ask('search_assets', { query: 'table', limit: 1 });
      const props = await ask('search_assets', { query: '', category: 'prop', limit: 4, pictures: false });
      const chosen = [...tables.hits, ...props.hits].map(({ library, authored: { assetId } }) => ({
        library,
        assetId,
      }));
      const assets = chosen
        .filter(({ assetId }, at) => chosen.findIndex((other) => other.assetId === assetId) === at)
        .slice(0, 4);
      return ask('compose_scene', { assets, folder: 'scenes/table' });
    },
  );
  expect(scene.authored.problems).toEqual([]);
  const { placed } = scene.authored;
  expect(placed).toHaveLength(4);
  for (const { license } of placed) expect(license).toBe('Apache-2.0');
  const { bodies } = await openInMujoco(scene.folder, 'scene.xml');
  expect(bodies).toBeGreaterThanOrEqual(4);
  // biome-ignore lint/suspicious/noExplicitAny: as it was answered
  const spans = placed.map(({ at, size }: any) => [at[0] - size[0] / 2, at[0] + size[0] / 2]);
  for (const [index, [left]] of spans.entries()) {
    if (index > 0) expect(left).toBeGreaterThan(spans[index - 1][1]);
  }
});

test.each(transports)(
  'a note is filed in a project that is known by its name alone (%s)',
  async (transport) => {
    const name = `The handle is too thin (${transport})`;
    const { noteId } = await play(transport, 'file a note in the project Tea kitchen', async (ask) => {
      const { account } = await ask('whoami');
      const [{ namespace }] = account.namespaces;
      const { projects } = await ask('list_projects', { namespace, search: 'tea kitchen' });
      return ask('create_note', { namespace, name, projects: [projects[0].project] });
    });
    const { body } = await ada.get<{ notes: { id: string; name: string }[] }>(
      '/namespaces/ada/notes?project=p-17',
    );
    expect(body.notes).toContainEqual(expect.objectContaining({ id: noteId, name }));
  },
);

test.each(transports)('the notes of a project are listed (%s)', async (transport) => {
  const names = await play(transport, 'which notes does the project Tea kitchen have?', async (ask) => {
    const { account } = await ask('whoami');
    const [{ namespace }] = account.namespaces;
    const { projects } = await ask('list_projects', { namespace, search: 'tea kitchen' });
    const { notes } = await ask('list_notes', { namespace, project: projects[0].project });
    return notes.map((note: { authored: { name: string } }) => note.authored.name);
  });
  expect(names).toContain('The kettle leaks');
});

test.each(transports)(
  'mugs that may be used commercially are told from the others (%s)',
  async (transport) => {
    const licenses = await play(transport, 'which of these mugs may I use commercially?', async (ask) => {
      const { authored } = await ask('search_assets', { query: 'mug', facets: true, pictures: false });
      const classes = authored.facets.licenseClass.map(({ value }: { value: string }) => value);
      const usable = classes.filter((name: string) => !['non-commercial', 'unstated'].includes(name));
      const { hits } = await ask('search_assets', { query: 'mug', license: usable, pictures: false });
      return hits.map((hit: { authored: { license: string } }) => hit.authored.license);
    });
    expect(licenses.toSorted()).toEqual(['Apache-2.0', 'MIT']);
  },
);

test.each(transports)(
  'a part that was scaled and saved in another format is found again (%s)',
  async (transport) => {
    const found = await play(transport, 'is there more like this angle bracket?', async (ask) => {
      const { hits } = await ask('search_assets', { query: 'angle bracket', limit: 1, pictures: false });
      const [{ library, authored }] = hits;
      return ask('find_similar', { library, assetId: authored.assetId, limit: 4 });
    });
    expect(found.comparedBy).toContain('shape');
    expect(found.hits[0]).toMatchObject({ library: 'ada/copies', match: 'duplicate' });
  },
);

test('a folder is published as a library and released, with the word of the person', async () => {
  await mkdir(join(root, 'shelf/bracket'), { recursive: true });
  await writeFile(join(root, 'shelf/bracket/bracket.obj'), CUBE);
  const released = await play('stdio', 'publish ./shelf as a library and release it as v1', async (ask) => {
    const { account } = await ask('whoami');
    const library = `${account.userName}/shelf`;
    const { plan } = await ask('plan_push', { folder: './shelf', library });
    const { revision } = await ask('push', { folder: './shelf', library, plan });
    return ask('create_release', { library, release: 'v1', revision });
  });
  expect(released.library).toBe('ada/shelf@v1');
  const { status, body } = await ada.get<{ revision: number; assetCount: number }>(
    '/namespaces/ada/libraries/shelf/releases/v1',
  );
  expect([status, body.revision, body.assetCount]).toEqual([200, 1, 1]);
});

test.each(transports)('a robot arm is simulated by the service (%s)', async (transport) => {
  const { library, authored } = await play(
    transport,
    'does the two-link arm hold in simulation?',
    async (ask) => {
      const { hits } = await ask('search_assets', { query: 'two-link arm', limit: 1 });
      const [{ library, authored }] = hits;
      return ask('certify_asset', { library, assetId: authored.assetId });
    },
  );
  const { body } = await ada.get<{ certificates: { madeBy: string; verdict: string }[] }>(
    `/namespaces/ada/libraries/${library.split('/')[1]}/assets/${authored.assetId}?certificates=true`,
  );
  expect(body.certificates).toMatchObject([{ madeBy: 'service', verdict: authored.verdict }]);
});

describe('changing things', () => {
  test.each(transports)('a token that only reads changes nothing (%s)', async (transport) => {
    const reader = await service.token('ada', { scope: 'read' });
    const client =
      transport === 'stdio' ? await startAgent(reader, { root }) : await connectOverHttp(reader, 'modern');
    const asked: [string, Record<string, unknown>][] = [
      ['create_note', { namespace: 'ada', name: 'Never', projects: ['p-17'] }],
      ['create_release', { library: 'ada/workshop', release: 'never', revision: 1 }],
      ['certify_asset', { library: 'ada/workshop', assetId: 'rover' }],
    ];
    for (const [name, input] of asked) {
      const { content, isError } = (await client.callTool({ name, arguments: input })) as CallToolResult;
      expect([name, isError, JSON.stringify(content)]).toEqual([
        name,
        true,
        expect.stringContaining('forbidden'),
      ]);
    }
    await client.close();
  });
});
