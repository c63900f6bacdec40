import type { ConversionFormat } from '@bindery/contract/wire';
import { type AssetAddress, formatLibraryAddress, type SimReady } from '@bindery/sdk';
import type { ConvertedPull } from '@bindery/sdk/reading';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, formatFiles, sanitizeLine } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { localOptions } from './local-options.ts';
import { withMirror } from './mirror.ts';
import { warnOfPaths } from './report.ts';

/** Limits of a conversion. */
export const CONVERSION_BOUNDS = { workers: 1, timeoutMs: 120_000, memoryMiB: 4_096 };

interface ConvertedPullInputs {
  library: AssetAddress;
  as: ConversionFormat;
  simReady: SimReady | undefined;
  inline: boolean;
  out: string;
  asset: string[];
  share: string | undefined;
  mirror: string | undefined;
  verify: boolean;
  noCache: boolean;
  all: boolean;
  keep: boolean;
  force: boolean;
  prune: boolean;
  credits: boolean;
}

/** Pulls one asset and writes it in another format into a new folder. */
export async function convertedPull(inputs: ConvertedPullInputs, context: Context): Promise<ConvertedPull> {
  const { library, as, simReady, inline, share, verify, mirror: location, noCache } = inputs;
  const { asset, ...address } = library;
  if (asset === undefined || inputs.asset.length > 0) {
    throw usageError(
      '--as converts one asset.',
      `Name it in the address: "bindery library pull ${formatLibraryAddress(address)}/<asset> --as ${as}".`,
    );
  }
  const { all, keep, force, prune, credits } = inputs;
  if (all || keep || force || prune || credits) {
    throw usageError(
      '--as writes a new folder, which goes with none of --all, --keep, --force, --prune and --credits.',
    );
  }
  const { createConversionPool } = await optionalPackage(
    '@bindery/render',
    'Converting models',
    () => import('@bindery/render'),
  );
  const { pullConverted } = await import('@bindery/sdk/reading');
  const parts = await localOptions(context);
  const client = await context.client();
  await using converter = createConversionPool(CONVERSION_BOUNDS);
  // A model that is being converted does not listen to signals; its process can only be ended.
  const stop = () => void converter[Symbol.asyncDispose]();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    return await withMirror(location, context, (mirror) =>
      pullConverted(client, { ...address, share }, asset, inputs.out, {
        ...parts,
        cache: !noCache && parts.cache,
        verify,
        mirror,
        as,
        simReady,
        inline,
        converter,
      }),
    );
  } finally {
    context.signal.removeEventListener('abort', stop);
  }
}

export function reportConverted(result: ConvertedPull, output: Output): void {
  const { library, revision, asset, as, folder, files, fetched, unchanged, losses, proof, entry } = result;
  const source = `${library}/${asset}`;
  output.line(
    unchanged
      ? `${source} as ${as} is up to date in ${folder} (revision ${revision}, ${formatCount(files.length, 'file')}).`
      : `Converted revision ${revision} of ${source} to ${as} into ${folder}: open ${sanitizeLine(entry)}` +
          `${fetched.files > 0 ? ` (${formatFiles(fetched)} fetched and verified)` : ''}.`,
  );
  const [largest] = [...proof].sort((one, other) => ratio(other) - ratio(one));
  if (largest !== undefined) {
    const { what, measured } = largest;
    const difference = `the largest difference is ${measured.toPrecision(1)} (${what})`;
    output.note(sanitizeLine(`Proved by ${formatCount(proof.length, 'comparison')}: ${difference}.`));
  }
  const lost = losses.map(
    ({ what, names, why }) => `${[what, listNames(names)].filter(Boolean).join(' ')}: ${why}`,
  );
  warnOfPaths(`${formatCount(lost.length, 'thing is', 'things are')} left out or changed`, lost, output);
}

/** Maximum number of lost things of one kind that are named. */
const MAX_NAMED = 4;

function listNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** How much of what is allowed was measured. */
function ratio({ measured, bound }: { measured: number; bound: number }): number {
  return bound > 0 ? measured / bound : measured;
}
