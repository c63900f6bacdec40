import { generateAssets } from '../search-corpus.ts';
import { CONTENDERS } from './contenders.ts';

/*
 * Runs the one contender named by the first argument, with the number of assets in the second: replies to each query
 * with the milliseconds that it took.
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
