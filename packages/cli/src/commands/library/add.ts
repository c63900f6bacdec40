import { argument, defineCommand, flag, text } from '../../command.ts';
import { tuneGcForTransfers } from '../../garbage-collection.ts';
import { formatBytes, formatCount, sanitizeLine } from '../../output/text.ts';
import { embed, embeddingModel, model, reportEmbeddings } from './embeddings.ts';
import { library } from './inputs.ts';
import { localOptions } from './local-options.ts';
import { reportProp, simReadyInputs, withProp } from './prop.ts';
import { reportLostArtifacts, reportRemovals, reportSkippedPaths } from './report-push.ts';
import { reportThumbnails, thumbnails, withRenderer } from './thumbnails.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Add a folder or file to a library as one asset',
  resumes: true,
  inputs: {
    library,
    source: argument('<dir or file>', 'the asset; its name becomes the id', text),
    replace: flag('replace the asset that has the same id'),
    asProp: flag('make a rigid body of a mesh, with MJCF, URDF and SDF'),
    ...simReadyInputs,
    thumbnails,
    embed,
    model,
  },
  examples: [
    ['bindery library add acme/robots ./gripper', 'a new asset "gripper"'],
    ['bindery library add acme/robots ./gripper --replace', 'a new version of it'],
    ['bindery library add acme/props mug.glb --as-prop --mass 0.3', 'a mug that simulates'],
  ],
  async run({ library, source, replace, thumbnails, embed, model, ...inputs }, context) {
    const embedding = await embeddingModel({ embed, model }, context);
    const { addAsset } = await import('@bindery/sdk/libraries');
    const client = await context.signedInClient();
    const parts = await localOptions(context);
    tuneGcForTransfers();
    const added = await withProp(source, inputs, context, async (folder, made) => ({
      prop: made?.measures ?? null,
      ...(await withRenderer(thumbnails, context.output, (drawing) =>
        addAsset(client, library, folder, {
          ...parts,
          replace,
          entryPoints: made?.entryPoints,
          ...drawing,
          model: embedding,
        }),
      )),
    }));
    const { namespace, name, revision } = added.library;
    return {
      library: `${namespace}/${name}`,
      revision,
      asset: added.asset,
      prop: added.prop,
      thumbnails: added.thumbnails,
      embeddings: added.embeddings,
      lost: added.lost,
      removedMetadata: added.removedMetadata,
      leftOut: added.leftOut,
      warnings: added.warnings,
    };
  },
  render(
    { library, revision, asset, prop, thumbnails, embeddings, lost, removedMetadata, leftOut, warnings },
    output,
  ) {
    reportProp(prop, output);
    reportSkippedPaths(leftOut, output);
    reportThumbnails(thumbnails, false, output);
    reportEmbeddings(embeddings, false, output);
    reportLostArtifacts(lost, output);
    reportRemovals({ removedMetadata }, output);
    for (const warning of warnings) output.warn(sanitizeLine(warning));
    const bytes = asset.files.reduce((sum, { size }) => sum + size, 0);
    const size = `${formatCount(asset.files.length, 'file')}, ${formatBytes(bytes)}`;
    output.line(
      `Added ${library}/${asset.id} (${asset.kind ?? 'file'}, ${size}); the library is now at revision ${revision}.`,
    );
  },
});
