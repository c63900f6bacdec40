import { LIMITS } from '@bindery/contract/wire';
import type { EmbeddedImage, Embedder, EmbeddingModel, EmbeddingReport } from '@bindery/sdk/libraries';
import { flag, option, text } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';
import { asModelError } from '../model-errors.ts';
import { optionalPackage } from '../optional-package.ts';
import { warnOfAssets } from './report.ts';

export const embed = flag('compute vectors of thumbnails and texts, for search by meaning');
export const model = option(
  '<model>',
  'with --embed: siglip2 (the default if it is installed), included (otherwise), siglip2-small, clip, or <library>/<model>/<pretrained>',
  text,
);

/**
 * Returns the requested model, if any. It is loaded when the first picture or text has to be encoded, but if it is
 * missing, that is reported before anything is drawn.
 */
export async function embeddingModel(
  { embed, model }: { embed: boolean; model: string | undefined },
  { environment, output }: Pick<Context, 'environment' | 'output'>,
): Promise<EmbeddingModel | undefined> {
  if (!embed) {
    if (model === undefined) return undefined;
    throw usageError('--model needs --embed.', 'Add --embed.');
  }
  const { DEFAULT_MODEL_NAME, INCLUDED_MODEL, installedModel, modelFolder, modelId, RECIPES, shortName } =
    await encoderPackage();
  const folder = modelFolder(environment);
  const isInstalled = async (name: string) => (await installedModel(folder, name)) !== null;
  const name = model ?? ((await isInstalled(DEFAULT_MODEL_NAME)) ? DEFAULT_MODEL_NAME : INCLUDED_MODEL);
  const id = parseModelName(name, modelId);
  const installed = await installedModel(folder, id);
  const dim = (installed ?? RECIPES.get(id))?.dim ?? LIMITS.embedding.dimensions;
  if (dim !== LIMITS.embedding.dimensions) {
    throw usageError(
      `${name} makes vectors of ${dim} numbers, and those of a library have ${LIMITS.embedding.dimensions}.`,
      `Push without --embed: a service with BINDERY_ENCODER=${shortName(id)} makes them itself.`,
    );
  }
  if (installed === null) {
    output.note(
      `The model ${id} is missing or damaged here, so nothing new can be encoded. "bindery model pull ${shortName(id)}" downloads it.`,
    );
  }
  return {
    id,
    version: installed?.version ?? null,
    textOnly: installed?.encodesImages === false,
    open: () => openEmbedder(folder, id),
  };
}

function encoderPackage() {
  return optionalPackage('@bindery/encoder', 'Making vectors', () => import('@bindery/encoder'));
}

function parseModelName(name: string, modelId: (name: string) => string): string {
  try {
    return modelId(name);
  } catch (error) {
    throw usageError(`Invalid --model ${JSON.stringify(name)}: ${(error as RangeError).message}.`);
  }
}

async function openEmbedder(folder: string, id: string): Promise<Embedder> {
  const { createEncoder, EncoderError, shortName } = await encoderPackage();
  const explained = (error: unknown): unknown => {
    const damaged = error instanceof EncoderError && error.failure === 'damaged';
    return asModelError(error, damaged ? `"bindery model pull ${shortName(id)}" repairs it.` : undefined);
  };
  const encoder = await createEncoder({ folder, model: id }).catch((error) => {
    throw explained(error);
  });

  async function embedImages(images: readonly Uint8Array[], signal?: AbortSignal): Promise<EmbeddedImage[]> {
    const embedded: EmbeddedImage[] = [];
    while (embedded.length < images.length) {
      const rest = images.slice(embedded.length);
      try {
        embedded.push(...(await encoder.embedImages(rest, { signal })));
      } catch (error) {
        signal?.throwIfAborted();
        const bad = error instanceof EncoderError && error.failure === 'image' ? error.index : null;
        if (bad === null) throw explained(error);
        embedded.push(...(await encoder.embedImages(rest.slice(0, bad), { signal })));
        embedded.push({ warning: (error as Error).message });
      }
    }
    return embedded;
  }

  return {
    dim: encoder.dim,
    version: encoder.version,
    embedImages,
    async embedText(texts, signal) {
      try {
        return await encoder.embedText(texts, { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw explained(error);
      }
    },
    close: () => encoder.close(),
  };
}

/** Reports how many vectors were made, and for which pictures there are none. */
export function reportEmbeddings(report: EmbeddingReport | null, planned: boolean, output: Output): void {
  if (report === null) return;
  const { model, images, texts, warnings } = report;
  const verb = planned ? 'to encode' : 'encoded';
  output.note(
    `Vectors of ${sanitizeLine(model)}: ${formatCount(images.encoded, 'image')} and ${formatCount(texts.encoded, 'text')} ${verb}, ` +
      `${formatCount(images.reused, 'image')} and ${formatCount(texts.reused, 'text')} reused.`,
  );
  warnOfAssets('no image vector of', warnings, output);
}
