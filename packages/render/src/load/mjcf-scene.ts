import type { MjData, MjModel } from '@mujoco/mujoco';
import { srgbToLinear } from '../color.ts';
import { gather, withCreaseNormals } from '../geometry/normals.ts';
import { box, capsule, cylinder, ellipsoid, rectangle } from '../geometry/primitives.ts';
import type { Budget } from '../limits.ts';
import { fromRotation, type Matrix4 } from '../matrix.ts';
import {
  DEFAULT_MATERIAL,
  type Geometry,
  type Image,
  type Instance,
  type Material,
  type Scene,
} from '../scene.ts';
import { texture, withLevels } from './textures.ts';

/** The values of mjtGeom that have a surface of their own. */
const PLANE = 0;
const HFIELD = 1;
const SPHERE = 2;
const CAPSULE = 3;
const ELLIPSOID = 4;
const CYLINDER = 5;
const BOX = 6;
const MESH = 7;
/** Groups that MuJoCo's viewers show; collision geometry stands in higher ones. */
const VISIBLE_GROUPS = 3;
/** mjNTEXROLE, and the places of mjTEXROLE_RGB and mjTEXROLE_RGBA in it. */
const TEXTURE_ROLES = 10;
const RGB_ROLES = [1, 8];
/** The colour of a geom that names none. */
const DEFAULT_RGBA = [0.5, 0.5, 0.5, 1];

/** What a posed MuJoCo model shows: its visible geoms, or all of them where none is visible. The floor is left out. */
export function mujocoScene(model: MjModel, data: MjData, budget: Budget): Scene {
  const reader = new ModelReader(model, data, budget);
  const all = Array.from({ length: model.ngeom }, (_, geom) => geom).filter(
    (geom) => !reader.isBackdrop(geom),
  );
  const visible = all.filter((geom) => reader.isVisible(geom));
  const instances = (visible.length > 0 ? visible : all).flatMap((geom) => reader.instance(geom) ?? []);
  return { up: 'z', instances, points: [] };
}

class ModelReader {
  readonly #budget: Budget;
  readonly #geom: Record<'type' | 'group' | 'body' | 'data' | 'material', Int32Array>;
  readonly #size: Float64Array;
  readonly #rgba: Float32Array;
  readonly #positions: Float64Array;
  readonly #rotations: Float64Array;
  readonly #model: MjModel;
  readonly #meshes = new Map<number, Geometry>();
  readonly #images = new Map<number, readonly Image[] | undefined>();

  constructor(model: MjModel, data: MjData, budget: Budget) {
    this.#model = model;
    this.#budget = budget;
    this.#geom = {
      type: Int32Array.from(model.geom_type as ArrayLike<number>),
      group: Int32Array.from(model.geom_group as ArrayLike<number>),
      body: Int32Array.from(model.geom_bodyid as ArrayLike<number>),
      data: Int32Array.from(model.geom_dataid as ArrayLike<number>),
      material: Int32Array.from(model.geom_matid as ArrayLike<number>),
    };
    this.#size = Float64Array.from(model.geom_size as ArrayLike<number>);
    this.#rgba = Float32Array.from(model.geom_rgba as ArrayLike<number>);
    this.#positions = Float64Array.from(data.geom_xpos as ArrayLike<number>);
    this.#rotations = Float64Array.from(data.geom_xmat as ArrayLike<number>);
  }

  /** Floors and terrain of the world are no part of the model. */
  isBackdrop(geom: number): boolean {
    const type = this.#geom.type[geom];
    return this.#geom.body[geom] === 0 && (type === PLANE || type === HFIELD);
  }

  isVisible(geom: number): boolean {
    return (this.#geom.group[geom] as number) < VISIBLE_GROUPS && this.#color(geom)[3] > 0;
  }

  instance(geom: number): Instance | undefined {
    const geometry = this.#geometry(geom);
    if (geometry === undefined) return undefined;
    this.#budget.spend('triangles', geometry.indices.length / 3);
    this.#budget.spend('vertices', geometry.positions.length / 3);
    const material = this.#material(geom);
    const laid =
      material.baseColorTexture && !geometry.uvs
        ? { ...geometry, uvs: flatUvs(geometry.positions) }
        : geometry;
    return { geometry: laid, material, transform: this.#transform(geom) };
  }

  #transform(geom: number): Matrix4 {
    const [x, y, z] = this.#positions.subarray(geom * 3, geom * 3 + 3);
    return fromRotation(this.#rotations, geom * 9, [x ?? 0, y ?? 0, z ?? 0]);
  }

  #geometry(geom: number): Geometry | undefined {
    const [a = 0, b = 0, c = 0] = this.#size.subarray(geom * 3, geom * 3 + 3);
    switch (this.#geom.type[geom]) {
      case PLANE:
        return a > 0 && b > 0 ? rectangle(a, b) : undefined;
      case SPHERE:
        return ellipsoid(a, a, a);
      case CAPSULE:
        return capsule(a, b);
      case ELLIPSOID:
        return ellipsoid(a, b, c);
      case CYLINDER:
        return cylinder(a, b);
      case BOX:
        return box(a, b, c);
      case MESH:
        return this.#mesh(this.#geom.data[geom] as number);
      default:
        return undefined;
    }
  }

  #mesh(mesh: number): Geometry | undefined {
    if (mesh < 0) return undefined;
    let geometry = this.#meshes.get(mesh);
    if (geometry === undefined) {
      geometry = readMesh(this.#model, mesh);
      this.#meshes.set(mesh, geometry);
    }
    return geometry;
  }

  /** MuJoCo's rule: a geom's own colour counts unless it has a material and left the colour at its default. */
  #color(geom: number): [number, number, number, number] {
    const own = [...this.#rgba.subarray(geom * 4, geom * 4 + 4)];
    const material = this.#geom.material[geom] as number;
    const isDefault = own.every((value, index) => value === DEFAULT_RGBA[index]);
    const chosen = material >= 0 && isDefault ? slice(this.#model.mat_rgba, material, 4) : own;
    return chosen as [number, number, number, number];
  }

  #material(geom: number): Material {
    const [red, green, blue, alpha] = this.#color(geom);
    const baseColor = [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue), alpha] as const;
    const material = this.#geom.material[geom] as number;
    const alphaMode = alpha < 0.999 ? 'blend' : 'opaque';
    if (material < 0) return { ...DEFAULT_MATERIAL, baseColor, alphaMode };
    const value = (name: 'mat_emission' | 'mat_shininess' | 'mat_metallic' | 'mat_roughness') =>
      (this.#model[name] as ArrayLike<number>)[material] ?? 0;
    const emission = value('mat_emission');
    const [repeatU = 1, repeatV = 1] = slice(this.#model.mat_texrepeat, material, 2);
    return {
      ...DEFAULT_MATERIAL,
      baseColor,
      alphaMode,
      baseColorTexture: texture(this.#image(this.#textureOf(material)), {
        transform: [repeatU, 0, 0, repeatV, 0, 0],
      }),
      metallic: Math.max(0, value('mat_metallic')),
      roughness: value('mat_roughness') >= 0 ? value('mat_roughness') : 0.85 - 0.5 * value('mat_shininess'),
      emissive: [baseColor[0] * emission, baseColor[1] * emission, baseColor[2] * emission],
    };
  }

  #textureOf(material: number): number {
    const roles = slice(this.#model.mat_texid, material, TEXTURE_ROLES);
    return RGB_ROLES.map((role) => roles[role] ?? -1).find((id) => id >= 0) ?? -1;
  }

  #image(id: number): readonly Image[] | undefined {
    if (id < 0) return undefined;
    if (!this.#images.has(id)) this.#images.set(id, readTexture(this.#model, id));
    return this.#images.get(id);
  }
}

