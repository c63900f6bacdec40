import {
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotation,
  scaling,
  translation,
  type Vector3,
} from '../model/matrix.ts';
import type { Budget } from '../reading/limits.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import { numberOf } from './record.ts';

/** What moves a node, and what an animation can change. Rotations are in degrees. */
export interface FbxPose {
  readonly translation: Vector3;
  readonly rotation: Vector3;
  readonly scaling: Vector3;
}

/** A node of the scene, after its parent in every list. */
export interface FbxNode {
  readonly object: FbxObject;
  readonly parent: FbxNode | undefined;
  readonly rest: FbxPose;
  readonly isVisible: boolean;
  /** Places the geometry of the node alone, not its children. */
  readonly geometric: Matrix4;
  readonly fixed: FixedTransforms;
}

/** The parts of a node's transformation that do not move. */
interface FixedTransforms {
  readonly order: RotationOrder;
  readonly inherits: ScaleInheritance;
  readonly preRotation: Matrix4;
  readonly postRotation: Matrix4;
  readonly rotationOffset: Vector3;
  readonly rotationPivot: Vector3;
  readonly scalingOffset: Vector3;
  readonly scalingPivot: Vector3;
}

/** The axes of a rotation in the order in which they are applied. */
type RotationOrder = readonly [0 | 1 | 2, 0 | 1 | 2, 0 | 1 | 2];

const ORDERS: readonly RotationOrder[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 2, 0],
  [1, 0, 2],
  [2, 0, 1],
  [2, 1, 0],
];

/** How the scaling of parents reaches a node: axis by axis, as in a plain hierarchy, or not that of the parent itself. */
type ScaleInheritance = 'by axis' | 'plain' | 'without parent';

const INHERITANCE: Readonly<Record<number, ScaleInheritance>> = { 0: 'by axis', 2: 'without parent' };

/** The nodes of a document, parents first. What belongs to a circle of nodes has no place, and is left out. */
export function nodesOf(document: FbxDocument, budget: Budget): FbxNode[] {
  const models = document.ofType('Model');
  budget.spend('nodes', models.length);
  const parents = new Map(
    models.map((model) => {
      // A node that another one looks at is connected to a property of that.
      const owners = document.targetsOf(model).filter(({ property }) => property === undefined);
      return [model, owners.find(({ object }) => object.type === 'Model')?.object];
    }),
  );
  const children = Map.groupBy(models, (model) => parents.get(model));
  const nodes: FbxNode[] = [];
  const add = (parent: FbxNode | undefined) => {
    for (const [index, object] of (children.get(parent?.object) ?? []).entries())
      nodes.push(nodeOf(document, object, parent, index));
  };
  add(undefined);
  for (let at = 0; at < nodes.length; at++) add(nodes[at]);
  return nodes;
}

function nodeOf(
  document: FbxDocument,
  object: FbxObject,
  parent: FbxNode | undefined,
  index: number,
): FbxNode {
  const number = (name: string, otherwise: number) => {
    const value = numberOf(document.property(object, name)?.[0]);
    return Number.isFinite(value) ? value : otherwise;
  };
  const vector = (name: string, otherwise = 0) => vectorOf(document, object, name, otherwise);
  const isTurned = number('RotationActive', 1) !== 0 && number('RotationSpaceForLimitOnly', 0) === 0;
  const isShown = number('Show', 1) !== 0 && number('Visibility', 1) > 0;
  // Of the levels of detail of one model, the first is shown.
  const isCoarser = parent?.object.subtype === 'LodGroup' && index > 0;
  return {
    object,
    parent,
    rest: {
      translation: vector('Lcl Translation'),
      rotation: vector('Lcl Rotation'),
      scaling: vector('Lcl Scaling', 1),
    },
    isVisible: (parent?.isVisible ?? true) && isShown && !isCoarser,
    geometric: product(
      translation(...vector('GeometricTranslation')),
      turn(vector('GeometricRotation')),
      scaling(...vector('GeometricScaling', 1)),
    ),
    fixed: {
      order: (isTurned ? ORDERS[number('RotationOrder', 0)] : undefined) ?? [0, 1, 2],
      inherits: INHERITANCE[number('InheritType', 1)] ?? 'plain',
      preRotation: isTurned ? turn(vector('PreRotation')) : IDENTITY,
      postRotation: isTurned ? turn(vector('PostRotation')) : IDENTITY,
      rotationOffset: vector('RotationOffset'),
      rotationPivot: vector('RotationPivot'),
      scalingOffset: vector('ScalingOffset'),
      scalingPivot: vector('ScalingPivot'),
    },
  };
}

