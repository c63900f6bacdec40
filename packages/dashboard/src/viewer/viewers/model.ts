import { type ModelParameter, NothingVisible, type VariantSet, whyNothing } from '@bindery/render/models';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import type { Viewer, ViewerContent, ViewerInput } from '../viewer.ts';
import { type LoadedScene, showScene } from './mesh.ts';
import { ModelClient } from './model-client.ts';
import { showRobot } from './robot.ts';

/** Meshes and points, robots in URDF and SDFormat, and USD with the variants that it offers. */
export const viewer: Viewer = {
  async open(asset): Promise<ViewerContent> {
    const variants: Record<string, Record<string, string>> = {};
    const given = asset.parameters && new Map(asset.parameters.map(({ name, value }) => [name, value]));
    const load = async (isCollision = false) => {
      const worker = new ModelClient(asset);
      const call = { asset: worker.asset, kind: asset.kind, isCollision, variants, given };
      return worker.call({ do: 'model', ...call }).finally(() => worker.close());
    };
    const [stage, loaded] = await Promise.all([asset.stage(), load()]);
    const { model } = loaded;
    if ('mechanism' in model) {
      const content = showRobot(stage, model.mechanism, loaded, async () => {
        const collision = await load(true);
        return 'mechanism' in collision.model ? collision.model.mechanism : model.mechanism;
      });
      const choices = parameterChoices(asset, model.mechanism.parameters ?? []);
      return { ...content, controls: { ...content.controls, choices } };
    }
    const scene = { ...loaded, ...model };
    requireContent(scene);
    return showScene(stage, scene, (show) => {
      let last = 0;
      const choose = async (set: VariantSet, option: string) => {
        variants[set.prim] = { ...variants[set.prim], [set.set]: option };
        const call = ++last;
        const next = await load();
        if (call === last && 'scene' in next.model) show({ ...next, ...next.model });
      };
      return loaded.variants.map((set) => variantChoice(set, loaded.variants, choose));
    });
  },
};

function requireContent({ scene, omissions }: LoadedScene): void {
  if (scene.instances.length + scene.points.length + (scene.lines?.length ?? 0) === 0)
    throw new NothingVisible(whyNothing(omissions) ?? 'nothing visible to show');
}

function variantChoice(
  variant: VariantSet,
  all: readonly VariantSet[],
  choose: (variant: VariantSet, option: string) => void,
): Choice {
  const { prim, set, choices, selected } = variant;
  const isSelected = choices.includes(selected);
  const options = isSelected ? choices : [messages.none, ...choices];
  const label = all.some((other) => other.set === set && other.prim !== prim)
    ? `${prim.slice(prim.lastIndexOf('/') + 1)} ${set}`
    : set;
  return new Choice(
    label,
    options,
    (option) => choose(variant, isSelected || option > 0 ? (options[option] ?? '') : ''),
    Math.max(0, options.indexOf(selected)),
  );
}

/** Choices of what a robot in macros takes; each of them opens it again. What was known before stays a choice. */
function parameterChoices(asset: ViewerInput, found: readonly ModelParameter[]): Choice[] {
  const known = asset.parameters ?? [];
  const parameters = [...known, ...found.filter(({ name }) => !known.some((one) => one.name === name))];
  return parameters.map(({ name, value, values }, index) => {
    const choose = (option: number) =>
      asset.reopen(parameters.with(index, { name, value: values[option] ?? value, values }));
    return new Choice(name, values, choose, Math.max(0, values.indexOf(value)));
  });
}
