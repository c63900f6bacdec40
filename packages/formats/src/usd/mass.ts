import {
  inertiaAround,
  joinedInertial,
  movedInertial,
  principalInertia,
  turnedInertia,
} from '../model/inertia.ts';
import { compose, IDENTITY, inverse, type Matrix4, multiply, type Vector3 } from '../model/matrix.ts';
import type { Inertial } from '../model/mechanism.ts';
import { inertialOf as inertialOfSolid, movedMoments } from '../model/solid.ts';
import type { Budget } from '../reading/limits.ts';
import { physicsMaterial } from './binding.ts';
import { collidersIn } from './bodies.ts';
import { solidOf } from './solids.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import type { UsdValue } from './stage/values.ts';
import { quaternionOf, rigid, scalesOf, stageFrame, worldTransform } from './transforms.ts';
import { numberOf, numbersOf, vectorOf } from './values.ts';

/** In kilograms per cubic metre, of what does not say it. */
const WATER = 1000;
/** The radius of the ball that a body without shapes resists rotation like, in metres. */
const BALL = 0.1;

/** What a prim says of its mass, in metres and kilograms. */
interface Said {
  readonly mass?: number | undefined;
  readonly density?: number | undefined;
  readonly center?: Vector3 | undefined;
  readonly inertia?: Inertial['inertia'] | undefined;
  /** From the principal axes of the inertia to the frame of the prim, if it says only these. */
  readonly axes?: Matrix4 | undefined;
}

/** The masses of a stage in metres and kilograms, as `UsdPhysicsRigidBodyAPI::ComputeMassProperties` has them. */
export class UsdMasses {
  readonly #stage: UsdStage;
  readonly #budget: Budget;
  readonly #toMetres: Matrix4;

  constructor(stage: UsdStage, budget: Budget) {
    this.#stage = stage;
    this.#budget = budget;
    this.#toMetres = stageFrame(stage);
  }

  massOf(body: UsdPrim): number {
    return this.#said(body).mass ?? this.inertialOf(body)?.mass ?? 0;
  }

  /** What a body says of its mass, and for the rest what it collides with; undefined, and reported, if neither has any. */
  inertialOf(body: UsdPrim, report: (why: string) => void = () => {}): Inertial | undefined {
    const said = this.#said(body);
    const isWhole = said.mass !== undefined && said.center !== undefined && said.inertia !== undefined;
    const colliders = isWhole ? [] : this.#colliders(body, said.density, report);
    const whole = joinedInertial(colliders);
    const mass = said.mass ?? whole?.mass;
    if (mass === undefined) {
      report('the file does not say it, and nothing that the body collides with has a volume');
      return undefined;
    }
    const center = said.center ?? whole?.center ?? [0, 0, 0];
    if (said.inertia !== undefined) return { mass, center, inertia: said.inertia };
    const own = whole === undefined ? ballAt(center, mass) : weighing(mass, whole);
    const inertia = inertiaAround(own, center);
    if (said.axes === undefined) return { mass, center, inertia };
    return { mass, center, inertia: turnedInertia(diagonal(principalInertia(inertia).moments), said.axes) };
  }

