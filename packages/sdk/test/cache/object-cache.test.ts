import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rounds, someSteps } from '../../../../test/faults.ts';
import { stampOf } from '../../src/cache/entry-trust.ts';
import { cacheInfo, ObjectCache, pruneCache, verifyCache } from '../../src/cache/index.ts';
import { temporaryFolder } from '../folder.ts';
import { run } from '../processes.ts';
import { contentOf, objectOf } from './contents.ts';

const FILL = fileURLToPath(new URL('./fill-cache.ts', import.meta.url));
const USE = fileURLToPath(new URL('./use-cache.ts', import.meta.url));
const CONTENT = Buffer.from('a mesh of a mug');
const MUG = objectOf(CONTENT);

function cacheWith(...contents: Buffer[]): ObjectCache {
  const cache = new ObjectCache(temporaryFolder());
  for (const content of contents) cache.add(objectOf(content), content);
  return cache;
}

/** Where the entry of the mug lies. */
function entryOf({ folder }: ObjectCache, { sha256 } = MUG): string {
  return join(folder, sha256.slice(0, 2), sha256);
}

/** What happens to files, by its name. */
const DAMAGES: Record<string, (entry: string) => void> = {
  truncated: (entry) => truncateSync(entry, 3),
  emptied: (entry) => truncateSync(entry, 0),
  'longer than it was': (entry) => appendFileSync(entry, 'more'),
  flipped(entry) {
    const bytes = readFileSync(entry);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    writeFileSync(entry, bytes);
  },
  replaced(entry) {
    writeFileSync(`${entry}.other`, 'a mesh of a jug');
    renameSync(`${entry}.other`, entry);
  },
};

describe('a cache entry', () => {
  test('is read-only, has its stamp as modification time, and holds the added content', () => {
    const cache = cacheWith(CONTENT);
    expect(cache.find(MUG)).toBe(entryOf(cache));
    const { mode, mtimeMs } = statSync(entryOf(cache));
    expect(mode & 0o777).toBe(0o444);
    expect(mtimeMs).toBe(stampOf(MUG.sha256) * 1_000);
    expect(cache.read(MUG)).toEqual(CONTENT);
  });

  test('has the modification time given as an example in the cache documentation', () => {
    expect(stampOf('00000ff000000000000000000000000000000000000000000000000000000000')).toBe(1_000_000_255);
  });

  test.each(Object.entries(DAMAGES))('is deleted instead of used when %s', (_, damage) => {
    const cache = cacheWith(CONTENT);
    chmodSync(entryOf(cache), 0o644);
    damage(entryOf(cache));
    expect(cache.find(MUG)).toBeNull();
    expect(existsSync(entryOf(cache))).toBe(false);
    cache.add(MUG, CONTENT);
    expect(cache.read(MUG)).toEqual(CONTENT);
  });

  test('that is intact but lost its stamp is used and stamped again', () => {
    const cache = cacheWith(CONTENT);
    utimesSync(entryOf(cache), new Date(), new Date());
    expect(cache.find(MUG)).toBe(entryOf(cache));
    expect(statSync(entryOf(cache)).mtimeMs).toBe(stampOf(MUG.sha256) * 1_000);
  });

  test('with wrong bytes but a valid stamp is detected and dropped when it is read', () => {
    const cache = cacheWith(CONTENT);
    const { atime, mtime } = statSync(entryOf(cache));
    chmodSync(entryOf(cache), 0o644);
    DAMAGES.flipped?.(entryOf(cache));
    utimesSync(entryOf(cache), atime, mtime);
    expect(cache.read(MUG)).toBeNull();
    expect(cache.find(MUG)).toBeNull();
  });

  test('is not used for an object of another size, and is kept', () => {
    const cache = cacheWith(CONTENT);
    expect(cache.find({ ...MUG, size: 3 })).toBeNull();
    expect(cache.find(MUG)).not.toBeNull();
  });

  test('updates its access time if last used over an hour ago, and keeps its stamp', () => {
    const cache = cacheWith(CONTENT);
    const before = new Date(Date.now() - 7_200_000);
    utimesSync(entryOf(cache), before, statSync(entryOf(cache)).mtime);
    cache.find(MUG);
    const { atimeMs, mtimeMs } = statSync(entryOf(cache));
    expect(atimeMs).toBeGreaterThan(before.getTime() + 3_600_000);
    expect(mtimeMs).toBe(stampOf(MUG.sha256) * 1_000);
  });

  test('added from a file does not change when that file is edited', async () => {
    const cache = cacheWith();
    const file = join(temporaryFolder(), 'mug.obj');
    writeFileSync(file, CONTENT);
    await cache.addFile(MUG, file);
    appendFileSync(file, 'edited');
    expect(cache.read(MUG)).toEqual(CONTENT);
  });
});

