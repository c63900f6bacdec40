import { createModelCheckPool } from '../../packages/render/src/index.ts';
import { checkLibrary } from '../../packages/sdk/src/check/check.ts';
import { discoverLibrary } from '../../packages/sdk/src/local-discovery/index.ts';

/** Checks a folder as `library check` does; prints the number of assets in it. */
const [folder = ''] = process.argv.slice(2);
await using pool = createModelCheckPool({ workers: 2, timeoutMs: 600_000, memoryMiB: 2_048 });
const { assets } = await checkLibrary(discoverLibrary(folder), pool);
process.stdout.write(`${assets}\n`);
