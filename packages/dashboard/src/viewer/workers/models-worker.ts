import { extensionOf, formatNamed, formatOf } from '@bindery/formats';
import {
  createLoadContext,
  drawingFrame,
  frontOfMechanism,
  type LoadContext,
  loadMesh,
  loadSplats,
  loadUsdModel,
  type Matrix4,
  type Mechanism,
  type Omissions,
  readDrawn,
  readMesh,
  type Scene,
  type SplatCloud,
  type VariantChoices,
  type VariantSet,
} from '@bindery/render/models';
import { browserImages } from './browser-images.ts';
import type { AssetOfWorker } from './messages.ts';
import { filesOf, serve } from './serve.ts';

export type ModelCall =
  | { readonly do: 'splats'; readonly asset: AssetOfWorker }
  | {
      readonly do: 'model';
      readonly asset: AssetOfWorker;
      readonly kind: string;
      /** Whether to read what collides instead of what is seen. */
      readonly isCollision: boolean;
      /** What was chosen of the variants of a stage, and of the arguments of macros by name. */
      readonly variants?: VariantChoices;
      readonly given?: ReadonlyMap<string, string> | undefined;
    };

export interface ModelAnswers {
  /** With Y up; undefined for a PLY file without splats. */
  readonly splats: SplatCloud | undefined;
  readonly model: LoadedModel;
}

export interface LoadedModel {
  /** A mechanism has joints, or could have some. */
  readonly model: { readonly scene: Scene } | { readonly mechanism: Mechanism };
  /** Maps the model's own frame to one with Y up. */
  readonly frame: Matrix4;
  readonly omissions: Omissions | undefined;
  readonly variants: readonly VariantSet[];
  /** Whether it moves by itself in a way that is not played. */
  readonly isStill: boolean;
}

serve(async (call: ModelCall): Promise<ModelAnswers[keyof ModelAnswers]> => {
  const { entry, limits } = call.asset;
  const context = createLoadContext(filesOf(call.asset), { images: browserImages, readMesh }, limits);
  if (call.do === 'splats') return loadSplats(entry, context);
  const { model, variants = [], isAnimated = false } = await load(call, context);
  const frame =
    'scene' in model
      ? drawingFrame(model.scene)
      : drawingFrame({ up: 'z', front: frontOfMechanism(model.mechanism), instances: [], points: [] });
  return { model, frame, omissions: context.omissions.summary(), variants, isStill: isAnimated };
});

async function load(
  { asset: { entry }, kind, isCollision, variants, given }: Extract<ModelCall, { do: 'model' }>,
  context: LoadContext,
): Promise<Pick<LoadedModel, 'model'> & { readonly variants?: readonly VariantSet[]; isAnimated?: boolean }> {
  const roles = isCollision ? { roles: ['collision'] as const } : {};
  const format = formatNamed(kind) ?? formatOf(extensionOf(entry));
  if (format?.name === 'usd') return loadUsdModel(entry, context, { variants, ...roles });
  if (format?.loadMechanismReader === undefined)
    return { model: { scene: await loadMesh(entry, context, true) } };
  const mechanism = await readDrawn({ kind: format.name, entry }, context, { ...roles, given });
  return { model: { mechanism } };
}