describe('an entry that this user did not write on this machine', () => {
  /** Replaces the content of an entry, keeping its size, times and mode, as somebody would who knows how stamps work. */
  function poison(cache: ObjectCache): void {
    const { atime, mtime } = statSync(entryOf(cache));
    chmodSync(entryOf(cache), 0o644);
    DAMAGES.flipped?.(entryOf(cache));
    utimesSync(entryOf(cache), atime, mtime);
    chmodSync(entryOf(cache), 0o444);
  }

  function restored({ folder }: ObjectCache): ObjectCache {
    const copy = temporaryFolder();
    cpSync(folder, join(copy, 'objects'), { recursive: true, preserveTimestamps: true });
    return new ObjectCache(copy);
  }

  test('but restored from a copy of a cache is hashed before it is used, and dropped if it is wrong', () => {
    const cache = cacheWith(CONTENT);
    poison(cache);
    const copy = restored(cache);
    expect(copy.find(MUG)).toBeNull();
    expect(copy.readInto(MUG, Buffer.alloc(MUG.size))).toBe(false);
    expect(existsSync(entryOf(copy))).toBe(false);
  });

  test('and that is intact is hashed once, and trusted from then on', () => {
    const copy = restored(cacheWith(CONTENT));
    const before = statSync(entryOf(copy)).ctimeMs;
    expect(copy.find(MUG)).toBe(entryOf(copy));
    const hashed = statSync(entryOf(copy)).ctimeMs;
    expect(hashed).toBeGreaterThan(before);
    expect(new ObjectCache(join(copy.folder, '..')).find(MUG)).toBe(entryOf(copy));
    expect(statSync(entryOf(copy)).ctimeMs).toBe(hashed);
  });

  test('but another user, is hashed before each use', () => {
    const cache = cacheWith(CONTENT);
    poison(cache);
    const { geteuid } = process;
    onTestFinished(() => {
      process.geteuid = geteuid;
    });
    process.geteuid = () => statSync(entryOf(cache)).uid + 1;
    expect(cache.find(MUG)).toBeNull();
  });

  test('but that the group may write to, is hashed before it is used', () => {
    const cache = cacheWith(CONTENT);
    poison(cache);
    chmodSync(entryOf(cache), 0o664);
    expect(cache.find(MUG)).toBeNull();
  });

  test('is hashed in any case if that is requested', () => {
    const cache = cacheWith(CONTENT);
    poison(cache);
    expect(new ObjectCache(join(cache.folder, '..'), { verify: true }).find(MUG)).toBeNull();
  });
});

test('a cache that cannot be read counts as empty, and says so once', async () => {
  const folder = temporaryFolder();
  symlinkSync('objects', join(folder, 'objects'));
  const problems: string[] = [];
  const cache = new ObjectCache(folder, { onProblem: (message) => problems.push(message) });
  for (let round = 0; round < 2; round++) {
    cache.add(MUG, CONTENT);
    await cache.addFile(MUG, join(folder, 'missing'));
    expect(cache.find(MUG)).toBeNull();
    expect(cache.read(MUG)).toBeNull();
    expect(cache.readByHash(MUG.sha256)).toBeNull();
    expect(cache.readInto(MUG, Buffer.alloc(MUG.size))).toBe(false);
  }
  expect(problems).toEqual([`the cache in ${cache.folder} cannot be used (ELOOP)`]);
});

