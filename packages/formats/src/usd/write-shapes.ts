import { boundsOf } from '../model/bounds.ts';
import { decompose, type Matrix4, multiply, scaling, turnOf } from '../model/matrix.ts';
import type { Body, Shape } from '../model/mechanism.ts';
import { surfaceOf } from '../model/primitives.ts';
import type { Geometry } from '../model/scene.ts';
import { type VisiblePart, visibleParts } from '../model/visible-meshes.ts';
import { TooLarge } from '../reading/errors.ts';
import { displayName, number, type Prim, PrimNames, rows, schemas, tuple } from './write-layer.ts';
import { UsdMaterials } from './write-materials.ts';

/** Numbers of meshes in one stage, which have a dozen characters each. */
const MAX_NUMBERS = 20_000_000;

interface PlacedMesh {
  readonly geometry: Geometry;
  readonly pose: Matrix4;
}

function coincide(one: PlacedMesh, other: PlacedMesh): boolean {
  const agree = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    a === b || (a.length === b.length && Array.prototype.every.call(a, (value, at) => value === b[at]));
  return (
    agree(one.pose, other.pose) &&
    agree(one.geometry.indices, other.geometry.indices) &&
    agree(one.geometry.positions, other.geometry.positions)
  );
}

/** The shapes of bodies: what is seen as meshes, what collides as guides. */
export class UsdShapes {
  readonly materials: UsdMaterials;
  readonly #root: string;
  readonly #meshes = new Map<Geometry, Prim>();
  readonly #meshNames = new PrimNames();
  readonly #frictions = new Map<number, Prim>();
  #numbers = 0;

  /** `root`: the path of the prim that has `materials`, `frictions` and `meshes` in scopes. */
  constructor(root: string) {
    this.#root = root;
    this.materials = new UsdMaterials(`${root}/Materials`);
  }

  /** The meshes that shapes refer to, each once. */
  get meshes(): Prim[] {
    return [...this.#meshes.values()];
  }

  get frictions(): Prim[] {
    return [...this.#frictions.values()];
  }

  /** The prims of a body's shapes; `names` has those that are taken. */
  of(body: Body, names: PrimNames): Prim[] {
    const visuals = body.shapes.filter(({ role }) => role === 'visual');
    const seen = visuals.flatMap((shape) =>
      visibleParts(shape).map(({ geometry }): PlacedMesh => ({ geometry, pose: shape.pose })),
    );
    return body.shapes.flatMap((shape) =>
      shape.role === 'visual'
        ? visibleParts(shape).map((part) => this.#visual(shape, part, names))
        : this.#collisions(shape, names, seen),
    );
  }

  #visual({ name: wanted, pose }: Shape, { mesh, geometry, material }: VisiblePart, names: PrimNames): Prim {
    const name = names.name(wanted);
    return {
      type: 'Mesh',
      name,
      metadata: [schemas('MaterialBindingAPI'), this.#reference(mesh, geometry), displayName(name, wanted)],
      properties: [
        ...frameProperties(pose),
        `uniform bool doubleSided = ${material.doubleSided}`,
        geometry.colors === undefined
          ? `color3f[] primvars:displayColor = [${tuple(material.baseColor.slice(0, 3))}] (interpolation = "constant")`
          : undefined,
        `rel material:binding = <${this.materials.path(material, geometry.colors !== undefined)}>`,
      ],
    };
  }

  #collisions(shape: Shape, names: PrimNames, seen: readonly PlacedMesh[]): Prim[] {
    const { form, pose } = shape;
    const prim = (type: string, own: readonly string[], scaled: Matrix4 = pose, mesh?: string): Prim => {
      const name = names.name(shape.name);
      const { friction } = shape;
      return {
        type,
        name,
        metadata: [
          schemas(
            'PhysicsCollisionAPI',
            mesh !== undefined && 'PhysicsMeshCollisionAPI',
            'MjcCollisionAPI',
            mesh === undefined ? 'NewtonCollisionAPI' : 'NewtonMeshCollisionAPI',
            friction !== undefined && 'MaterialBindingAPI',
          ),
          mesh,
          displayName(name, shape.name),
        ],
        properties: [
          ...frameProperties(scaled),
          'uniform token purpose = "guide"',
          ...own,
          friction === undefined ? undefined : `rel material:binding:physics = <${this.#friction(friction)}>`,
        ],
      };
    };
    const hull = (name: string, geometry: Geometry) =>
      prim(
        'Mesh',
        [
          'uniform token physics:approximation = "convexHull"',
          // What is seen already is not shown again among the guides.
          ...(seen.some((mesh) => coincide(mesh, { geometry, pose }))
            ? ['token visibility = "invisible"']
            : []),
        ],
        pose,
        this.#reference(name, geometry),
      );
    switch (form.type) {
      case 'box': {
        const [x, y, z] = form.size;
        return [prim('Cube', ['double size = 2'], multiply(pose, scaling(x / 2, y / 2, z / 2)))];
      }
      case 'sphere': {
        const { radius } = form;
        return [prim('Sphere', [`double radius = ${number(radius)}`, extent([radius, radius, radius])])];
      }
      case 'cylinder':
      case 'capsule': {
        const { type, radius, length } = form;
        const measures = ['uniform token axis = "Z"', `double radius = ${number(radius)}`];
        const top = length / 2 + (type === 'capsule' ? radius : 0);
        const all = [...measures, `double height = ${number(length)}`, extent([radius, radius, top])];
        return [prim(type === 'capsule' ? 'Capsule' : 'Cylinder', all)];
      }
      case 'plane':
        return [prim('Plane', ['uniform token axis = "Z"'])];
      case 'ellipsoid':
        return [hull('ellipsoid', surfaceOf(form))];
      case 'mesh':
        return form.parts.map(({ geometry }) => hull(form.name, geometry));
    }
  }

  #friction(friction: number): string {
    const known = this.#frictions.get(friction);
    const name = known?.name ?? `friction_${this.#frictions.size + 1}`;
    const properties = ['static', 'dynamic'].map(
      (kind) => `float physics:${kind}Friction = ${number(friction)}`,
    );
    if (known === undefined)
      this.#frictions.set(friction, {
        type: 'Material',
        name,
        metadata: [schemas('PhysicsMaterialAPI')],
        properties,
      });
    return `${this.#root}/PhysicsMaterials/${name}`;
  }

  /** The metadata of a prim that is a mesh. */
  #reference(name: string, geometry: Geometry): string {
    let mesh = this.#meshes.get(geometry);
    if (mesh === undefined) {
      const { positions, normals, indices, uvs } = geometry;
      this.#numbers += positions.length + normals.length + indices.length + (uvs?.length ?? 0);
      if (this.#numbers > MAX_NUMBERS)
        throw new TooLarge(`too large: more than ${MAX_NUMBERS} numbers for USD in text`);
      mesh = meshPrim(this.#meshNames.name(name), name, geometry);
      this.#meshes.set(geometry, mesh);
    }
    return `prepend references = <${this.#root}/Meshes/${mesh.name}>`;
  }
}

