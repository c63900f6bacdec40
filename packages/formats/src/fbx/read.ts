import type { LoadContext } from '../context.ts';
import { asPlainText } from '../files/text.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import type { FormatReader } from '../format.ts';
import { IDENTITY, multiply } from '../model/matrix.ts';
import { type Instance, type Motion, plainMaterial } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';
import { motionOf } from './animation.ts';
import { applyShapes, skinMatrices, skinned, skinOf } from './deform.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import { type FbxMesh, readMesh } from './geometry.ts';
import { Joints } from './joints.ts';
import { FbxMaterials } from './materials.ts';
import { type FbxNode, metresUpright, nodesOf, worldsOf } from './nodes.ts';
import { readDocument } from './reading.ts';
import { recordNamed } from './record.ts';

/** The contents of an FBX file, in metres with Y up. */
interface Fbx {
  readonly instances: readonly Instance[];
  readonly hasMaterials: boolean;
  readonly motion: Motion | undefined;
}

export const reader: FormatReader = {
  readMesh: async (path, context, { isMoving }) => ({
    ...(await loadFbx(path, context, isMoving)),
    points: [],
    isYUp: true,
  }),
};

/**
 * Loads an FBX file as it is at rest; `isMoving`: with its animations. What is damaged in it can show anywhere, since it is
 * read as it is needed.
 */
async function loadFbx(path: string, context: LoadContext, isMoving: boolean): Promise<Fbx> {
  try {
    return await readScene(path, context, isMoving);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    throw new Unrenderable(`the FBX file ${error.message}`, { cause: error });
  }
}

async function readScene(path: string, context: LoadContext, isMoving: boolean): Promise<Fbx> {
  const { budget } = context;
  const document = readDocument(asPlainText(await context.files.read(path)), budget);
  const nodes = nodesOf(document, budget);
  const worlds = worldsOf(nodes);
  const upright = metresUpright(document);
  const materials = new FbxMaterials(document, path, context);
  const meshes = new Map<FbxObject, FbxMesh>();
  const instances: Instance[] = [];
  let hasMaterials = false;
  const joints = new Joints();
  for (const { node, geometry } of placements(document, shownNodes(nodes))) {
    if (UNDRAWN.has(geometry.subtype)) {
      context.omissions.count('meshes', node.object.name);
      context.omissions.omit('meshes', node.object.name, 'curved surfaces (NURBS) are not drawn');
      continue;
    }
    const mesh =
      meshes.get(geometry) ??
      readMesh(geometry.record, budget, (points) => applyShapes(document, geometry, points, budget));
    meshes.set(geometry, mesh);
    const place = multiply(worlds.get(node.object) ?? IDENTITY, node.geometric);
    const skin = skinOf(document, geometry, budget);
    const matrices = skin && skinMatrices(skin, mesh.controls, worlds, place, node.geometric);
    for (const part of mesh.parts) {
      budget.spend('nodes', 1);
      budget.spend('triangles', part.geometry.indices.length / 3);
      budget.spend('vertices', part.geometry.positions.length / 3);
      const geometryAtRest = matrices ? skinned(part, matrices) : part.geometry;
      const material = await materials.ofPart(node.object, part, mesh.uvSets);
      hasMaterials ||= material !== undefined || part.geometry.colors !== undefined;
      instances.push({
        geometry: geometryAtRest,
        material: material ?? plainMaterial(part.geometry),
        transform: matrices ? upright : multiply(upright, place),
        names: [node.object.name, geometry.name],
        ...(isMoving && {
          moves: skin ? joints.skinned(part, mesh.controls, skin, node) : joints.rigid(node),
        }),
      });
    }
  }
  const motion = isMoving ? motionOf(document, nodes, joints.list, upright, budget) : undefined;
  return { instances, hasMaterials, motion };
}

/** Collision shapes around what is seen, as Unreal Engine names them. */
const COLLISION = /^U(?:CX|BX|SP|CP)_/;

/** Hidden nodes and collision shapes are shown if there is nothing else. */
function shownNodes(nodes: readonly FbxNode[]): readonly FbxNode[] {
  const shown = nodes.filter(({ isVisible, object }) => isVisible && !COLLISION.test(object.name));
  return shown.length > 0 ? shown : nodes;
}

const UNDRAWN: ReadonlySet<string> = new Set(['NurbsSurface', 'Nurb', 'Patch', 'TrimNurbsSurface']);

interface Placement {
  readonly node: FbxNode;
  /** Before 7.0 the node itself. */
  readonly geometry: FbxObject;
}

/** The meshes of nodes. */
function placements(document: FbxDocument, nodes: readonly FbxNode[]): Placement[] {
  return nodes.flatMap((node) =>
    [node.object, ...document.connectedTo(node.object, 'Geometry').map(({ object }) => object)]
      .filter(
        ({ subtype, record }) => UNDRAWN.has(subtype) || recordNamed(record.children, 'PolygonVertexIndex'),
      )
      .map((geometry) => ({ node, geometry })),
  );
}