function slice(values: unknown, row: number, width: number): number[] {
  const table = values as ArrayLike<number>;
  return Array.from({ length: width }, (_, k) => table[row * width + k] ?? 0);
}

function readMesh(model: MjModel, mesh: number): Geometry {
  const part = <T extends Float32Array | Int32Array>(
    values: T,
    start: number,
    count: number,
    width: number,
  ) => values.slice(start * width, (start + count) * width) as T;
  const of = (values: unknown) => (values as ArrayLike<number>)[mesh] as number;
  const [faceStart, faceCount] = [of(model.mesh_faceadr), of(model.mesh_facenum)];
  const positions = part(model.mesh_vert as Float32Array, of(model.mesh_vertadr), of(model.mesh_vertnum), 3);
  const faces = Uint32Array.from(part(model.mesh_face as Int32Array, faceStart, faceCount, 3));
  const geometry = withCreaseNormals(positions, faces);
  const texcoords = of(model.mesh_texcoordadr);
  if (texcoords < 0) return geometry;
  const uvs = part(model.mesh_texcoord as Float32Array, texcoords, of(model.mesh_texcoordnum), 2);
  const corners = part(model.mesh_facetexcoord as Int32Array, faceStart, faceCount, 3);
  return { ...geometry, uvs: gather(uvs, corners, 2) };
}

/** A flat texture as it is; of a cube one its mean colour, for it is laid on by direction. */
function readTexture(model: MjModel, id: number): readonly Image[] | undefined {
  const of = (values: unknown) => (values as ArrayLike<number>)[id] as number;
  const [width, height, channels] = [of(model.tex_width), of(model.tex_height), of(model.tex_nchannel)];
  const start = of(model.tex_adr);
  const source = (model.tex_data as Uint8Array).subarray(start, start + width * height * channels);
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let texel = 0; texel < width * height; texel++) {
    for (let k = 0; k < Math.min(4, channels); k++) data[texel * 4 + k] = source[texel * channels + k] ?? 0;
  }
  const levels = withLevels({ width, height, data });
  const isFlat = of(model.tex_type) === 0;
  return isFlat ? levels : levels.slice(-1);
}

/** Coordinates of a texture laid on from above, as MuJoCo does for geoms without any. */
function flatUvs(positions: Float32Array): Float32Array {
  let [reachX, reachY] = [1e-9, 1e-9];
  for (let i = 0; i + 2 < positions.length; i += 3) {
    reachX = Math.max(reachX, Math.abs(positions[i] as number));
    reachY = Math.max(reachY, Math.abs(positions[i + 1] as number));
  }
  const uvs = new Float32Array((positions.length / 3) * 2);
  for (let vertex = 0; vertex < positions.length / 3; vertex++) {
    uvs[vertex * 2] = 0.5 + (positions[vertex * 3] as number) / (2 * reachX);
    uvs[vertex * 2 + 1] = 0.5 - (positions[vertex * 3 + 1] as number) / (2 * reachY);
  }
  return uvs;
}
