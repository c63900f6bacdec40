import { glbIO } from '@bindery/formats/gltf/write-file';
import type { TextureLoader } from '@bindery/formats/images/textures';
import type { Configuration } from '@bindery/formats/model/kinematics';
import {
  IDENTITY,
  inverse,
  type Matrix4,
  multiply,
  rotation,
  translation,
} from '@bindery/formats/model/matrix';
import type { Inertial, Joint } from '@bindery/formats/model/mechanism';
import type { Texture } from '@bindery/formats/model/scene';
import type { Texture as GltfTexture, Node } from '@gltf-transform/core';
import { ShapeList, type ShapesByBody } from './body-shapes.ts';
import type { Subject } from './proof.ts';

/** What the extras of a node say that it is. */
interface Extras {
  readonly body?: Partial<Inertial>;
  readonly joint?: Joint;
}

/** Reads back what `writeGlb` wrote, its pictures with `textures`. */
export async function glbSubject(bytes: Uint8Array, textures: TextureLoader): Promise<Subject> {
  const document = await glbIO().readBinary(Uint8Array.from(bytes));
  const [root] = document.getRoot().getDefaultScene()?.listChildren() ?? [];
  if (root === undefined) throw new Error('a written glTF has no root');
  const pictures = new Map<GltfTexture, Texture['levels']>();
  for (const texture of document.getRoot().listTextures()) {
    const levels = await textures.loadEmbedded(texture.getName(), texture.getImage() ?? undefined);
    if (levels !== undefined) pictures.set(texture, levels);
  }
  return new GlbSubject(root, pictures);
}

class GlbSubject implements Subject {
  readonly inertials = new Map<string, Inertial>();
  readonly joints = new Map<string, Joint>();
  readonly floating = new Set<string>();
  readonly #root: Node;
  readonly #pictures: ReadonlyMap<GltfTexture, Texture['levels']>;

  constructor(root: Node, pictures: ReadonlyMap<GltfTexture, Texture['levels']>) {
    this.#root = root;
    this.#pictures = pictures;
    root.traverse((node) => {
      const { body, joint } = node.getExtras() as Extras;
      if (body?.mass !== undefined) this.inertials.set(node.getName(), body as Inertial);
      if (joint !== undefined) this.joints.set(node.getName(), joint);
      const [child] = node.listChildren();
      if (joint?.type === 'free' && child !== undefined) this.floating.add(child.getName());
    });
  }

  place(configuration: Configuration): Map<string, Matrix4> {
    const frames = new Map<string, Matrix4>();
    this.#visit(configuration, (node, frame) => {
      if ((node.getExtras() as Extras).body !== undefined) frames.set(node.getName(), frame);
    });
    return frames;
  }

  get visuals(): ShapesByBody {
    const list = new ShapeList();
    const frames = this.place(new Map());
    this.#visit(new Map(), (node, frame) => {
      const body = bodyOf(node);
      const inBody = multiply(inverse(frames.get(body) ?? IDENTITY), frame);
      for (const primitive of node.getMesh()?.listPrimitives() ?? []) {
        const positions = primitive.getAttribute('POSITION')?.getArray() as Float32Array;
        const indices = Uint32Array.from(primitive.getIndices()?.getArray() ?? []);
        const material = primitive.getMaterial();
        const picture = material?.getBaseColorTexture() ?? undefined;
        const isOpaque = material?.getAlphaMode() === 'OPAQUE';
        list.add(
          body,
          inBody,
          'mesh',
          { positions, indices },
          { picture: picture && this.#pictures.get(picture), isOpaque },
        );
      }
    });
    return list.byBody;
  }

  /** Visits all nodes with their frames where Z points up, which is in the root. */
  #visit(configuration: Configuration, see: (node: Node, frame: Matrix4) => void): void {
    const visit = (node: Node, above: Matrix4) => {
      const { joint } = node.getExtras() as Extras;
      let frame = multiply(above, node.getMatrix());
      if (joint?.type === 'free') frame = freeFrame(node, configuration) ?? frame;
      else if (joint !== undefined)
        frame = multiply(frame, nodeMotion(joint, configuration.get(node.getName())));
      see(node, frame);
      for (const child of node.listChildren()) visit(child, frame);
    };
    for (const child of this.#root.listChildren()) visit(child, IDENTITY);
  }
}

/** The body that carries a node. */
function bodyOf(node: Node): string {
  let carrier: Node | null = node;
  while (carrier !== null && (carrier.getExtras() as Extras).body === undefined)
    carrier = carrier.getParentNode();
  return carrier?.getName() ?? '';
}

/** Where a free joint is such that its body is where the configuration has it. */
function freeFrame(node: Node, configuration: Configuration): Matrix4 | undefined {
  const [body] = node.listChildren();
  const wanted = configuration.get(body?.getName() ?? '');
  if (body === undefined || typeof wanted !== 'object') return undefined;
  return multiply(wanted, inverse(body.getMatrix()));
}

/** How the node of a joint moves from where it is at rest. */
function nodeMotion({ type, axis, reference }: Joint, value: number | Matrix4 | undefined): Matrix4 {
  if (value === undefined) return IDENTITY;
  if (typeof value === 'object') return value;
  const moved = value - reference;
  const [x, y, z] = axis;
  return type === 'slide' ? translation(x * moved, y * moved, z * moved) : rotation(axis, moved);
}
