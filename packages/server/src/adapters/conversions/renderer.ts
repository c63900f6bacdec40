import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { certificateOf } from '@bindery/contract';
import type { ConversionPool, Engines } from '@bindery/render';
import type { Configuration } from '../../configuration/configuration.ts';
import type { AssetConverter } from '../../conversions/conversions.ts';

/** Limits for one asset. */
const BOUNDS = {
  workers: Math.min(2, availableParallelism()),
  timeoutMs: 60_000,
  memoryMiB: 2_048,
};

/** Limits for one robot in one engine; Newton compiles for minutes when it first runs. */
const ENGINE_BOUNDS = { timeoutMs: 300_000, memoryMiB: 4_096 };

/** Converts with `@bindery/render`, if the operator has installed it. Nothing of it is loaded before the first request. */
export function createAssetConverter(
  limits: Partial<typeof BOUNDS> = {},
  { engines: names, python }: Pick<Configuration, 'engines' | 'python'> = { engines: [], python: '' },
): AssetConverter {
  const bounds = { ...BOUNDS, ...limits };
  let loaded: Promise<typeof import('@bindery/render') | null> | undefined;
  let pool: ConversionPool | undefined;
  const load = () => {
    loaded ??= import('@bindery/render').catch((error: unknown) => {
      if (isMissingRenderer(error)) return null;
      throw error;
    });
    return loaded;
  };
  let asked: Promise<Engines | undefined> | undefined;
  const loadEngines = () => {
    asked ??= load().then(async (renderer) => {
      if (renderer === null || names.length === 0) return undefined;
      return { ...ENGINE_BOUNDS, python, versions: await renderer.engineVersions(names, python) };
    });
    return asked;
  };

  return {
    workers: bounds.workers,
    async version(as) {
      const renderer = await load();
      const engines = as === 'certificate' ? await loadEngines() : undefined;
      const versions = [...(engines?.versions ?? [])].flat();
      return renderer && [renderer.CONVERTER_VERSION, renderer.CERTIFIER_VERSION, ...versions].join(' ');
    },
    async convert({ kind, format, entry, as, simReady, digest, files }, locate, into) {
      const renderer = await load();
      if (renderer === null) throw new Error('there is no renderer');
      pool ??= renderer.createConversionPool(bounds, await loadEngines());
      const sizes = new Map(files.map(({ path, size }) => [path, size]));
      const hashes = new Map(files.map(({ path, sha256 }) => [path, sha256]));
      const asset = { kind, format, entry, sizes, hashes };
      if (as === 'certificate') {
        const certified = await pool.certify(asset, locate);
        if ('refused' in certified) return certified;
        const certifier = renderer.CERTIFIER_VERSION;
        const certificate = certificateOf(certified.certification, { digest, file: entry, certifier });
        const name = 'certificate.json';
        await writeFile(join(into, name), JSON.stringify(certificate));
        return { name, losses: [] };
      }
      const result = await pool.convert({ ...asset, as, simReady, into, isPacked: true }, locate);
      if ('refused' in result) return result;
      return { name: result.entry, losses: [...new Set(result.losses.map(({ what }) => what))] };
    },
    close: async () => pool?.close(),
  };
}

export function isMissingRenderer(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes("'@bindery/render'")
  );
}
