import type { MainModule, MjModel } from '@mujoco/mujoco';
import { LossList } from '../model/losses.ts';
import type { Loss } from '../verdicts.ts';
import { type Kind, namesOf, pair } from './lookups.ts';
import { LOST_KINDS, LOST_TABLES, type LostTable } from './lost-tables.ts';
import { optionLosses } from './options.ts';

/** What a MuJoCo model has that a mechanism cannot hold, beside what joints, geoms and actuators are read with. */
export function modelLosses(mujoco: MainModule, model: MjModel): Loss[] {
  const losses = new LossList();
  for (const [kind, why] of Object.entries(LOST_KINDS) as [Kind, string][])
    for (const name of namesOf(model, kind)) losses.add(kind, name, why);
  for (const [kind, tables] of Object.entries(LOST_TABLES) as [Kind | 'dof', LostTable[]][]) {
    const names = kind === 'dof' ? dofNames(model) : namesOf(model, kind);
    for (const lost of tables)
      for (const id of lostRows(model, lost, names.length)) losses.add(lost.what, names[id] ?? '', lost.why);
  }
  nameForces(mujoco, model, losses);
  nameEvenTextures(model, losses);
  return [...optionLosses(mujoco, model), ...losses.all];
}

/** The things of a kind whose rows of a table are not harmless. */
function lostRows(model: MjModel, { table, harmless, isFelt }: LostTable, count: number): number[] {
  const values = model[table] as ArrayLike<number>;
  const width = values.length / (count || 1);
  const isHarmless = (id: number) => {
    for (let at = 0; at < width; at++) {
      const wanted = harmless[at % harmless.length];
      if (wanted !== undefined && values[id * width + at] !== wanted) return false;
    }
    return true;
  };
  const ids = Array.from({ length: count }, (_, id) => id);
  return ids.filter((id) => !isHarmless(id) && isFelt?.(model, id) !== false);
}

function dofNames(model: MjModel): string[] {
  const joints = namesOf(model, 'joint');
  return Array.from(model.dof_jntid as Int32Array, (joint) => joints[joint] ?? '');
}

/** Names what limits and lightens joints in other ways than by one number. */
function nameForces(mujoco: MainModule, model: MjModel, losses: LossList): void {
  const names = namesOf(model, 'joint');
  for (const [joint, name] of names.entries()) {
    const [lower, upper] = pair(model.jnt_actfrcrange, joint);
    if (lower !== -upper)
      losses.add('joint/@actuatorfrcrange', name, 'kept as the larger of its two forces, both ways');
  }
  if (model.ngravcomp === 0) return;
  const why = 'gravity is not compensated, by actuators neither';
  for (const [joint, compensates] of printed(mujoco, model, 'jnt_actgravcomp').entries())
    if (compensates) losses.add('joint/@actuatorgravcomp', names[joint] ?? '', why);
}

/** A table of truths, which the WebAssembly build cannot hand out, from what MuJoCo prints of a model. */
function printed(mujoco: MainModule, model: MjModel, table: string): boolean[] {
  const file = '/printed.txt';
  mujoco.mj_printModel(model, file);
  const bytes = mujoco.FS.readFile(file);
  mujoco.FS.unlink(file);
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.filter((line) => line.trim().startsWith(`${table} `)).map((line) => line.trim().endsWith('1'));
}

function nameEvenTextures(model: MjModel, losses: LossList): void {
  for (const [material, name] of namesOf(model, 'material').entries()) {
    const accessor = model.mat(material);
    const isEven = Boolean(accessor.texuniform);
    accessor.delete();
    if (isEven)
      losses.add('material/@texuniform', name, 'textures repeat once over a shape, whatever its size');
  }
}
