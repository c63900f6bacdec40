import { resolve } from 'node:path';
import {
  folderSource,
  listModels,
  MODEL_NAMES,
  modelFolder,
  modelId,
  pullModel,
  removeModel,
  urlSource,
} from '@bindery/encoder';
import { openTransport } from '@bindery/sdk';
import { argument, type CommandGroup, defineCommand, flag, option, text, UsageProblem } from '../command.ts';
import { usageError } from '../output/command-error.ts';
import { formatBytes } from '../output/text.ts';
import { asModelError } from './model-errors.ts';

const model = argument('<model>', 'siglip2, clip, or <library>/<model>/<pretrained>', parseModel);

const pull = defineCommand({
  name: 'pull',
  summary: 'Bring a model to this machine',
  description:
    'The model is taken from a folder (--from) or from a web address (--url) that has its model.json and files; of siglip2 and ' +
    'clip a folder may also hold a bare export: vision_model.onnx, text_model.onnx and tokenizer.json. Every file is verified, ' +
    'an interrupted pull goes on where it stopped, and a model that is there already stays until the new one is whole.\n\n' +
    'Models are kept in BINDERY_MODEL_DIR (~/.local/share/bindery/models). A running service takes up what appears there.',
  inputs: {
    model,
    from: option('<dir>', 'a folder with the files of the model', text),
    url: option('<url>', 'an address below which model.json and the files lie', parseAddress),
  },
  examples: [
    ['bindery model pull siglip2 --from ~/exports/siglip2', 'from files that are here already'],
    ['bindery model pull siglip2 --url https://models.example.org/siglip2/', 'from a mirror'],
  ],
  async run({ model, from, url }, context) {
    if ((from === undefined) === (url === undefined)) {
      throw usageError(
        'Say where the model comes from, with either --from or --url.',
        'There is no address that comes with Bindery; docs/encoders.md says how to export a model.',
      );
    }
    const transport = openTransport();
    const { signal } = context;
    const source =
      url === undefined
        ? folderSource(resolve(from ?? ''))
        : urlSource(url, (address, headers) =>
            transport.send({ method: 'GET', url: address, headers, signal }),
          );
    const progress = context.progress.start('Fetching');
    try {
      return await pullModel({
        folder: modelFolder(context.environment),
        model,
        source,
        expected: (bytes) => progress.expect({ bytes }),
        arrived: (bytes) => progress.advance({ bytes }),
        signal,
      });
    } catch (error) {
      throw asModelError(error);
    } finally {
      progress.stop();
      await transport.close();
    }
  },
  render({ id, folder, bytes, fetched }, output) {
    const what = fetched === 0 ? 'is up to date' : `is ready, ${formatBytes(fetched)} fetched`;
    output.line(`${id} ${what} (${formatBytes(bytes)} in ${folder}, verified).`);
  },
});

const list = defineCommand({
  name: 'list',
  summary: 'List the models on this machine',
  inputs: {},
  examples: [['bindery model list', 'their ids, sizes, and what is wrong with those that cannot be used']],
  async run(_, { environment }) {
    return { models: await listModels(modelFolder(environment)) };
  },
  render({ models }, output) {
    if (models.length === 0) output.note('No models are here yet. "bindery model pull" brings one.');
    output.table({
      headings: ['id', 'size', 'state'],
      rows: models.map(({ id, bytes, problem }) => [id, formatBytes(bytes), problem ?? 'ready']),
    });
  },
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Remove a model from this machine',
  inputs: { model, yes: flag('do not ask', { short: '-y' }) },
  examples: [['bindery model rm clip', 'frees its disk space']],
  async run({ model, yes }, context) {
    await context.confirm(`Remove ${modelId(model)} from this machine?`, { yes, offTerminal: 'go ahead' });
    try {
      return await removeModel(modelFolder(context.environment), model);
    } catch (error) {
      throw asModelError(error);
    }
  },
  render({ id, folder }, output) {
    output.line(`Removed ${id} from ${folder}.`);
  },
});

export const modelCommands: CommandGroup = {
  name: 'model',
  summary: 'Bring, list and remove models that find by meaning',
  commands: [pull, list, rm],
};

function parseModel(name: string): string {
  try {
    modelId(name);
    return name;
  } catch {
    throw new UsageProblem(`write ${Object.keys(MODEL_NAMES).join(', ')} or <library>/<model>/<pretrained>`);
  }
}

function parseAddress(address: string): string {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return address;
  throw new UsageProblem('write an http:// or https:// address');
}
