import type { LoadContext } from '../context.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import { compose, IDENTITY, type Matrix4, multiply, type Vector3 } from '../model/matrix.ts';
import {
  DEFAULT_MATERIAL,
  type Instance,
  type LineSet,
  type Material,
  type PointCloud,
} from '../model/scene.ts';
import { TooLarge, Unrenderable } from '../reading/errors.ts';
import { boundMaterial } from './binding.ts';
import { collides } from './bodies.ts';
import { UsdMaterials } from './materials.ts';
import { geometryOf, readMesh, trianglesByTile, type UsdMesh } from './mesh.ts';
import type { OpenedStage } from './pictures.ts';
import { curvesOf, pointsOf, shapeOf } from './shapes.ts';
import { Skeletons } from './skeletons.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { localTransform, quaternionOf } from './transforms.ts';
import { integers, numberOf, numbersOf, textOf } from './values.ts';

/** What a prim is for: `default` and `render` are drawn, `proxy` if there is nothing else, `guide` never. */
export type Purpose = 'default' | 'render' | 'proxy' | 'guide';

/** What is drawn of a stage, in metres. */
export interface Drawn {
  readonly instances: Instance[];
  readonly lines: LineSet[];
  readonly points: PointCloud[];
  /** Planes without end, such as the ground: drawn only if there is nothing else. */
  readonly planes: Instance[];
}

export function nothingDrawn(): Drawn {
  return { instances: [], lines: [], points: [], planes: [] };
}

/** Where a prim is, and what it has from those above it. */
interface Place {
  readonly world: Matrix4;
  readonly purpose: Purpose;
  readonly depth: number;
  /** It, or what it is a part of, is what bodies collide with. */
  readonly collides: boolean;
}

const FIRST_TILE = 1001;

/** What of a stage is drawn. */
export interface Shown {
  readonly purposes: readonly Purpose[];
  /** Only what bodies collide with, also where it is invisible. */
  readonly isCollision?: boolean;
  /** From the frame of the stage to that of the picture. */
  readonly frame: Matrix4;
}

/** Draws the prims of a stage. */
export class StageDrawing {
  readonly #stage: UsdStage;
  readonly #context: LoadContext;
  readonly #materials: UsdMaterials;
  readonly #skeletons: Skeletons;
  readonly #purposes: ReadonlySet<Purpose>;
  readonly #colors = new Map<string, Material>();
  readonly #isCollision: boolean;
  readonly #frame: Matrix4;

  constructor(opened: OpenedStage, { purposes, isCollision = false, frame }: Shown) {
    const { stage, context } = opened;
    this.#stage = stage;
    this.#context = context;
    this.#materials = new UsdMaterials(opened);
    this.#skeletons = new Skeletons(stage);
    this.#purposes = new Set(purposes);
    this.#isCollision = isCollision;
    this.#frame = frame;
  }

