import { LossList } from '../model/losses.ts';
import { type Body, type Joint, type Mechanism, ON_EARTH } from '../model/mechanism.ts';
import { type Names, renamed } from '../model/names.ts';
import { WORLD, withoutEmptyWorld } from '../model/tree.ts';
import { addTextureLoss } from '../urdf/adapt.ts';
import { addControlLosses, addPhysicsLosses, withEfforts } from '../writing/control.ts';
import { withOneJointPerBody } from '../writing/one-joint.ts';
import { hasInertia, leastInertial, possibleInertial } from '../writing/possible-inertia.ts';
import { limitsBetween } from './poses.ts';

/** A mechanism that SDFormat can say; what it cannot is among its losses. */
export function forSdf(mechanism: Mechanism): Mechanism {
  const losses = new LossList();
  addControlLosses(mechanism, losses);
  addPhysicsLosses(mechanism, losses);
  const named = withSdfNames({ ...mechanism, bodies: withoutEmptyWorld(withEfforts(mechanism)) }, losses);
  const { bodies } = withOneJointPerBody(named, false);
  return {
    ...named,
    name: named.name || 'model',
    bodies: bodies.map((body) => sdfBody(body, losses)),
    actuators: [],
    excluded: [],
    physics: ON_EARTH,
    losses: [...mechanism.losses, ...losses.all],
  };
}

function sdfBody(body: Body, losses: LossList): Body {
  for (const shape of body.shapes) addTextureLoss(shape, 'SDFormat has none for simple shapes', losses);
  const inertial = possibleInertial(body, losses);
  return {
    ...body,
    inertial: hasInertia(inertial) ? inertial : leastInertial(body, losses),
    joints: body.joints.map((joint) => sdfJoint(joint, losses)),
  };
}

function sdfJoint(joint: Joint, losses: LossList): Joint {
  const { name, type, armature, damping, friction } = joint;
  if (armature !== 0) losses.add('armature', name, 'SDFormat has none');
  if (type === 'hinge' || type === 'slide')
    return { ...joint, armature: 0, limits: joint.limits && limitsBetween(...joint.limits) };
  if (damping !== 0 || friction !== 0)
    losses.add('damping', name, `SDFormat has none for joints of type ${type}`);
  if (joint.stiffness !== 0) losses.add('spring', name, `SDFormat has none for joints of type ${type}`);
  const still = { armature: 0, damping: 0, friction: 0, stiffness: 0, springReference: 0 };
  return { ...joint, ...still, effort: undefined, velocity: undefined };
}

/** In SDFormat everything in a model has a name of its own, and some names mean something else. */
export function sdfNames({ bodies }: Pick<Mechanism, 'bodies'>): Names {
  const taken = new Set<string>();
  const renamed = (kind: string, { name }: { readonly name: string }): [string, string] => {
    let own = name.replaceAll('::', '_').replace(/^__(.*)__$/, '$1') || kind;
    while (taken.has(own) || own === WORLD) own += `_${kind}`;
    taken.add(own);
    return [name, own];
  };
  return {
    bodies: new Map(withoutEmptyWorld(bodies).map((body) => renamed('link', body))),
    joints: new Map(bodies.flatMap((body) => body.joints).map((joint) => renamed('joint', joint))),
  };
}

function withSdfNames(mechanism: Mechanism, losses: LossList): Mechanism {
  const names = sdfNames(mechanism);
  for (const [name, own] of [...names.bodies, ...names.joints])
    if (own !== name)
      losses.add('name', name, `it is called ${own}, since SDFormat has one name for one thing`);
  return renamed(mechanism, names);
}