function meshPrim(name: string, wanted: string, geometry: Geometry): Prim {
  const { positions, normals, indices, uvs, uvs1, colors } = geometry;
  const each = (type: string, attribute: string, value: string) =>
    `${type} ${attribute} = ${value} (interpolation = "vertex")`;
  const coordinates = (attribute: string, values: Float32Array) =>
    // V runs up in USD.
    each(
      'texCoord2f[]',
      `primvars:${attribute}`,
      rows(
        values.map((value, at) => (at % 2 ? 1 - value : value)),
        2,
      ),
    );
  const { minX, minY, minZ, maxX, maxY, maxZ } = boundsOf([positions]);
  return {
    type: 'Mesh',
    name,
    metadata: [displayName(name, wanted)],
    properties: [
      `float3[] extent = [${tuple([minX, minY, minZ])}, ${tuple([maxX, maxY, maxZ])}]`,
      `int[] faceVertexCounts = [${Array(indices.length / 3)
        .fill('3')
        .join(', ')}]`,
      `int[] faceVertexIndices = [${indices.join(', ')}]`,
      each('normal3f[]', 'normals', rows(normals, 3)),
      `point3f[] points = ${rows(positions, 3)}`,
      uvs && coordinates('st', uvs),
      uvs1 && coordinates('st1', uvs1),
      colors && each('color3f[]', 'primvars:displayColor', rows(withoutAlpha(colors), 3)),
      'uniform token subdivisionScheme = "none"',
    ],
  };
}

function withoutAlpha(colors: Float32Array): Float32Array {
  return colors.filter((_, at) => at % 4 < 3);
}

function extent(half: readonly [number, number, number]): string {
  return `float3[] extent = [${tuple(half.map((side) => -side))}, ${tuple(half)}]`;
}

/** The properties that place a prim in the frame of the one above it. */
export function frameProperties(pose: Matrix4): string[] {
  const { scale } = decompose(pose);
  const isRigid = scale.every((factor) => Math.abs(factor - 1) < 1e-12);
  const place = tuple([pose[12], pose[13], pose[14]]);
  if (isRigid) {
    const [x, y, z, w] = turnOf(pose);
    return [
      `double3 xformOp:translate = ${place}`,
      `quatd xformOp:orient = ${tuple([w, x, y, z])}`,
      'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]',
    ];
  }
  // Vectors of USD are rows, so that rows of its matrices are columns of ours.
  const matrix = [0, 4, 8, 12].map((at) => tuple(pose.slice(at, at + 4))).join(', ');
  return [
    `matrix4d xformOp:transform = ( ${matrix} )`,
    'uniform token[] xformOpOrder = ["xformOp:transform"]',
  ];
}
