import { discoverLibrary } from '../../packages/sdk/src/local-discovery/index.ts';

/** Discovers a folder in a separate process; prints the number of assets and the CPU time. */
const [folder = '', cacheFolder] = process.argv.slice(2);
const before = process.cpuUsage();
const start = performance.now();
const { assets } = discoverLibrary(folder, { cacheFolder });
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  JSON.stringify({
    assets: assets.length,
    processorSeconds: (user + system) / 1e6,
    seconds: (performance.now() - start) / 1000,
  }),
);
