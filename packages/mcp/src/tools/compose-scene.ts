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
        library: revisionInput,
        assetId: assetId.describe('Of a robot or a mesh.'),
        at: z
          .tuple([metres, metres])
          .optional()
          .describe(
            'Its middle, [x, y] in metres, on the floor (in a row if omitted) or from the middle of what it is on.',
          ),
        on: assetId.optional().describe('Of an earlier one of these, on top of which it stands.'),
        scale: z
          .number()
          .min(1e-6)
          .max(1e6)
          .optional()
          .describe('Resizes a mesh; 0.001 if its numbers are millimetres.'),
        turn: z.number().min(-360).max(360).default(0).describe('About the vertical axis, in degrees.'),
      }),
    )
    .min(1)
    .max(BOUNDS.sceneAssets)
    .describe('An asset may be named several times.'),
  folder: folderInput,
});

const sides = z.array(z.number());

const output = z.object({
  folder: z.string().describe('Its absolute path, with scene.xml for MuJoCo and scene.usdz.'),
  mujoco: z.string(),
  problemCount: z.int(),
  authored: z.object({
    problems: z
      .array(z.object({ code: z.string(), message: z.string() }))
      .describe('Empty for a scene that is sound in simulation.'),
    placed: z.array(
      z.object({
        library: z.string(),
        revision: z.int(),
        assetId: z.string(),
        name: z.string(),
        height: z.number(),
        at: sides.describe('In metres, like size: width, depth, height.'),
        size: sides,
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
      'Writes a scene into a new folder on this machine: robots and meshes standing on a floor, or on each other, as MJCF and ' +
      'USD, simulated once in MuJoCo. Meshes without mass stand still, and nothing collides with them.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    input,
    output,
    async run({ assets, folder: into }, { signal }) {
      const wanted = assets.map(({ assetId: asset, ...place }) => ({ asset, ...place }));
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
              height: toMillimetres(place.height),
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
