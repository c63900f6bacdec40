import { Document, Logger, type Mesh, type Node, type Primitive } from '@gltf-transform/core';
import type { FormatWriter } from '../format.ts';
import { memoised } from '../memoised.ts';
import { finite } from '../model/kinematics.ts';
import { LossList } from '../model/losses.ts';
import {
  compose,
  decompose,
  type Matrix4,
  transformNormals,
  transformPoints,
  type Vector3,
} from '../model/matrix.ts';
import type { Body, Joint, Mechanism, Shape } from '../model/mechanism.ts';
import type { Geometry, Material } from '../model/scene.ts';
import { type VisiblePart, visibleParts, withVisibleMeshes } from '../model/visible-meshes.ts';
import type { Loss } from '../verdicts.ts';
import { addPhysicsLosses } from '../writing/control.ts';
import { glbFile } from './write-file.ts';
import { GlbMaterials } from './write-materials.ts';

export const GLB_ENTRY = 'model.glb';

export const writer: FormatWriter = { entry: GLB_ENTRY, adapt: forGlb, write: writeGlb };

/** To the frame of glTF, in which Y points up and things face along Z, from frames with Z up: x, y, z, w. */
const TO_GLTF = { x: [-0.5, -0.5, -0.5, 0.5], '-y': [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] } as const;

/** A mechanism as glTF can hold it; what it cannot is among its losses. */
export function forGlb(mechanism: Mechanism): Mechanism {
  const visible = withVisibleMeshes(mechanism);
  const { bodies, actuators, excluded } = visible;
  const collides = bodies.some(({ shapes }) => shapes.some(({ role }) => role === 'collision'));
  const losses: Loss[] = [
    { what: 'actuator', names: actuators.map(({ name }) => name), why: 'glTF has none' },
    { what: 'excluded contact', names: excluded.map((pair) => pair.join(' and ')), why: 'glTF has none' },
  ].filter(({ names }) => names.length > 0);
  if (collides) losses.push({ what: 'collision shapes', names: [], why: 'glTF has only what is seen' });
  const physics = new LossList();
  addPhysicsLosses(mechanism, physics);
  return { ...visible, losses: [...visible.losses, ...losses, ...physics.all] };
}

/**
 * Writes a mechanism whose visuals are meshes. Bodies are nodes, and joints are nodes above them: a hinge or a ball moves by its
 * node's rotation, a slide by its translation from where it is at rest. What a joint is, is in the node's extras.
 */
export async function writeGlb(mechanism: Mechanism): Promise<ReadonlyMap<string, Uint8Array>> {
  const document = new Document().setLogger(new Logger(Logger.Verbosity.SILENT));
  document.getRoot().getAsset().generator = 'Bindery';
  const buffer = document.createBuffer();
  const root = document.createNode(mechanism.name).setRotation([...TO_GLTF[mechanism.front ?? 'x']]);
  const scene = document.createScene(mechanism.name).addChild(root);
  document.getRoot().setDefaultScene(scene);
  const meshes = new GlbMeshes(document);
  const nodes = new Map<string | undefined, Node>([[undefined, root]]);
  for (const body of mechanism.bodies) {
    const node = addBody(document, nodes.get(body.parent) ?? root, body);
    nodes.set(body.name, node);
    for (const shape of body.shapes.filter(({ role }) => role === 'visual'))
      for (const part of visibleParts(shape)) node.addChild(meshes.node(shape, part));
  }
  await meshes.finish();
  // An empty one would not be valid.
  if (document.getRoot().listMeshes().length === 0) buffer.dispose();
  return new Map([[GLB_ENTRY, await glbFile(document)]]);
}

/** Adds the nodes of a body, and returns the one that has its frame. */
function addBody(document: Document, parent: Node, { name, pose, joints, inertial }: Body): Node {
  const node = document.createNode(name).setExtras({ body: { ...inertial } });
  if (joints.length === 0) {
    parent.addChild(placed(node, pose));
    return node;
  }
  const frame = placed(document.createNode(`${name} at rest`), pose);
  parent.addChild(frame);
  let above = frame;
  let anchor: Vector3 = [0, 0, 0];
  for (const joint of joints) {
    const moving = document
      .createNode(joint.name)
      .setTranslation(between(anchor, joint.anchor))
      .setExtras({ joint: jointExtras(joint) });
    above.addChild(moving);
    [above, anchor] = [moving, joint.anchor];
  }
  above.addChild(node.setTranslation(between(anchor, [0, 0, 0])));
  return node;
}

