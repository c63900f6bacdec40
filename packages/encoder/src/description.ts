import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS, sha256Hex } from '@bindery/contract';
import { z } from 'zod';
import { EncoderError } from './errors.ts';
import { folderOfModel, modelId, modelMissing } from './models.ts';

export const DESCRIPTION_FILE = 'model.json';
export const DESCRIPTION_SCHEMA = 'bindery.encoder/v1';

/** In bytes; the description of a model with a few files is a thousandth of this. */
export const MAX_DESCRIPTION = 1_048_576;

const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, {
  error: 'a file name is 1 to 100 of a-z, A-Z, 0-9, dot, underscore and dash',
});
const tokenId = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const perChannel = z.tuple([z.number(), z.number(), z.number()]);

const imageDescription = z.strictObject({
  /** The ONNX file; its input is `[1, 3, size, size]` float32, its output `[1, dim]` float32. */
  model: fileName,
  input: z.string(),
  output: z.string(),
  /** Width and height of the model's input, in pixels. */
  size: z.int().min(1).max(1_024),
  /** `squash` ignores the aspect ratio; `shortest` fits the shorter side and crops the centre. */
  resize: z.enum(['squash', 'shortest']),
  /** Of red, green and blue, each from 0 to 1: the model's input is `(value - mean) / std`. */
  mean: perChannel,
  std: perChannel,
});
export type ImageDescription = z.infer<typeof imageDescription>;

const textDescription = z.strictObject({
  /** The ONNX file; its input is `[1, length]` int64, its output `[1, dim]` float32, with `pooling` `[1, tokens, dim]`. */
  model: fileName,
  input: z.string(),
  output: z.string(),
  /** The vocabulary and its rules, as `tokenizer.json`. */
  tokenizer: fileName,
  /** How many tokens the model takes. */
  length: z.int().min(2).max(1_024),
  clean: z.enum(['canonicalize', 'lower', 'whitespace']),
  /** Token before the text and token after it, each `null` for none, and the padding token. */
  start: tokenId.nullable(),
  end: tokenId.nullable(),
  pad: tokenId,
  /**
   * `mean`: the output has a vector for each token of the text, which is not padded, and their mean is the vector of the
   * text. Absent: the output is the vector of the text, which is padded to `length`.
   */
  pooling: z.literal('mean').optional(),
  /** `title`: what the nouns of an asset's title mean counts beside its text. Absent: a text counts as it is. */
  meaning: z.literal('title').optional(),
  /** `Latin` if the model has learned words in Latin letters alone; absent if it reads any script, or nobody knows. */
  script: z.literal('Latin').optional(),
});
export type TextDescription = z.infer<typeof textDescription>;

const modelFile = z.strictObject({ name: fileName, size: z.int().min(0), sha256: sha256Hex });
export type ModelFile = z.infer<typeof modelFile>;

const modelSource = z.strictObject({
  repository: z.string().regex(/^[\w.-]{1,96}\/[\w.-]{1,96}$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
});

export const modelDescription = z
  .strictObject({
    schema: z.literal(DESCRIPTION_SCHEMA),
    id: z.string().refine((id) => isModelId(id), { error: 'an id is <library>/<model>/<pretrained>' }),
    dim: z.int().min(1).max(LIMITS.embedding.dimensions),
    /** Absent if the model does not encode pictures. */
    image: imageDescription.optional(),
    text: textDescription,
    /**
     * The cosine from which an asset is related to a query, measured with this model. Absent if nobody has: then it is
     * measured for each library.
     */
    relatedFrom: z.number().min(-1).max(1).optional(),
    /** All files of the model, including the external data files of an ONNX file. */
    files: z.array(modelFile).min(1).max(64),
    /** Base URL of the files, if they are not next to the description. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** The model hub repository and the commit that the files came from. */
    source: modelSource.optional(),
  })
  .refine(({ files, image, text }) => loadedFileNames({ image, text }).every((name) => has(files, name)), {
    error: 'files must list the models and the tokenizer',
  })
  .refine(({ files }) => new Set(files.map(({ name }) => name.toLowerCase())).size === files.length, {
    error: 'a file is listed twice',
  });

/** `model.json`: what a model is, how pictures and texts are prepared for it, and which files it consists of. */
export type ModelDescription = z.infer<typeof modelDescription>;

interface LoadedFrom {
  image?: ImageDescription | undefined;
  text: TextDescription;
}

/** The model and tokenizer files that a description names. */
function loadedFileNames({ image, text }: LoadedFrom): string[] {
  return [...(image ? [image.model] : []), text.model, text.tokenizer];
}

/** Names of the external data files that hold the weights of a large ONNX model. */
export function dataFilesOf(model: string): string[] {
  return [`${model}_data`, `${model}.data`];
}

/** The files that one half of a model is loaded from: all but those of the other half. */
export function filesOfHalf({ image, text, files }: ModelDescription, half: 'image' | 'text'): ModelFile[] {
  const ofImage = image ? [image.model, ...dataFilesOf(image.model)] : [];
  const ofText = [text.model, ...dataFilesOf(text.model), text.tokenizer];
  const others = half === 'text' ? ofImage : ofText;
  return files.filter(({ name }) => !others.includes(name));
}

function has(files: readonly ModelFile[], name: string): boolean {
  return files.some((file) => file.name === name);
}

function isModelId(id: string): boolean {
  try {
    return modelId(id) === id;
  } catch {
    return false;
  }
}

/** Parses a description; `where` names its origin in errors. Throws `EncoderError` (`damaged`). */
export function parseDescription(bytes: Uint8Array, where: string): ModelDescription {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new EncoderError('damaged', `${where} is not JSON in UTF-8.`, { cause });
  }
  const parsed = modelDescription.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') || 'the document';
  throw new EncoderError('damaged', `${where} does not describe a model: ${at}: ${issue?.message}.`);
}

/** Reads the description of an installed model. Throws `EncoderError`: `missing` or `damaged`. */
export async function readDescription(folder: string, id: string): Promise<ModelDescription> {
  const file = join(folderOfModel(folder, id), DESCRIPTION_FILE);
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') throw modelMissing(folder, id);
    throw new EncoderError('damaged', `${file} cannot be read: ${cause.message}`, { cause });
  });
  const description = parseDescription(bytes, file);
  if (description.id === id) return description;
  throw new EncoderError('damaged', `${file} describes ${description.id}, not ${id}.`);
}