  async drawAll(): Promise<Drawn> {
    const drawn = nothingDrawn();
    for (const root of this.#stage.roots)
      await this.#visit(root, { world: this.#frame, purpose: 'default', depth: 0, collides: false }, drawn);
    return drawn;
  }

  async #visit(prim: UsdPrim, above: Place, drawn: Drawn): Promise<void> {
    const { budget } = this.#context;
    budget.spend('nodes', 1);
    if (!this.#isCollision && prim.value('visibility') === 'invisible') return;
    const { matrix, resets } = localTransform(prim);
    const written = textOf(prim.value('purpose'));
    const place = {
      world: multiply(resets ? this.#frame : above.world, matrix),
      purpose: written !== undefined && written !== 'default' ? (written as Purpose) : above.purpose,
      depth: above.depth + 1,
      collides: this.#isCollision && collides(prim, above.collides),
    };
    const isShown = this.#isCollision ? place.collides : this.#purposes.has(place.purpose);
    if (isShown) {
      try {
        await this.#draw(prim, place.world, drawn);
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#omit(prim.path, error.message);
      }
    }
    if (prim.typeName === 'PointInstancer') return this.#drawCopies(prim, place, drawn);
    for (const child of prim.children) await this.#visit(child, place, drawn);
  }

  async #draw(prim: UsdPrim, world: Matrix4, drawn: Drawn): Promise<void> {
    const { budget } = this.#context;
    switch (prim.typeName) {
      case 'Mesh':
        await this.#drawMesh(prim, world, drawn);
        break;
      case 'Points': {
        const cloud = pointsOf(prim, world, budget);
        if (cloud !== undefined) drawn.points.push(cloud);
        break;
      }
      case 'BasisCurves':
      case 'NurbsCurves':
      case 'HermiteCurves': {
        const lines = curvesOf(prim, world, budget);
        if (lines !== undefined) drawn.lines.push(lines);
        break;
      }
      case 'NurbsPatch':
      case 'TetMesh':
      case 'ParticleField':
      case 'ParticleField3DGaussianSplat':
      case 'Volume':
        this.#omit(prim.path, `prims of type ${prim.typeName} are not drawn`);
        break;
      default: {
        const shape = shapeOf(prim);
        if (shape === undefined) return;
        budget.spend('triangles', shape.geometry.indices.length / 3);
        const material = await this.#materialOf(prim);
        const transform = multiply(world, shape.turn);
        const list = prim.typeName === 'Plane' ? drawn.planes : drawn.instances;
        list.push({
          geometry: shape.geometry,
          material: material ?? this.#colored(prim),
          transform,
          names: [prim.path],
        });
      }
    }
  }

  async #materialOf(prim: UsdPrim): Promise<Material | undefined> {
    const bound = boundMaterial(prim, this.#stage);
    const material = bound && this.#materials.of(bound);
    return material?.usesColors ? undefined : material?.load(FIRST_TILE);
  }

  async #drawMesh(prim: UsdPrim, world: Matrix4, drawn: Drawn): Promise<void> {
    const deformation = this.#skeletons.deformationOf(prim);
    const mesh = readMesh(prim, this.#context.budget, deformation);
    if (mesh === undefined) return;
    const transform = deformation === undefined ? world : multiply(this.#frame, deformation.world);
    for (const { owner, triangles } of partsOf(mesh))
      await this.#drawPart(mesh, owner, triangles, transform, drawn);
  }

  /** A mesh, or a part of it that has its own material. */
  async #drawPart(
    mesh: UsdMesh,
    owner: UsdPrim,
    triangles: Uint32Array | undefined,
    transform: Matrix4,
    drawn: Drawn,
  ): Promise<void> {
    const { budget } = this.#context;
    const bound = boundMaterial(owner, this.#stage);
    const material = bound && this.#materials.of(bound);
    const add = (part: Uint32Array | undefined, shown: Material, hasColors: boolean) => {
      const geometry = geometryOf(mesh, part, { uvs: material?.uvs ?? [], hasColors }, budget);
      drawn.instances.push({ geometry, material: shown, transform, names: [mesh.prim.path] });
    };
    if (material === undefined || material.usesColors) {
      const isPlain = !hasManyColors(mesh.prim);
      const shown = isPlain
        ? this.#colored(mesh.prim)
        : { ...DEFAULT_MATERIAL, baseColor: [1, 1, 1, 1] as const };
      const isClear = !isPlain && (numbersOf(mesh.prim.value('primvars:displayOpacity')) ?? [1])[0] !== 1;
      add(triangles, isClear ? { ...shown, alphaMode: 'blend' } : shown, !isPlain);
      return;
    }
    const [uvs] = material.uvs;
    if (!material.isTiled || uvs === undefined) return add(triangles, await material.load(FIRST_TILE), false);
    const all = triangles ?? Uint32Array.from(mesh.faces, (_, triangle) => triangle);
    for (const [tile, list] of trianglesByTile(mesh, all, uvs)) add(list, await material.load(tile), false);
  }

  /** The material of a prim without one: in its colour, if it has one. */
  #colored(prim: UsdPrim): Material {
    const color = numbersOf(prim.value('primvars:displayColor'));
    const opacity = numberOf(prim.value('primvars:displayOpacity')) ?? 1;
    if ((color === undefined || color.length < 3) && opacity === 1) return DEFAULT_MATERIAL;
    const [red, green, blue] =
      color === undefined || color.length < 3 ? DEFAULT_MATERIAL.baseColor : [color[0], color[1], color[2]];
    const baseColor = [red ?? 0, green ?? 0, blue ?? 0, opacity] as const;
    const key = baseColor.join(' ');
    const alphaMode = opacity < 0.999 ? 'blend' : 'opaque';
    const material = this.#colors.get(key) ?? { ...DEFAULT_MATERIAL, baseColor, alphaMode };
    this.#colors.set(key, material);
    return material;
  }

  /** The copies of a PointInstancer; those beyond the budget are left out and reported. */
  async #drawCopies(prim: UsdPrim, place: Place, drawn: Drawn): Promise<void> {
    const { budget, omissions } = this.#context;
    budget.checkDepth(place.depth);
    const prototypes = prim.targets('prototypes').map((path) => this.#stage.at(path));
    const numbers = integers(numbersOf(prim.value('protoIndices')) ?? []);
    const copies = new Copies(prim);
    const hidden = new Set(Array.from(numbersOf(prim.value('invisibleIds')) ?? []));
    const ids = numbersOf(prim.value('ids'));
    const shown = Array.from(numbers.keys()).filter((copy) => !hidden.has(ids?.[copy] ?? copy));
    for (const [number, list] of Map.groupBy(shown, (copy) => numbers[copy] as number)) {
      const prototype = prototypes[number];
      if (prototype === undefined) continue;
      const one = nothingDrawn();
      await this.#visit(prototype, { ...place, world: IDENTITY }, one);
      const cost = one.instances.reduce((sum, { geometry }) => sum + geometry.indices.length / 3, 0);
      const most = Math.min(
        budget.remaining('instances'),
        Math.floor(budget.remaining('triangles') / 2 / Math.max(1, cost)),
      );
      const count = Math.min(list.length, most);
      budget.spend('instances', count);
      budget.spend('triangles', count * cost);
      omissions.count('instances', prototype.path, list.length);
      if (count < list.length)
        omissions.omit('instances', prototype.path, `only ${count} copies are drawn`, list.length - count);
      for (let k = 0; k < count; k++) {
        const at = multiply(place.world, copies.at(list[Math.floor((k * list.length) / count)] as number));
        const placed = <T extends { readonly transform: Matrix4 }>(thing: T): T => ({
          ...thing,
          transform: multiply(at, thing.transform),
        });
        drawn.instances.push(...one.instances.map(placed));
        drawn.lines.push(...one.lines.map(placed));
        drawn.points.push(...one.points.map(placed));
      }
    }
  }

  #omit(name: string, reason: string): void {
    this.#context.omissions.count('meshes', name);
    this.#context.omissions.omit('meshes', name, reason);
  }
}

