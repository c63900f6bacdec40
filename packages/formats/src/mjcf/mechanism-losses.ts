import type { MjModel } from '@mujoco/mujoco';
import type { Loss } from '../verdicts.ts';
import { nameOf } from './lookups.ts';

/** What a MuJoCo model has beside bodies, joints, geoms and actuators. */
export function modelLosses(model: MjModel): Loss[] {
  const kinds: [what: string, count: number, addresses: unknown, why: string][] = [
    ['tendon', model.ntendon, model.name_tendonadr, 'paths between joints and sites are not converted'],
    ['keyframe', model.nkey, model.name_keyadr, 'stored states are not converted'],
    ['sensor', model.nsensor, model.name_sensoradr, 'sensors are not converted'],
    ['plugin', model.nplugin, model.name_pluginadr, 'what a plugin does is not converted'],
    ['flex', model.nflex, model.name_flexadr, 'soft bodies are not converted'],
    ['skin', model.nskin, model.name_skinadr, 'surfaces that bend are not converted'],
    ['site', model.nsite, model.name_siteadr, 'marks on bodies are not converted'],
    ['camera', model.ncam, model.name_camadr, 'cameras are not converted'],
    ['light', model.nlight, model.name_lightadr, 'lights are not converted'],
    ['pair', model.npair, model.name_pairadr, 'contacts of chosen geoms are not converted'],
    ['numeric', model.nnumeric, model.name_numericadr, 'user data is not converted'],
    ['text', model.ntext, model.name_textadr, 'user data is not converted'],
    ['tuple', model.ntuple, model.name_tupleadr, 'user data is not converted'],
  ];
  return [
    ...kinds.flatMap(([what, count, addresses, why]): Loss[] =>
      count === 0 ? [] : [{ what, names: named(model, addresses, range(count)), why }],
    ),
    ...bodyLosses(model),
    ...jointLosses(model),
  ];
}

function bodyLosses(model: MjModel): Loss[] {
  const bodies = (has: (body: number) => boolean) =>
    named(model, model.name_bodyadr, range(model.nbody).filter(has));
  const mocap = bodies((body) => ((model.body_mocapid as Int32Array)[body] ?? -1) >= 0);
  const floating = bodies((body) => ((model.body_gravcomp as Float64Array)[body] ?? 0) !== 0);
  return [
    { what: 'mocap', names: mocap, why: 'kept as a body that does not move' },
    { what: 'gravcomp', names: floating, why: 'gravity is not compensated' },
  ].filter(({ names }) => names.length > 0);
}

/** `mjJNT_BALL`. */
const BALL = 1;

function jointLosses(model: MjModel): Loss[] {
  const joints = (has: (joint: number) => boolean) =>
    named(model, model.name_jntadr, range(model.njnt).filter(has));
  const row = (values: unknown, index: number, count: number) => {
    const table = values as Float64Array;
    const width = table.length / (count || 1);
    return table.subarray(index * width, (index + 1) * width);
  };
  const isBent = (joint: number) =>
    row(model.jnt_stiffnesspoly, joint, model.njnt).some((coefficient) => coefficient !== 0) ||
    row(model.dof_dampingpoly, (model.jnt_dofadr as Int32Array)[joint] ?? 0, model.nv).some(
      (coefficient) => coefficient !== 0,
    );
  const isLimitedBall = (joint: number) =>
    (model.jnt_type as Int32Array)[joint] === BALL && (row(model.jnt_range, joint, model.njnt)[1] ?? 0) > 0;
  return [
    { what: 'joint', names: joints(isBent), why: 'kept with springs and damping that are linear' },
    { what: 'joint', names: joints(isLimitedBall), why: 'a ball is kept without limits' },
  ].filter(({ names }) => names.length > 0);
}

function named(model: MjModel, addresses: unknown, ids: readonly number[]): string[] {
  return ids.map((id) => nameOf(model, addresses, id)).filter((name) => name !== '');
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