function placed(node: Node, pose: Matrix4): Node {
  const { translation, rotation, scale } = decompose(pose);
  return node
    .setTranslation([...translation])
    .setRotation([...rotation])
    .setScale([...scale]);
}

function between(from: Vector3, to: Vector3): [number, number, number] {
  return [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
}

function jointExtras({ name: _name, anchor: _anchor, limits, ...joint }: Joint): object {
  // There is no infinity in JSON.
  return { ...joint, limits: limits?.map(finite) };
}

/** The meshes of a document, each once. */
class GlbMeshes {
  readonly #document: Document;
  readonly #materials: GlbMaterials;
  readonly #meshes = new Map<Geometry, Map<Material, Mesh>>();

  constructor(document: Document) {
    this.#document = document;
    this.#materials = new GlbMaterials(document);
  }

  node({ name, pose }: Shape, { mesh, geometry, material }: VisiblePart): Node {
    const { translation, rotation, scale } = decompose(pose);
    const node = this.#document.createNode(name);
    if (isSame(compose(translation, rotation, scale), pose))
      return placed(node, pose).setMesh(this.#mesh(mesh, geometry, material));
    // Nodes cannot shear.
    const sheared = {
      ...geometry,
      positions: transformPoints(pose, geometry.positions),
      normals: transformNormals(pose, geometry.normals),
    };
    return node.setMesh(this.#mesh(mesh, sheared, material));
  }

  /** Writes what takes time: the pictures. */
  finish(): Promise<void> {
    return this.#materials.finish();
  }

  #mesh(name: string, geometry: Geometry, material: Material): Mesh {
    const byMaterial = this.#meshes.get(geometry) ?? new Map<Material, Mesh>();
    this.#meshes.set(geometry, byMaterial);
    let mesh = byMaterial.get(material);
    if (mesh === undefined) {
      const primitive = this.#primitive(geometry).clone().setMaterial(this.#materials.material(material));
      mesh = this.#document.createMesh(name).addPrimitive(primitive);
      byMaterial.set(material, mesh);
    }
    return mesh;
  }

  readonly #primitive = memoised(
    ({ positions, normals, indices, uvs, uvs1, colors }: Geometry): Primitive => {
      const attribute = (array: Float32Array, type: 'VEC2' | 'VEC3' | 'VEC4') =>
        this.#document.createAccessor().setType(type).setArray(Float32Array.from(array));
      const vertices = positions.length / 3;
      const primitive = this.#document
        .createPrimitive()
        .setIndices(
          this.#document
            .createAccessor()
            .setType('SCALAR')
            .setArray(vertices < 2 ** 16 - 1 ? Uint16Array.from(indices) : Uint32Array.from(indices)),
        )
        .setAttribute('POSITION', attribute(positions, 'VEC3'))
        .setAttribute('NORMAL', attribute(ofLengthOne(normals), 'VEC3'));
      if (uvs !== undefined) primitive.setAttribute('TEXCOORD_0', attribute(uvs, 'VEC2'));
      if (uvs !== undefined && uvs1 !== undefined)
        primitive.setAttribute('TEXCOORD_1', attribute(uvs1, 'VEC2'));
      if (colors !== undefined) primitive.setAttribute('COLOR_0', attribute(colors, 'VEC4'));
      return primitive;
    },
  );
}

/** Normals without those of degenerate triangles, which have no direction. */
function ofLengthOne(normals: Float32Array): Float32Array {
  const out = normals.slice();
  for (let at = 0; at < out.length; at += 3) {
    const length = Math.hypot(out[at] ?? 0, out[at + 1] ?? 0, out[at + 2] ?? 0);
    if (!(length > 0.5)) out.set([0, 0, 1], at);
  }
  return out;
}

function isSame(one: Matrix4, other: Matrix4): boolean {
  const size = Math.max(...other.slice(0, 12).map(Math.abs));
  return one.every((value, at) => at >= 12 || Math.abs(value - (other[at] ?? 0)) <= 1e-7 * size);
}
