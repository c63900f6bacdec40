import { createClient } from '../../src/index.ts';
import { syncProject } from '../../src/project-assets/index.ts';

const [, , ...words] = process.argv;
void sync(words);

/** Syncs a project as a machine with these folders does, and prints what became of it. */
async function sync([
  folder = '',
  home = '',
  baseUrl = '',
  token = '',
  frozen = '',
]: string[]): Promise<void> {
  const client = createClient({ baseUrl, token });
  const { fetched, cached, unchanged } = await syncProject(folder, {
    cacheFolder: `${home}/cache`,
    stateFolder: `${home}/state`,
    frozen: frozen !== '',
    clientFor: async () => client,
  });
  await client.close();
  process.stdout.write(JSON.stringify({ fetched, cached, unchanged }));
}
