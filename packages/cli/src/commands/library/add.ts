import { argument, defineCommand, flag, text } from '../../command.ts';
import { count, formatBytes } from '../../output/text.ts';
import { library } from './inputs.ts';
import { localParts } from './local-parts.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Add a folder or file to a library as one asset',
  inputs: {
    library,
    source: argument('<dir or file>', 'the asset; its name becomes the id', text),
    replace: flag('put it in the place of the asset of the same id'),
  },
  examples: [
    ['bindery library add acme/robots ./gripper', 'a new asset "gripper"'],
    ['bindery library add acme/robots ./gripper --replace', 'a new state of it'],
  ],
  async run({ library, source, replace }, context) {
    const { addAsset } = await import('@bindery/sdk/libraries');
    const client = await context.signedInClient();
    const parts = await localParts(context);
    const { library: row, asset } = await addAsset(client, library, source, { ...parts, replace });
    return { library: `${row.namespace}/${row.name}`, revision: row.revision, asset };
  },
  render({ library, revision, asset }, output) {
    const bytes = asset.files.reduce((sum, { size }) => sum + size, 0);
    const size = `${count(asset.files.length, 'file')}, ${formatBytes(bytes)}`;
    output.line(
      `Added ${library}/${asset.id} (${asset.kind ?? 'file'}, ${size}); the library has revision ${revision} now.`,
    );
  },
});