test.each([
  ['002', 0o770],
  ['022', 0o700],
  ['077', 0o700],
])(
  'with the umask %s the folders of a cache are open to the group if the umask says so, and never to others',
  (umask, mode) => {
    const folder = temporaryFolder();
    const files = join(folder, 'files');
    mkdirSync(files);
    execFileSync('sh', ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, FILL, folder, files, '1']);
    const objects = join(folder, 'objects');
    const [entries = ''] = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name));
    for (const made of [objects, join(objects, entries), join(objects, 'tmp')])
      expect(statSync(made).mode & 0o777).toBe(mode);
  },
);

test('a cache that cannot be written fails silently, and a missing one counts as empty', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'objects'), 'a file where the folder should be');
  const cache = new ObjectCache(folder);
  cache.add(MUG, CONTENT);
  await new ObjectCache(folder).addFile(MUG, join(folder, 'objects'));
  expect(cache.find(MUG)).toBeNull();
  expect(cacheInfo(new ObjectCache(join(folder, 'missing')))).toMatchObject({ entries: 0, bytes: 0 });
});

test('the cache returns only the content that was added, however its entries are damaged or pruned', () => {
  const nth = fc.nat({ max: 5 });
  const step = fc.oneof(
    fc.record({ what: fc.constant('add' as const), nth }),
    fc.record({ what: fc.constant('find' as const), nth }),
    fc.record({ what: fc.constant('load' as const), nth }),
    fc.record({ what: fc.constant('prune' as const), nth: fc.nat({ max: 200_000 }) }),
    fc.record({ what: fc.constantFrom(...Object.keys(DAMAGES)), nth }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const cache = new ObjectCache(temporaryFolder());
      for (const { what, nth } of steps) {
        const content = contentOf(nth);
        const object = objectOf(content);
        const entry = entryOf(cache, object);
        if (what === 'add') cache.add(object, content);
        else if (what === 'prune') pruneCache(cache, nth);
        else if (what === 'find') {
          const found = cache.find(object);
          if (found !== null) expect(readFileSync(found)).toEqual(content);
        } else if (what === 'load') {
          const buffer = Buffer.alloc(content.length);
          if (cache.readInto(object, buffer)) expect(buffer).toEqual(content);
        } else if (existsSync(entry)) {
          chmodSync(entry, 0o644);
          DAMAGES[what]?.(entry);
        }
      }
    }),
    { numRuns: rounds({ short: 50, long: 1_000 }) },
  );
});

