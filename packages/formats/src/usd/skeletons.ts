import { memoised } from '../memoised.ts';
import { compose, IDENTITY, inverse, type Matrix4, multiply } from '../model/matrix.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { matrixAt, matrixOf, quaternionOf, worldTransform } from './transforms.ts';
import { integers, numbersOf, textOf, textsOf, withAncestors } from './values.ts';

/** How a skeleton at rest moves the points of a mesh into its own frame. */
export interface Deformation {
  /** From the frame of the skeleton to that of the stage. */
  readonly world: Matrix4;
  points(points: Float32Array): Float32Array;
}

/** The pose of a skeleton: for each joint, from where it was bound to where it is, in the frame of the skeleton. */
interface Pose {
  readonly joints: readonly string[];
  readonly motions: readonly Matrix4[];
  readonly world: Matrix4;
}

/** The skeletons of a stage in the pose that it shows first: that of their animation, else at rest. */
export class Skeletons {
  readonly #stage: UsdStage;

  constructor(stage: UsdStage) {
    this.#stage = stage;
  }

  /** Undefined for a mesh that no skeleton moves. */
  deformationOf(mesh: UsdPrim): Deformation | undefined {
    const found = mesh.properties.includes('primvars:skel:jointIndices') ? this.#boundTo(mesh) : undefined;
    if (found === undefined) return undefined;
    const indices = numbersOf(mesh.value('primvars:skel:jointIndices'));
    const weights = numbersOf(mesh.value('primvars:skel:jointWeights'));
    if (indices === undefined || weights === undefined || indices.length === 0) return undefined;
    const pose = this.#poseOf(found);
    const order = textsOf(inherited(mesh, 'skel:joints'));
    const numbers =
      order.length > 0 ? order.map((joint) => pose.joints.indexOf(joint)) : pose.joints.map((_, at) => at);
    const binding = {
      indices: integers(indices),
      weights,
      isRigid: textOf(mesh.metadata('interpolation', 'primvars:skel:jointIndices')) === 'constant',
    };
    const bound = matrixOf(mesh.value('primvars:skel:geomBindTransform')) ?? IDENTITY;
    const motions = numbers.map((number) => multiply(pose.motions[number] ?? IDENTITY, bound));
    return { world: pose.world, points: (points) => deformed(points, binding, motions, bound) };
  }

  #boundTo(mesh: UsdPrim): UsdPrim | undefined {
    for (const prim of withAncestors(mesh)) {
      const [target] = prim.targets('skel:skeleton');
      const skeleton = target === undefined ? undefined : this.#stage.at(target);
      if (skeleton !== undefined) return skeleton;
    }
    return undefined;
  }

  readonly #poseOf = memoised((skeleton: UsdPrim): Pose => {
    const joints = textsOf(skeleton.value('joints'));
    const [bind, rest] = ['bindTransforms', 'restTransforms'].map((name) => numbersOf(skeleton.value(name)));
    const posed = this.#animated(skeleton);
    const hasRest = rest !== undefined && rest.length >= joints.length * 16;
    if (bind === undefined || (!hasRest && posed.size < joints.length))
      return { joints, motions: joints.map(() => IDENTITY), world: worldTransform(skeleton) };
    const placed = new Map<string, Matrix4>();
    // Joints come after those that carry them.
    for (const [at, joint] of joints.entries()) {
      const local = posed.get(joint) ?? (rest === undefined ? IDENTITY : matrixAt(rest, at));
      const above = placed.get(joint.slice(0, Math.max(0, joint.lastIndexOf('/'))));
      placed.set(joint, above === undefined ? local : multiply(above, local));
    }
    return {
      joints,
      motions: joints.map((joint, at) =>
        multiply(placed.get(joint) ?? IDENTITY, inverse(matrixAt(bind, at))),
      ),
      world: worldTransform(skeleton),
    };
  });

  /** Local transforms of joints that the animation of a skeleton begins with. */
  #animated(skeleton: UsdPrim): Map<string, Matrix4> {
    const posed = new Map<string, Matrix4>();
    for (const prim of withAncestors(skeleton)) {
      const [target] = prim.targets('skel:animationSource');
      const animation = target === undefined ? undefined : this.#stage.at(target);
      if (animation === undefined) continue;
      const part = (name: string) => numbersOf(animation.value(name)) ?? [];
      const [places, turns, scales] = [part('translations'), part('rotations'), part('scales')];
      for (const [at, joint] of textsOf(animation.value('joints')).entries()) {
        const three = (values: ArrayLike<number>, other: number) =>
          [0, 1, 2].map((k) => values[at * 3 + k] ?? other) as [number, number, number];
        posed.set(joint, compose(three(places, 0), quaternionOf(turns, at), three(scales, 1)));
      }
      return posed;
    }
    return posed;
  }
}

function inherited(prim: UsdPrim, attribute: string) {
  for (const one of withAncestors(prim)) {
    const value = one.value(attribute);
    if (value !== undefined) return value;
  }
  return undefined;
}

interface Binding {
  readonly indices: Int32Array;
  readonly weights: ArrayLike<number>;
  /** All points move as one. */
  readonly isRigid: boolean;
}

function deformed(
  points: Float32Array,
  { indices, weights, isRigid }: Binding,
  motions: readonly Matrix4[],
  bound: Matrix4,
): Float32Array {
  const out = new Float32Array(points.length);
  const blended = new Float64Array(16);
  const width = isRigid ? indices.length : Math.floor((indices.length * 3) / points.length);
  for (let point = 0; point * 3 < points.length; point++) {
    blended.fill(0);
    let total = 0;
    const first = isRigid ? 0 : point * width;
    for (let k = 0; k < width; k++) {
      const weight = weights[first + k] ?? 0;
      const motion = motions[indices[first + k] ?? -1];
      if (!(weight > 0) || motion === undefined) continue;
      total += weight;
      for (let at = 0; at < 16; at++) blended[at] = (blended[at] as number) + weight * (motion[at] as number);
    }
    const matrix = total > 0 ? blended : bound;
    const scale = total > 0 ? 1 / total : 1;
    for (let axis = 0; axis < 3; axis++) {
      let value = matrix[12 + axis] as number;
      for (let k = 0; k < 3; k++)
        value += (matrix[k * 4 + axis] as number) * (points[point * 3 + k] as number);
      out[point * 3 + axis] = value * scale;
    }
  }
  return out;
}
