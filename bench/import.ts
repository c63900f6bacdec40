import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OWNER } from '@bindery/server/testing';
import { writeSmallFiles } from '../test/generated-files.ts';
import installPythonClients, { CLIENTS_PYTHON } from '../test/python-clients.ts';
import { type BenchmarkRow, limitRow, ratioRow, scaled, secondsOf } from './results.ts';
import { type CommandWorld, rclonePeer, withCommand } from './world.ts';

/** Imports of many small files, published, beside the client of each source, which only fetches them. */
export function benchImport(): Promise<BenchmarkRow[]> {
  return withCommand(async (world) => {
    const source = join(world.folder, 'small');
    const { files } = writeSmallFiles(source, scaled(10_000));
    const repository = join(world.folder, 'repository');
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...words]);
    git('init', '--quiet', repository);
    git('-C', repository, `--work-tree=${source}`, 'add', '--all');
    git('-C', repository, `--work-tree=${source}`, 'commit', '--quiet', '--message', 'Files');
    const url = pathToFileURL(join(repository, '.git')).href;
    world.library('push', source, `${OWNER}/small`, '--visibility', 'public');
    world.env.HF_ENDPOINT = `${world.client.url}/hf`;
    await installPythonClients();
    const rclone = await rclonePeer(source);
    const beside = (address: string, name: string, peer: string, fetched: number) => {
      const seconds = world.library('import', address, `${OWNER}/${name}`);
      const unchanged = world.library('import', address, `${OWNER}/${name}`);
      const work = `import ${files.toLocaleString('en')} small files from ${name}`;
      const texts = { bindery: `${seconds.toFixed(2)} s`, peer: `${peer} ${fetched.toFixed(2)} s` };
      return [
        ratioRow({ work, ...texts }, seconds / fetched, { most: 1.2 }),
        limitRow(`${work}, unchanged`, unchanged, 2, 's'),
      ];
    };
    try {
      const cloned = secondsOf(() => git('clone', '--quiet', url, join(world.folder, 'cloned')));
      const downloaded = hfDownload(world, `${OWNER}/small`, 0);
      return [
        ...beside(`git+${url}`, 'git', 'git clone', cloned),
        ...beside(`hf:${OWNER}/small`, 'hf', 'hf download', downloaded),
        ...(rclone
          ? beside(`${rclone.url}/`, 'http', 'rclone copy', rclone.copy(join(world.folder, 'copied')))
          : []),
      ];
    } finally {
      await rclone?.close();
    }
  });
}

function hfDownload({ folder, env }: CommandWorld, library: string, round: number): number {
  const home = join(folder, `hf-${round}`);
  const settings = {
    ...env,
    HF_ENDPOINT: `${env.BINDERY_API_URL}/hf`,
    HF_HOME: home,
    HF_HUB_DISABLE_TELEMETRY: '1',
  };
  const words = ['download', library, '--repo-type', 'dataset', '--local-dir', join(home, 'files')];
  return secondsOf(() =>
    execFileSync(join(CLIENTS_PYTHON, '../hf'), words, { env: settings, stdio: 'ignore' }),
  );
}
