import type { LoadContext } from '../context.ts';
import type { FormatReader } from '../format.ts';
import { memoised } from '../memoised.ts';
import { fromFirst } from '../model/bounds.ts';
import { IDENTITY, type Matrix4, multiply, scaling } from '../model/matrix.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import { sequentialIndices, withCreaseNormals } from '../model/normals.ts';
import {
  DEFAULT_MATERIAL,
  type Geometry,
  type Instance,
  type LineSet,
  plainMaterial,
} from '../model/scene.ts';
import { named } from '../named.ts';
import { AssetFiles } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import { numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import { openZip } from '../reading/zip.ts';
import { child, childrenOf, type ModelPart, readModelPart } from './model-part.ts';
import { cornersOf, type Look, materialOf, Properties } from './properties.ts';

const METRES: Readonly<Record<string, number>> = named({
  micron: 1e-6,
  millimeter: 0.001,
  centimeter: 0.01,
  inch: 0.0254,
  foot: 0.3048,
  meter: 1,
});

export const reader: FormatReader = { readMesh: load3mf };

/**
 * Loads a package of the 3D Manufacturing Format as it lies on the platform of a printer, in metres with Z up. Its lines
 * are the beams of lattices, without their thickness.
 */
async function load3mf(path: string, context: LoadContext): Promise<MeshFile> {
  const files = new AssetFiles(openZip(await context.files.read(path)), context.budget);
  const reader = new PackageReader({ ...context, files, textures: context.textures.withFiles(files) });
  const main = await reader.mainPart();
  const unit = METRES[main.part.root.attributes.unit ?? 'millimeter'] ?? 0.001;
  const upper = scaling(unit, unit, unit);
  const items = childrenOf(child(main.part.root, 'build'), 'item');
  for (const item of items) await reader.place(item, main.path, multiply(upper, matrixOf(item)), 0);
  // A part for others has nothing on the platform.
  if (items.length === 0)
    for (const id of main.part.resources.keys()) await reader.placeObject(main.path, id, upper, 0);
  const { instances, lines, hasMaterials } = reader;
  return { instances, points: [], lines, isYUp: false, hasMaterials };
}

/** The triangles of an object that have one look. */
interface Shape {
  readonly geometry: Geometry;
  readonly transform: Matrix4;
  readonly look: Look | undefined;
}

class PackageReader {
  readonly instances: Instance[] = [];
  readonly lines: LineSet[] = [];
  hasMaterials = false;
  readonly #context: LoadContext;
  readonly #shapes = new Map<XmlElement, readonly Shape[]>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  async mainPart(): Promise<{ path: string; part: ModelPart }> {
    const { files } = this.#context;
    const named = files.has('_rels/.rels') ? await this.#startPart() : undefined;
    const path = named ?? [...files.paths].find((one) => /\.model$/i.test(one));
    if (path === undefined) throw new Unrenderable('the 3MF file has no model');
    return { path, part: (await this.#part(path)).part };
  }

  async #startPart(): Promise<string | undefined> {
    const { root } = readModelPart(await this.#context.files.read('_rels/.rels'), this.#context.budget);
    const start = root.children.find(({ attributes }) => /3dmodel$/.test(attributes.Type ?? ''));
    return this.#context.files.index.find((start?.attributes.Target ?? '').replace(/^\//, ''));
  }

  /** Places what an item of the build or a component of an object refers to, here or in another part. */
  async place({ attributes }: XmlElement, from: string, world: Matrix4, depth: number): Promise<void> {
    const elsewhere = Object.entries(attributes).find(([name]) => name.endsWith(':path'))?.[1];
    const path = elsewhere === undefined ? from : elsewhere.replace(/^\//, '');
    await this.placeObject(path, attributes.objectid ?? '', world, depth);
  }

  async placeObject(path: string, id: string, world: Matrix4, depth: number): Promise<void> {
    const { budget } = this.#context;
    budget.spend('nodes', 1);
    budget.checkDepth(depth);
    const { part, properties } = await this.#part(path);
    const object = part.resources.get(id);
    for (const component of childrenOf(child(object, 'components'), 'component'))
      await this.place(component, path, multiply(world, matrixOf(component)), depth + 1);
    if (object === undefined || child(object, 'mesh') === undefined) return;
    this.#placeBeams(object, part, world);
    const shapes = this.#shapes.get(object) ?? this.#read(object, part, properties);
    this.#shapes.set(object, shapes);
    for (const { geometry, transform, look } of shapes) {
      budget.spend('triangles', geometry.indices.length / 3);
      budget.spend('vertices', geometry.positions.length / 3);
      const material = look === undefined ? plainMaterial(geometry) : await this.#material(look);
      this.hasMaterials ||= look !== undefined;
      this.instances.push({
        geometry,
        material,
        transform: multiply(world, transform),
        names: [object.attributes.name ?? id],
      });
    }
  }

  #placeBeams(object: XmlElement, part: ModelPart, transform: Matrix4): void {
    const mesh = child(object, 'mesh');
    const beams = part.rows(child(child(mesh, 'beamlattice'), 'beams'));
    if (beams.length === 0) return;
    const positions = Float32Array.from(this.#points(mesh, part).flat());
    const ends = beams
      .map(({ v1, v2 }) => [Number(v1), Number(v2)])
      .filter((pair) => pair.every((vertex) => vertex >= 0 && vertex * 3 < positions.length));
    this.lines.push({
      positions,
      ends: Uint32Array.from(ends.flat()),
      color: DEFAULT_MATERIAL.baseColor,
      transform,
    });
  }

  #points(mesh: XmlElement | undefined, part: ModelPart): number[][] {
    return part.rows(child(mesh, 'vertices')).map(({ x, y, z }) => [Number(x), Number(y), Number(z)]);
  }

  readonly #material = memoised((look: Look) => materialOf(look, this.#context.textures));

  readonly #part = memoised(async (path: string) => {
    const part = readModelPart(await this.#context.files.read(path), this.#context.budget);
    return { part, properties: new Properties(part) };
  });

  #read(object: XmlElement, part: ModelPart, properties: Properties): Shape[] {
    const mesh = child(object, 'mesh');
    const vertices = this.#points(mesh, part);
    const parts = new Map<Look | undefined, Corners>();
    for (const triangle of part.rows(child(mesh, 'triangles'))) {
      const points = [triangle.v1, triangle.v2, triangle.v3].map((index) => vertices[Number(index)]);
      if (!points.every((point) => point?.every(Number.isFinite))) continue;
      const corners = cornersOf(properties, triangle, object.attributes);
      const look = corners[0]?.look;
      const own = parts.get(look) ?? { points: [], colors: [], uvs: [] };
      parts.set(look, own);
      for (const [k, point = []] of points.entries()) {
        const { color = WHITE, uv = ZERO } = corners[k] ?? {};
        own.points.push(...point);
        if (look === 'colors') own.colors.push(...color);
        if (typeof look === 'object' && 'path' in look) own.uvs.push(...uv);
      }
    }
    return [...parts].map(([look, { points, colors, uvs }]) => {
      const { positions, transform } = fromFirst(points);
      const laid = {
        colors: colors.length > 0 ? Float32Array.from(colors) : undefined,
        uvs: uvs.length > 0 ? Float32Array.from(uvs) : undefined,
      };
      const geometry = withCreaseNormals(positions, sequentialIndices(positions.length / 3), laid);
      return { geometry, transform, look };
    });
  }
}

interface Corners {
  readonly points: number[];
  readonly colors: number[];
  readonly uvs: number[];
}

const WHITE = [1, 1, 1, 1] as const;
const ZERO = [0, 0] as const;

/** Twelve numbers, the images of the axes and of the origin. */
function matrixOf({ attributes: { transform } }: XmlElement): Matrix4 {
  if (transform === undefined) return IDENTITY;
  const [a, b, c, d, e, f, g, h, i, x, y, z] = numbersOf(transform, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  return [a, b, c, 0, d, e, f, 0, g, h, i, 0, x, y, z, 1] as Matrix4;
}
