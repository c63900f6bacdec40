import { assetId } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';
import { authored } from '../authored.ts';
import { defineTool } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { folderInput } from './folders.ts';
import { revisionInput } from './names.ts';

const metres = z.number().min(-1_000).max(1_000);

const input = z.strictObject({
  assets: z
    .array(
      z.strictObject({
        library: revisionInput.describe('<namespace>/<library>, or <namespace>/<library>@<release>.'),
        assetId: assetId.describe('authored.assetId of a hit of search_assets: a robot or a mesh.'),
        at: z
          .tuple([metres, metres])
          .optional()
          .describe(
            'Where its middle is on the floor, [x, y] in metres; in a row beside the others if omitted.',
          ),
        turn: z.number().min(-360).max(360).default(0).describe('About the vertical axis, in degrees.'),
      }),
    )
    .min(1)
    .max(BOUNDS.sceneAssets)
    .describe('What stands in the scene; an asset may be named several times.'),
  folder: folderInput,
});

const sides = z.array(z.number());

const output = z.object({
  folder: z.string().describe('Its absolute path, with scene.xml for MuJoCo and scene.usdz.'),
  mujoco: z.string().describe('The version of MuJoCo that simulated the scene.'),
  problemCount: z.int(),
  authored: z.object({
    problems: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .describe('What the simulation showed; empty for a scene that is sound.'),
    placed: z.array(
      z.object({
        library: z.string(),
        revision: z.int(),
        assetId: z.string(),
        name: z.string().describe('What its bodies and joints are called after.'),
        at: sides.describe('Where its middle is on the floor, in metres.'),
        size: sides.describe('Width, depth and height of the box around it, in metres.'),
        license: z.string().nullable(),
        attribution: z.string().nullable().describe('Whom to credit.'),
      }),
    ),
    losses: z
      .array(z.object({ what: z.string(), names: z.array(z.string()), why: z.string() }))
      .describe('What of the assets the scene does not have.'),
    lossCount: z.int(),
  }),
});

export const composeScene = (copies: WorkingCopies) =>
  defineTool({
    name: 'compose_scene',
    title: 'Compose a scene of assets',
    description:
      'Writes a scene into a new folder on this machine: robots and meshes standing on a floor without touching, as MJCF and ' +
      'USD, simulated once in MuJoCo. Meshes without mass stand still, and nothing collides with them.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    input,
    output,
    async run({ assets, folder: into }, { signal }) {
      const wanted = assets.map(({ library, assetId: asset, at, turn }) => ({ library, asset, at, turn }));
      const { folder, mujoco, problems, placed, losses } = await copies.compose(wanted, into, signal);
      return {
        value: {
          folder,
          mujoco,
          problemCount: problems.length,
          ...authored({
            problems: problems.slice(0, BOUNDS.sceneProblems),
            placed: placed.map(({ asset, at, size, ...place }) => ({
              ...place,
              assetId: asset,
              at: at.map(toMillimetres),
              size: size.map(toMillimetres),
            })),
            losses: losses
              .slice(0, BOUNDS.sceneProblems)
              .map(({ what, names, why }) => ({ what, names: names.slice(0, BOUNDS.lostNames), why })),
            lossCount: losses.length,
          }),
        },
      };
    },
  });

function toMillimetres(metres: number): number {
  return Math.round(metres * 1_000) / 1_000;
}
