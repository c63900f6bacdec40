import { joinedInertial, movedInertial } from '../model/inertia.ts';
import type { Inertial, Shape } from '../model/mechanism.ts';
import { momentsOfPrimitive } from '../model/primitive-moments.ts';
import { inertialOf as inertialOfSolid, momentsOf, movedMoments, type SolidMoments } from '../model/solid.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';
import { poseOf } from './poses.ts';
import { shapeName } from './shapes.ts';

/** A link without a mass has that which SDFormat gives it: a kilogram. */
export function inertialOf(link: XmlElement): Inertial {
  const element = childNamed(link, 'inertial');
  const moments = childNamed(element, 'inertia');
  const of = (part: string, otherwise: number) => numberIn(moments, part) ?? otherwise;
  const [ixx, iyy, izz] = [of('ixx', 1), of('iyy', 1), of('izz', 1)];
  const inertia = [ixx, iyy, izz, of('ixy', 0), of('ixz', 0), of('iyz', 0)] as const;
  const own = { mass: numberIn(element, 'mass') ?? 1, center: [0, 0, 0], inertia } as const;
  return element === undefined ? own : movedInertial(own, poseOf(element));
}

/** In kilograms per cubic metre. */
const WATER = 1000;

/**
 * The inertial that SDFormat 1.11 computes of what collides: by the density of a shape or of the link, scaled to the mass
 * that the link states. Undefined if nothing encloses a volume.
 */
export function automaticInertial(
  link: XmlElement,
  name: string,
  collisions: readonly Shape[],
): Inertial | undefined {
  const inertial = childNamed(link, 'inertial');
  const densities = new Map(
    childrenNamed(link, 'collision').map((element) => [
      shapeName(element, name),
      numberIn(element, 'density'),
    ]),
  );
  const parts = collisions.flatMap((shape): Inertial[] => {
    const density = densities.get(shape.name) ?? numberIn(inertial, 'density') ?? WATER;
    return enclosedBy(shape).map((moments) => inertialOfSolid(moments, density));
  });
  const joined = joinedInertial(parts);
  const mass = numberIn(inertial, 'mass');
  if (joined === undefined || mass === undefined) return joined;
  const share = mass / joined.mass;
  const [xx, yy, zz, xy, xz, yz] = joined.inertia;
  const inertia = [xx * share, yy * share, zz * share, xy * share, xz * share, yz * share] as const;
  return { ...joined, mass, inertia };
}

/** What the parts of a shape enclose, in the frame of its link. */
function enclosedBy({ form, pose }: Shape): SolidMoments[] {
  if (form.type === 'plane') return [];
  const own =
    form.type === 'mesh'
      ? form.parts.map(({ geometry: { positions, indices } }) =>
          momentsOf({ positions: Float64Array.from(positions), indices }),
        )
      : [momentsOfPrimitive(form)];
  return own.filter(({ volume }) => volume > 0).map((moments) => movedMoments(moments, pose));
}

/** NaN for a word. */
function numberIn(element: XmlElement | undefined, part: string): number | undefined {
  const text = childNamed(element, part)?.text;
  return text === undefined || text === '' ? undefined : Number(text);
}
