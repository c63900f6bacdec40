import { ObjectCache, pruneCache } from '../../src/cache/index.ts';
import { contentOf, objectOf } from './contents.ts';

/** Adds, reads and, where told to, prunes again and again; fails where it reads what it did not add. */
const [, , cacheFolder = '', role = '', rounds = '0'] = process.argv;
const cache = new ObjectCache(cacheFolder);
for (let round = 0; round < Number(rounds); round++) {
  if (role === 'prune') pruneCache(cache, (round % 5) * 40_000);
  const content = contentOf(round % 20);
  const object = objectOf(content);
  const found = cache.read(object);
  if (found !== null && !found.equals(content)) throw new Error(`round ${round} read something else`);
  if (found === null) cache.add(object, content);
}