describe('cache maintenance', () => {
  test('verify names and removes a damaged entry, even with a valid stamp', async () => {
    const cache = cacheWith(CONTENT, contentOf(1), contentOf(2));
    const { atime, mtime } = statSync(entryOf(cache));
    chmodSync(entryOf(cache), 0o644);
    DAMAGES.flipped?.(entryOf(cache));
    utimesSync(entryOf(cache), atime, mtime);
    expect(await verifyCache(cache)).toMatchObject({ checked: 3, damaged: [MUG.sha256] });
    expect(await verifyCache(cache)).toMatchObject({ checked: 2, damaged: [] });
  });

  test('prune also removes files in asset trees, so that the space of linked entries is freed', () => {
    const cache = cacheWith(CONTENT, contentOf(1));
    const tree = join(cache.folder, '..', 'assets', 'ab'.repeat(32));
    mkdirSync(join(tree, 'mug'), { recursive: true });
    linkSync(entryOf(cache), join(tree, 'mug', 'mug.obj'));
    writeFileSync(join(tree, 'alone.obj'), 'of a tree alone');
    expect(cacheInfo(cache)).toMatchObject({ entries: 3 });
    expect(pruneCache(cache, 0)).toMatchObject({ removed: { entries: 3 }, kept: { bytes: 0 } });
    expect(readdirSync(tree, { recursive: true })).toEqual(['mug']);
  });

  test('verify removes a damaged entry from asset trees too', async () => {
    const cache = cacheWith(CONTENT);
    const tree = join(cache.folder, '..', 'assets', 'ab'.repeat(32));
    mkdirSync(tree, { recursive: true });
    linkSync(entryOf(cache), join(tree, 'mug.obj'));
    chmodSync(entryOf(cache), 0o644);
    DAMAGES.flipped?.(entryOf(cache));
    expect(await verifyCache(cache)).toMatchObject({ damaged: [MUG.sha256] });
    expect(readdirSync(tree)).toEqual([]);
  });

  test('prune removes the least recently used entries, and only as many as needed', () => {
    const contents = [1, 2, 3, 4].map((nth) => Buffer.alloc(1_000, String(nth)));
    const cache = cacheWith(...contents);
    for (const [at, content] of contents.entries()) {
      const entry = entryOf(cache, objectOf(content));
      utimesSync(entry, new Date(2026, 0, 10 - at), statSync(entry).mtime);
    }
    const kept = pruneCache(cache, 2_500);
    expect(kept).toMatchObject({
      removed: { entries: 2, bytes: 2_000 },
      kept: { entries: 2, bytes: 2_000 },
    });
    expect(contents.map((content) => cache.find(objectOf(content)) !== null)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(pruneCache(cache, 0)).toMatchObject({ kept: { entries: 0, bytes: 0 } });
  });

  test('prune removes temporary files of dead processes, but not of running ones', () => {
    const cache = cacheWith(CONTENT);
    const under = (pid: number) => join(cache.folder, 'tmp', `${MUG.sha256}.${pid}.00ff`);
    // The first process of every machine lives; none has the largest number.
    for (const pid of [1, 2 ** 31 - 1]) writeFileSync(under(pid), 'half');
    pruneCache(cache, Number.POSITIVE_INFINITY);
    expect([existsSync(under(1)), existsSync(under(2 ** 31 - 1))]).toEqual([true, false]);
  });

  test('prune and verify leave alone any file that is not a cache entry', async () => {
    const cache = cacheWith(CONTENT);
    writeFileSync(join(cache.folder, MUG.sha256.slice(0, 2), 'notes.txt'), 'mine');
    mkdirSync(join(cache.folder, 'zz'));
    pruneCache(cache, 0);
    await verifyCache(cache);
    expect(readdirSync(join(cache.folder, MUG.sha256.slice(0, 2)))).toEqual(['notes.txt']);
  });
});

test('a process killed at any step of adding leaves only complete entries, and the next run adds the rest', async () => {
  const contents = 6;
  const fill = (folder: string, killAt: number) => {
    const files = join(folder, 'files');
    mkdirSync(files, { recursive: true });
    return run(FILL, [folder, files, String(contents)], { killAt });
  };
  const { steps } = await fill(temporaryFolder(), 0);
  expect(steps).toBeGreaterThan(3 * contents);
  for (const killAt of someSteps(steps, { short: 6, long: 10 * steps })) {
    const folder = temporaryFolder();
    expect(await fill(folder, killAt)).toMatchObject({ signal: 'SIGKILL' });
    const cache = new ObjectCache(folder);
    expect(await verifyCache(cache)).toMatchObject({ damaged: [] });
    expect(await fill(folder, 0)).toMatchObject({ code: 0 });
    for (let nth = 0; nth < contents; nth++) {
      expect(cache.read(objectOf(contentOf(nth)))).toEqual(contentOf(nth));
    }
    expect(readdirSync(join(folder, 'objects', 'tmp'))).toEqual([]);
  }
});

test('processes can add, read and prune at the same time without damaging the cache', async () => {
  const folder = temporaryFolder();
  const roles = Array.from({ length: rounds({ short: 3, long: 20 }) }, (_, nth) =>
    nth % 3 === 0 ? 'prune' : 'read',
  );
  const turns = String(rounds({ short: 300, long: 3_000 }));
  const runs = await Promise.all(roles.map((role) => run(USE, [folder, role, turns])));
  expect(runs.map(({ code, stderr }) => (code === 0 ? 'done' : stderr))).toEqual(roles.map(() => 'done'));
  expect(await verifyCache(new ObjectCache(folder))).toMatchObject({ damaged: [] });
});
