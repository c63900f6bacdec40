import { keptData } from './joint-dynamics.ts';
import type { RobotJoint } from './robot-joint.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { numberOf, textOf } from './values.ts';

const MIMIC = 'PhysxMimicJointAPI:';

/** Whether a joint says that it follows another. */
export function isFollower(prim: UsdPrim): boolean {
  return (
    keptData(prim).mimics !== undefined ||
    (prim.schemas.includes('NewtonMimicAPI') && prim.value('newton:mimicEnabled') !== false) ||
    prim.schemas.some((schema) => schema.startsWith(MIMIC))
  );
}

/**
 * Which joint another one follows, as the schemas of Newton or PhysX say, or as a conversion to USD kept it. `nameOf` gives
 * the name of a joint by the path of its prim.
 */
export function mimicsOf(
  prim: UsdPrim,
  type: RobotJoint['type'],
  { metersPerUnit }: UsdStage,
  nameOf: (path: string) => string | undefined,
): RobotJoint['mimics'] {
  if (!isFollower(prim) || (type !== 'hinge' && type !== 'slide')) return undefined;
  const unit = type === 'hinge' ? Math.PI / 180 : metersPerUnit;
  const number = (name: string, standard: number) => numberOf(prim.value(name)) ?? standard;
  const following = (relationship: string, multiplier: number, offset: number) => {
    const joint = nameOf(prim.targets(relationship)[0] ?? '');
    return joint === undefined ? undefined : { joint, multiplier, offset: offset * unit };
  };
  const kept = keptData(prim);
  const leader = textOf(kept.mimics);
  if (leader !== undefined)
    return { joint: leader, multiplier: numberOf(kept.multiplier) ?? 1, offset: numberOf(kept.offset) ?? 0 };
  if (prim.schemas.includes('NewtonMimicAPI'))
    return following('newton:mimicJoint', number('newton:mimicCoef1', 1), number('newton:mimicCoef0', 0));
  const applied = prim.schemas.find((schema) => schema.startsWith(MIMIC));
  if (applied === undefined) return undefined;
  const own = `physxMimicJoint:${applied.slice(MIMIC.length)}`;
  // For PhysX the value, that of the other joint times the gearing, and the offset add up to 0.
  return following(`${own}:referenceJoint`, -number(`${own}:gearing`, 1), -number(`${own}:offset`, 0));
}