/** Whether an error is about one prim, not about the limits of the whole asset. */
function isDamage(error: unknown): error is Error {
  return (
    (error instanceof Unrenderable && !(error instanceof TooLarge)) || error instanceof UnreadableFileError
  );
}

function hasManyColors(prim: UsdPrim): boolean {
  const colors = numbersOf(prim.value('primvars:displayColor'))?.length ?? 0;
  return colors > 3 || (numbersOf(prim.value('primvars:displayOpacity'))?.length ?? 0) > 1;
}

/** The parts of a mesh with materials of their own, and the rest; the whole mesh if it has no parts. */
function partsOf(mesh: UsdMesh): { owner: UsdPrim; triangles: Uint32Array | undefined }[] {
  const subsets = mesh.prim.children.filter(
    (child) =>
      child.typeName === 'GeomSubset' &&
      (textOf(child.value('elementType')) ?? 'face') === 'face' &&
      child.properties.some((name) => name.startsWith('material:binding')),
  );
  if (subsets.length === 0) return [{ owner: mesh.prim, triangles: undefined }];
  const partOf = new Int32Array(mesh.faceCount);
  for (const [number, subset] of subsets.entries()) {
    for (const face of integers(numbersOf(subset.value('indices')) ?? [])) {
      if (face >= 0 && face < partOf.length) partOf[face] = number + 1;
    }
  }
  const lists = Map.groupBy(
    mesh.faces.keys(),
    (triangle) => partOf[mesh.faces[triangle] as number] as number,
  );
  return [...lists].map(([part, list]) => ({
    owner: subsets[part - 1] ?? mesh.prim,
    triangles: Uint32Array.from(list),
  }));
}

/** Where the copies of a PointInstancer are. */
class Copies {
  readonly #positions: ArrayLike<number>;
  readonly #turns: ArrayLike<number> | undefined;
  readonly #scales: ArrayLike<number> | undefined;

  constructor(prim: UsdPrim) {
    this.#positions = numbersOf(prim.value('positions')) ?? [];
    this.#turns = numbersOf(prim.value('orientationsf')) ?? numbersOf(prim.value('orientations'));
    this.#scales = numbersOf(prim.value('scales'));
  }

  at(copy: number): Matrix4 {
    const three = (values: ArrayLike<number> | undefined, other: number) =>
      [0, 1, 2].map((k) => values?.[copy * 3 + k] ?? other) as unknown as Vector3;
    const turn = this.#turns === undefined ? ([0, 0, 0, 1] as const) : quaternionOf(this.#turns, copy);
    return compose(three(this.#positions, 0), turn, three(this.#scales, 1));
  }
}
