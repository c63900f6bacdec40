import type { SimulationProblem } from '@bindery/formats';
import { subtract, type Vector3 } from '@bindery/formats/model/matrix';
import { LEAST } from '@bindery/formats/writing/possible-inertia';
import { type Box, boxAround, collides } from './geoms.ts';
import { at, GEOM, rounded, vector } from './memory.ts';
import { diagonalOf, type RigidGroup } from './rigid-groups.ts';
import type { Simulator } from './simulator.ts';

/** Kilograms in a cubic metre: less than hollow things and foam have, and a little more than osmium. */
const MIN_DENSITY = 5;
const MAX_DENSITY = 25_000;

/** Whether a mass belongs to the shapes that it is the mass of, and is where they are. */
export function massProblems(
  simulator: Simulator,
  { name, mass, centre, geoms, box }: RigidGroup,
): SimulationProblem[] {
  // What weighs nothing is among the losses of its conversion.
  if (!(mass > LEAST.mass)) return [];
  const problems: SimulationProblem[] = [];
  const most = geoms.reduce((total, geom) => total + boxVolume(simulator.model, geom), 0);
  const least = mass < MIN_DENSITY * most ? leastVolume(simulator, geoms) : most;
  const isLight = mass < MIN_DENSITY * least;
  if (isLight || (most > 0 && mass > MAX_DENSITY * most)) {
    const [volume, than] = isLight ? [least, 'less than foam'] : [most, 'more than any metal'];
    const message =
      `${name} weighs ${rounded(mass)} kg in ${rounded(volume)} m³, which is ${rounded(mass / volume)} kg/m³: ${than}; ` +
      'is its mass in another unit?';
    problems.push({ code: 'mass-implausible', message });
  }
  const outside = Math.min(...geoms.map((geom) => distanceFrom(boxAround(simulator, geom), centre)));
  const size = diagonalOf(box);
  if (outside > size) {
    const message = `the centre of mass of ${name} is ${rounded(outside)} m outside of its shapes, which are ${rounded(size)} m large`;
    problems.push({ code: 'mass-outside-shapes', message });
  }
  return problems;
}

function distanceFrom([low, high]: Box, point: Vector3): number {
  return Math.hypot(
    ...point.map((value, axis) => Math.max(0, at(low, axis) - value, value - at(high, axis))),
  );
}

/** What is seen and what collides are two descriptions of one thing: the smaller. */
function leastVolume({ model }: Simulator, geoms: readonly number[]): number {
  const described = [...Map.groupBy(geoms, (geom) => collides(model, geom)).values()];
  return Math.min(
    ...described.map((shapes) => shapes.reduce((total, geom) => total + volumeOf(model, geom), 0)),
  );
}

function volumeOf(model: Simulator['model'], geom: number): number {
  const [a, b, c] = vector(model.geom_size, geom);
  const round = (4 / 3) * Math.PI;
  switch (at(model.geom_type, geom)) {
    case GEOM.sphere:
      return round * a ** 3;
    case GEOM.ellipsoid:
      return round * a * b * c;
    case GEOM.capsule:
      return round * a ** 3 + 2 * Math.PI * a ** 2 * b;
    case GEOM.cylinder:
      return 2 * Math.PI * a ** 2 * b;
    case GEOM.mesh:
      return meshVolume(model, at(model.geom_dataid, geom));
    default:
      return boxVolume(model, geom);
  }
}

function boxVolume(model: Simulator['model'], geom: number): number {
  return vector(model.geom_aabb, geom * 2 + 1).reduce((volume, half) => volume * 2 * half, 1);
}

/** What triangles enclose, as signed tetrahedra from the origin; too little for open ones. */
function meshVolume(model: Simulator['model'], mesh: number): number {
  const [vertices, faces] = [model.mesh_vert as Float32Array, model.mesh_face as Int32Array];
  const first = at(model.mesh_vertadr, mesh);
  const start = at(model.mesh_faceadr, mesh);
  let six = 0;
  for (let face = start; face < start + at(model.mesh_facenum, mesh); face++) {
    const [a, b, c] = vector(faces, face).map((vertex) => vector(vertices, first + vertex)) as [
      Vector3,
      Vector3,
      Vector3,
    ];
    six +=
      a[0] * (b[1] * c[2] - b[2] * c[1]) +
      a[1] * (b[2] * c[0] - b[0] * c[2]) +
      a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return Math.abs(six) / 6;
}

/**
 * The radius of gyration of a body is at most the distance to its farthest point, and not much smaller in any shape that
 * carries its mass.
 */
const MAX_SPREAD = 1.2;
const MIN_SPREAD = 0.02;

/** Finds bodies whose inertia does not belong to their mass in the size that their geoms show. */
export function inertiaProblems(simulator: Simulator): SimulationProblem[] {
  const { model } = simulator;
  const reach = new Float64Array(model.nbody);
  for (let geom = 0; geom < model.ngeom; geom++) {
    const body = at(model.geom_bodyid, geom);
    const offset = subtract(vector(model.geom_pos, geom), vector(model.body_ipos, body));
    reach[body] = Math.max(at(reach, body), Math.hypot(...offset) + at(model.geom_rbound, geom));
  }
  const problems: SimulationProblem[] = [];
  for (let body = 1; body < model.nbody; body++) {
    const [mass, radius] = [at(model.body_mass, body), at(reach, body)];
    const isFixed = at(model.body_weldid, body) === 0;
    if (isFixed || !(mass > 0) || !(radius > 0)) continue;
    const spread = Math.sqrt(Math.max(...vector(model.body_inertia, body)) / mass);
    if (spread <= MAX_SPREAD * radius && spread >= MIN_SPREAD * radius) continue;
    const message = `${simulator.nameOf('body', body)} turns as if its mass were ${rounded(spread * 1_000)} mm from its centre, but it reaches ${rounded(radius * 1_000)} mm`;
    problems.push({ code: 'inertia-implausible', message });
  }
  return problems;
}
