import { join } from 'node:path';
import { createClient } from '../../src/index.ts';
import { pullLibrary } from '../../src/pull/pull.ts';

/** Pulls `acme/arms` of a server into a folder; caches and records are below `home`. Prints the result as JSON. */
const [url = '', folder = '', home = ''] = process.argv.slice(2);
const client = createClient({ baseUrl: url });
try {
  const pulled = await pullLibrary(client, { namespace: 'acme', name: 'arms' }, folder, {
    cacheFolder: join(home, 'cache'),
    stateFolder: join(home, 'state'),
  });
  process.stdout.write(JSON.stringify(pulled));
} finally {
  await client.close();
}
