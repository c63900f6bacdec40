import { generateAssets } from '../search-corpus.ts';
import { CONTENDERS } from './contenders.ts';

/*
 * One contender alone, named by the first argument, with as many assets as the second says: answers each query that it is sent with
 * the milliseconds that it took.
 */
const [name = '', assets] = process.argv.slice(2);
const search = CONTENDERS[name]?.(generateAssets(Number(assets)));
if (!search) throw new Error(`Nobody is called ${name}.`);
process.send?.('ready');

process.on('message', async (query: string) => {
  const start = performance.now();
  await search(query);
  process.send?.(performance.now() - start);
});
