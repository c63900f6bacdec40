import {
  DEFAULT_MODEL_NAME,
  EncoderError,
  listModels,
  MODEL_NAMES,
  modelFolder,
  modelId,
  pullModel,
  removeModel,
  SourceInterrupted,
  shortName,
} from '@bindery/encoder';
import { explainFailure, openTransport } from '@bindery/sdk';
import { argument, type CommandGroup, defineCommand, flag, option, text, UsageProblem } from '../command.ts';
import { formatBytes, shortHash } from '../output/text.ts';
import { asModelError } from './model-errors.ts';
import { chooseSource } from './model-source.ts';

const model = argument(
  '<model>',
  'siglip2, siglip2-small, clip, clip-small, minilm, minilm-multilingual, or <library>/<model>/<pretrained>',
  parseModel,
);

const pull = defineCommand({
  name: 'pull',
  summary: 'Download a model to this machine',
  description:
    'Models with a short name come from the Hugging Face Hub, from a repository and commit known to Bindery (docs/encoders.md); ' +
    'others from a repository there (--hub), from a web address (--url) or from a folder (--from). Such a place has a model.json ' +
    'and what it lists; of models with a short name it may also hold a bare export. ' +
    'Every file is verified, an interrupted pull resumes where it stopped, and an installed model stays until the new ' +
    'one is complete.\n\n' +
    'HF_ENDPOINT selects another hub, HF_TOKEN signs in there. Models are stored in BINDERY_MODEL_DIR ' +
    '(~/.local/share/bindery/models). A running service picks up new models there.',
  resumes: true,
  inputs: {
    model,
    from: option('<dir>', 'a folder with the files of the model', text),
    url: option('<url>', 'a URL below which model.json and the files are found', parseAddress),
    hub: option('<owner/name>', 'a repository of the Hugging Face Hub', parseRepository),
    revision: option('<revision>', 'a commit, branch or tag of the repository; with --hub: main', text),
  },
  examples: [
    ['bindery model pull siglip2', 'the default model, 1.5 GB'],
    ['bindery model pull minilm', 'a small model of English texts, 24 MB'],
    ['bindery model pull siglip2 --from ~/exports/siglip2', 'from files that are already here'],
    ['bindery model pull siglip2 --url https://models.example.org/siglip2/', 'from a mirror'],
  ],
  async run(inputs, context) {
    const { signal, environment } = context;
    const transport = openTransport();
    const source = chooseSource(inputs, environment, (url, headers) =>
      transport.send({ method: 'GET', url, headers, signal }).catch((error: unknown) => {
        throw new Error(explainFailure(error), { cause: error });
      }),
    );
    const progress = context.progress.start('Fetching');
    try {
      return await pullModel({
        folder: modelFolder(environment),
        model: inputs.model,
        source,
        onSize: (bytes) => progress.addTotal({ bytes }),
        onBytes: (bytes) => progress.advance({ bytes }),
        onWait: (why) => progress.note(why),
        signal,
      });
    } catch (error) {
      throw asModelError(error, adviceOn(error));
    } finally {
      progress.stop();
      await transport.close();
    }
  },
  render({ id, folder, bytes, fetched, files, source }, output) {
    const what = fetched === 0 ? 'is up to date' : `is ready, ${formatBytes(fetched)} fetched`;
    output.line(`${id} ${what} (${formatBytes(bytes)} in ${folder}, verified).`);
    if (source) output.line(`It is ${source.repository} at ${source.commit}:`);
    output.table({
      headings: ['size', 'sha256', 'file'],
      rightAligned: [0],
      untruncated: true,
      rows: files.map(({ name, size, sha256 }) => [formatBytes(size), shortHash(sha256), name]),
    });
    if (id !== modelId(DEFAULT_MODEL_NAME))
      output.note(`A service that is started with BINDERY_ENCODER=${shortName(id)} searches with it.`);
  },
});

const list = defineCommand({
  name: 'list',
  summary: 'List the models on this machine',
  inputs: {},
  examples: [['bindery model list', 'their ids and sizes, and why some cannot be used']],
  async run(_, { environment }) {
    return { models: await listModels(modelFolder(environment)) };
  },
  render({ models }, output) {
    if (models.some(({ problem }) => problem !== null)) {
      output.note('"bindery model pull <model>" repairs a damaged model.');
    }
    if (models.length === 0) output.note('No models are installed. "bindery model pull" downloads one.');
    output.table({
      headings: ['id', 'size', 'state'],
      rows: models.map(({ id, bytes, problem }) => [id, formatBytes(bytes), problem ?? 'ready']),
    });
  },
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove a model from this machine',
  inputs: { model, yes: flag('skip the confirmation prompt', { short: '-y' }) },
  examples: [['bindery model rm clip', 'frees its disk space']],
  async run({ model, yes }, context) {
    await context.confirm(`Remove ${modelId(model)} from this machine?`, { yes, nonInteractive: 'go ahead' });
    try {
      return await removeModel(modelFolder(context.environment), model);
    } catch (error) {
      throw asModelError(error, '"bindery model list" shows what is installed.');
    }
  },
  render({ id, folder }, output) {
    output.line(`Removed ${id} from ${folder}.`);
  },
});

export const modelCommands: CommandGroup = {
  name: 'model',
  summary: 'Download, list and remove models for search by meaning',
  commands: [pull, list, rm],
};

/** What to do about a pull that failed. */
function adviceOn(error: unknown): string | undefined {
  if (!(error instanceof EncoderError)) return undefined;
  if (error.cause instanceof SourceInterrupted) {
    return 'Try again, or get the files another way: --from <dir>, --url <mirror>, HF_ENDPOINT; see docs/encoders.md.';
  }
  return error.failure === 'missing' ? 'docs/encoders.md says which files are expected there.' : undefined;
}

function parseModel(name: string): string {
  try {
    modelId(name);
    return name;
  } catch {
    throw new UsageProblem(
      `expected ${Object.keys(MODEL_NAMES).join(', ')} or <library>/<model>/<pretrained>`,
    );
  }
}

function parseAddress(address: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new UsageProblem('expected an http:// or https:// URL');
}

function parseRepository(name: string): string {
  if (/^[\w.-]{1,96}\/[\w.-]{1,96}$/.test(name)) return name;
  throw new UsageProblem('expected <owner>/<name>');
}
