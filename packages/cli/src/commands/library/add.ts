import { argument, defineCommand, flag, text } from '../../command.ts';
import { expectTransfers } from '../../garbage-collection.ts';
import { count, formatBytes, plain } from '../../output/text.ts';
import { embed, embeddingModel, model, noteEmbeddings } from './embeddings.ts';
import { library } from './inputs.ts';
import { localParts } from './local-parts.ts';
import { noteLost } from './note-lost.ts';
import { noteThumbnails, thumbnails, withRenderer } from './thumbnails.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Add a folder or file to a library as one asset',
  resumes: true,
  inputs: {
    library,
    source: argument('<dir or file>', 'the asset; its name becomes the id', text),
    replace: flag('replace the asset that has the same id'),
    thumbnails,
    embed,
    model,
  },
  examples: [
    ['bindery library add acme/robots ./gripper', 'a new asset "gripper"'],
    ['bindery library add acme/robots ./gripper --replace', 'a new version of it'],
  ],
  async run({ library, source, replace, thumbnails, embed, model }, context) {
    const embedding = await embeddingModel({ embed, model }, context);
    const { addAsset } = await import('@bindery/sdk/libraries');
    const client = await context.signedInClient();
    const parts = await localParts(context);
    expectTransfers();
    const added = await withRenderer(thumbnails, (renderer) =>
      addAsset(client, library, source, { ...parts, replace, renderer, model: embedding }),
    );
    const { namespace, name, revision } = added.library;
    return {
      library: `${namespace}/${name}`,
      revision,
      asset: added.asset,
      thumbnails: added.thumbnails,
      embeddings: added.embeddings,
      lost: added.lost,
      warnings: added.warnings,
    };
  },
  render({ library, revision, asset, thumbnails, embeddings, lost, warnings }, output) {
    noteThumbnails(thumbnails, false, output);
    noteEmbeddings(embeddings, false, output);
    noteLost(lost, output);
    for (const warning of warnings) output.warn(plain(warning));
    const bytes = asset.files.reduce((sum, { size }) => sum + size, 0);
    const size = `${count(asset.files.length, 'file')}, ${formatBytes(bytes)}`;
    output.line(
      `Added ${library}/${asset.id} (${asset.kind ?? 'file'}, ${size}); the library is now at revision ${revision}.`,
    );
  },
});
