import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ObjectCache } from '../../src/cache/index.ts';
import { contentOf, objectOf } from './contents.ts';

const [, , ...words] = process.argv;
void fill(words);

/** Adds some contents to a cache, from memory and from a file in turn. */
async function fill([cacheFolder = '', folder = '', count = '0']: string[]): Promise<void> {
  const cache = new ObjectCache(cacheFolder);
  for (let nth = 0; nth < Number(count); nth++) {
    const content = contentOf(nth);
    if (nth % 2 === 0) cache.add(objectOf(content), content);
    else {
      const file = join(folder, String(nth));
      writeFileSync(file, content);
      await cache.addFile(objectOf(content), file);
    }
  }
}
