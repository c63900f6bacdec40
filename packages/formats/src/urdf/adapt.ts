import { LossList } from '../model/losses.ts';
import { multiply, translation } from '../model/matrix.ts';
import { type Body, type Joint, type Mechanism, ON_EARTH, type Shape } from '../model/mechanism.ts';
import { surfaceOf } from '../model/primitives.ts';
import { WORLD, withoutEmptyWorld } from '../model/tree.ts';
import { addControlLosses, addPhysicsLosses, withEfforts } from '../writing/control.ts';
import { withOneJointPerBody } from '../writing/one-joint.ts';
import { leastInertial } from '../writing/possible-inertia.ts';

/** A mechanism that URDF can say; what it cannot is among its losses. */
export function forUrdf(mechanism: Mechanism): Mechanism {
  const losses = new LossList();
  const isAlone = mechanism.bodies.filter(({ parent }) => parent === undefined).length === 1;
  const sayable = withEfforts(mechanism).map((body): Body => {
    const { name, joints, shapes } = body;
    const isRoot = isAlone && joints.some(({ type }) => type === 'free');
    if (isRoot && body.pose.some((value, at) => at % 5 !== 0 && value !== 0))
      losses.add('pose', name, 'a root that floats begins at the origin');
    return {
      ...body,
      joints: joints.flatMap((joint) => urdfJoints(joint, losses)),
      shapes: shapes.flatMap((shape) => urdfShapes(shape, losses)),
    };
  });
  const { bodies } = withOneJointPerBody({ ...mechanism, bodies: withoutEmptyWorld(sayable) }, true);
  addControlLosses(mechanism, losses);
  addPhysicsLosses(mechanism, losses);
  return {
    ...mechanism,
    bodies: bodies.map((body) => weighing(body, losses)),
    actuators: [],
    excluded: [],
    physics: ON_EARTH,
    losses: [...mechanism.losses, ...losses.all],
  };
}

/** Links that do not say what they weigh are left out by Gazebo, and weigh a kilogram in PyBullet. */
function weighing(body: Body, losses: LossList): Body {
  const hasMass = body.name === WORLD || (body.inertial !== undefined && body.inertial.mass > 0);
  return hasMass ? body : { ...body, inertial: leastInertial(body, losses) };
}

/** Names the texture of a shape that has no texture coordinates. */
export function addTextureLoss({ name, form, material }: Shape, why: string, losses: LossList): void {
  if (form.type !== 'mesh' && material?.baseColorTexture !== undefined) losses.add('texture', name, why);
}

function urdfJoints(joint: Joint, losses: LossList): Joint[] {
  const { name, type, armature, stiffness, damping, friction } = joint;
  if (armature !== 0) losses.add('armature', name, 'URDF has none');
  if (stiffness !== 0) losses.add('spring', name, 'URDF has none');
  const plain: Joint = { ...joint, armature: 0, stiffness: 0, springReference: 0 };
  if (type === 'free') {
    if (damping !== 0 || friction !== 0)
      losses.add('damping', name, 'nothing slows down a floating joint in URDF');
    return [{ ...plain, damping: 0, friction: 0 }];
  }
  if (type !== 'ball') return [plain];
  losses.add('ball', name, 'three hinges after one another take its place');
  return (['x', 'y', 'z'] as const).map((letter, axis) => ({
    ...plain,
    name: `${name}_${letter}`,
    type: 'hinge',
    axis: [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, axis === 2 ? 1 : 0],
  }));
}

function urdfShapes(shape: Shape, losses: LossList): Shape[] {
  const { name, form, friction } = shape;
  if (friction !== undefined) losses.add('friction', name, 'shapes have none in URDF');
  const plain: Shape = { ...shape, friction: undefined };
  addTextureLoss(shape, 'how it lies on a simple shape is for the simulator to say', losses);
  switch (form.type) {
    case 'plane':
      losses.add('plane', name, 'URDF has none');
      return [];
    case 'ellipsoid': {
      losses.add('ellipsoid', name, 'a mesh takes its place');
      const parts = [{ geometry: surfaceOf(form), material: undefined }];
      return [{ ...plain, form: { type: 'mesh', name, parts } }];
    }
    case 'capsule': {
      const { radius, length } = form;
      const end = (side: 1 | -1): Shape => ({
        ...plain,
        name: `${name}_${side > 0 ? 'top' : 'bottom'}`,
        pose: multiply(plain.pose, translation(0, 0, (side * length) / 2)),
        form: { type: 'sphere', radius },
      });
      return [{ ...plain, form: { type: 'cylinder', radius, length } }, end(1), end(-1)];
    }
    default:
      return [plain];
  }
}