  /** The inertials of what a body collides with, in its frame. */
  #colliders(body: UsdPrim, density: number | undefined, report: (why: string) => void): Inertial[] {
    const toBody = inverse(rigid(this.#frameOf(body)));
    return [...collidersIn(body)].flatMap((prim) => {
      const solid = solidOf(prim, this.#budget);
      if (solid === undefined) return [];
      const frame = this.#frameOf(prim);
      const toOwn = multiply(inverse(rigid(frame)), frame);
      const moments = movedMoments(solid.moments, toOwn);
      if (!(moments.volume > 0)) return [];
      const said = this.#said(prim);
      const mass =
        said.mass ?? moments.volume * (said.density ?? density ?? this.#materialDensity(prim) ?? WATER);
      if (solid.isBox) report('a collision mesh of the body has holes, and counts as the box around it');
      const own = inertialOfSolid(moments, mass / moments.volume);
      const center = said.center ?? own.center;
      const turned = said.axes === undefined ? own.inertia : turnedInertia(own.inertia, said.axes);
      const inertia = said.inertia ?? inertiaAround({ ...own, inertia: turned }, center);
      return [movedInertial({ mass, center, inertia }, multiply(toBody, rigid(frame)))];
    });
  }

  #frameOf(prim: UsdPrim): Matrix4 {
    return multiply(this.#toMetres, worldTransform(prim));
  }

  #materialDensity(prim: UsdPrim): number | undefined {
    return this.#density(physicsMaterial(prim, this.#stage));
  }

  #density(prim: UsdPrim | undefined): number | undefined {
    const { kilogramsPerUnit, metersPerUnit } = this.#stage;
    return scaledBy(positive(prim?.value('physics:density')), kilogramsPerUnit / metersPerUnit ** 3);
  }

  /** What a prim says itself. Zeros, and what is infinite, say nothing. */
  #said(prim: UsdPrim): Said {
    if (!prim.schemas.includes('PhysicsMassAPI')) return {};
    const { kilogramsPerUnit, metersPerUnit } = this.#stage;
    const [sx, sy, sz] = scalesOf(this.#frameOf(prim));
    const center = finite(vectorOf(prim.value('physics:centerOfMass')));
    const written = Array.from(numbersOf(prim.value('physics:principalAxes')) ?? []);
    const axes = written.some(Boolean) ? compose([0, 0, 0], quaternionOf(written, 0), [1, 1, 1]) : undefined;
    const inertia = inertiaOf(prim, axes ?? IDENTITY, kilogramsPerUnit * metersPerUnit ** 2);
    return {
      mass: scaledBy(positive(prim.value('physics:mass')), kilogramsPerUnit),
      density: this.#density(prim),
      center: center && [center[0] * sx, center[1] * sy, center[2] * sz],
      inertia,
      axes: inertia === undefined ? axes : undefined,
    };
  }
}

/** The inertia that a prim says that it has: for Newton whole, else along its principal axes. */
function inertiaOf(prim: UsdPrim, axes: Matrix4, unit: number): Inertial['inertia'] | undefined {
  const [xx, yy, zz, xy, xz, yz] = Array.from(
    numbersOf(prim.value('newton:inertia')) ?? [],
    (moment) => moment * unit,
  );
  if (xx !== undefined && yy !== undefined && zz !== undefined && xx + yy + zz > 0)
    return [xx, yy, zz, xy ?? 0, xz ?? 0, yz ?? 0];
  const moments = finite(vectorOf(prim.value('physics:diagonalInertia')));
  if (moments === undefined || moments.some((moment) => moment < 0) || !moments.some(Boolean))
    return undefined;
  return turnedInertia(diagonal([moments[0] * unit, moments[1] * unit, moments[2] * unit]), axes);
}

function diagonal([x, y, z]: Vector3): Inertial['inertia'] {
  return [x, y, z, 0, 0, 0];
}

function ballAt(center: Vector3, mass: number): Inertial {
  const moment = 0.4 * mass * BALL ** 2;
  return { mass, center, inertia: diagonal([moment, moment, moment]) };
}

/** The same distribution of another mass. */
function weighing(mass: number, { mass: own, center, inertia }: Inertial): Inertial {
  const scaled = inertia.map((moment) => (moment * mass) / own) as unknown as Inertial['inertia'];
  return { mass, center, inertia: scaled };
}

function positive(value: UsdValue | undefined): number | undefined {
  const number = numberOf(value);
  return number !== undefined && number > 0 ? number : undefined;
}

function finite(vector: Vector3 | undefined): Vector3 | undefined {
  return vector?.every(Number.isFinite) ? vector : undefined;
}

function scaledBy(value: number | undefined, unit: number): number | undefined {
  return value === undefined ? undefined : value * unit;
}