export function vectorOf(document: FbxDocument, object: FbxObject, name: string, otherwise: number): Vector3 {
  const values = document.property(object, name);
  const at = (axis: number) => {
    const value = numberOf(values?.[axis]);
    return Number.isFinite(value) ? value : otherwise;
  };
  return [at(0), at(1), at(2)];
}

/** Rotates about the axes in their order, by degrees. */
function turn(degrees: Vector3, order: RotationOrder = [0, 1, 2]): Matrix4 {
  const [first, second, third] = order.map((axis) => rotation(AXES[axis], (degrees[axis] * Math.PI) / 180));
  return product(third ?? IDENTITY, second ?? IDENTITY, first ?? IDENTITY);
}

const AXES: readonly [Vector3, Vector3, Vector3] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

/** The place of a node: its matrix, and what its children inherit of it. */
interface Place {
  readonly world: Matrix4;
  readonly rotation: Matrix4;
  /** The scaling along axes, without that of parents that it does not inherit. */
  readonly scaling: Matrix4;
  readonly ownScaling: Matrix4;
}

const ORIGIN: Place = { world: IDENTITY, rotation: IDENTITY, scaling: IDENTITY, ownScaling: IDENTITY };

/** The matrices from nodes to the scene. */
export function worldsOf(
  nodes: readonly FbxNode[],
  poseOf: (node: FbxNode) => FbxPose = ({ rest }) => rest,
): ReadonlyMap<FbxObject, Matrix4> {
  const places = new Map<FbxNode | undefined, Place>([[undefined, ORIGIN]]);
  for (const node of nodes) places.set(node, placed(node, poseOf(node), places.get(node.parent) ?? ORIGIN));
  return new Map(nodes.map((node) => [node.object, places.get(node)?.world ?? IDENTITY]));
}

/** FBX: T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹ */
function placed({ fixed }: FbxNode, pose: FbxPose, parent: Place): Place {
  const [turned, scaled] = [
    product(fixed.preRotation, turn(pose.rotation, fixed.order), inverse(fixed.postRotation)),
    scaling(...pose.scaling),
  ];
  const local = product(
    translation(...pose.translation),
    translation(...fixed.rotationOffset),
    translation(...fixed.rotationPivot),
    turned,
    translation(...negative(fixed.rotationPivot)),
    translation(...fixed.scalingOffset),
    translation(...fixed.scalingPivot),
    scaled,
    translation(...negative(fixed.scalingPivot)),
  );
  const world = multiply(parent.world, local);
  const rotated = multiply(parent.rotation, turned);
  if (fixed.inherits === 'plain') {
    const scalingOfAll = product(inverse(turned), parent.scaling, turned, scaled);
    return { world, rotation: rotated, scaling: scalingOfAll, ownScaling: scaled };
  }
  const inherited =
    fixed.inherits === 'by axis' ? parent.scaling : multiply(parent.scaling, inverse(parent.ownScaling));
  const scalingOfAll = multiply(inherited, scaled);
  const upper = multiply(rotated, scalingOfAll);
  const moved = [...upper.slice(0, 12), ...world.slice(12)] as unknown as Matrix4;
  return { world: moved, rotation: rotated, scaling: scalingOfAll, ownScaling: scaled };
}

function negative([x, y, z]: Vector3): Vector3 {
  return [-x, -y, -z];
}

export function product(...matrices: readonly Matrix4[]): Matrix4 {
  return matrices.reduce(multiply, IDENTITY);
}

/** From the axes and the unit of a document to metres with Y up, its front facing along Z. */
export function metresUpright(document: FbxDocument): Matrix4 {
  const metres = document.setting('UnitScaleFactor', 1) * 0.01;
  const scale = metres > 0 ? metres : 0.01;
  const columns = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
  const axes = ['CoordAxis', 'UpAxis', 'FrontAxis'].map((name, row) => {
    const axis = document.setting(name, row);
    columns[axis * 4 + row] = document.setting(`${name}Sign`, 1) < 0 ? -1 : 1;
    return axis;
  });
  const isComplete = [0, 1, 2].every((axis) => axes.includes(axis));
  return multiply(scaling(scale, scale, scale), isComplete ? (columns as unknown as Matrix4) : IDENTITY);
}
