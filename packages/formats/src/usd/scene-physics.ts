import type { LossList } from '../model/losses.ts';
import { rotated, unit, type Vector3 } from '../model/matrix.ts';
import { ON_EARTH, type Physics } from '../model/mechanism.ts';
import { everyPrim } from './bodies.ts';
import { keptData } from './joint-dynamics.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { stageFrame } from './transforms.ts';
import { numberOf, vectorOf } from './values.ts';

/** Reads what the first scene of a stage says of the world; others are losses. */
export function physicsOf(stage: UsdStage, losses: LossList): Physics {
  const scenes = [...everyPrim(stage.roots)].filter(({ typeName }) => typeName === 'PhysicsScene');
  const [scene, ...others] = scenes;
  for (const { path } of others)
    losses.add('PhysicsScene', path, 'all bodies are in the first scene of the file');
  if (scene === undefined) return ON_EARTH;
  return { gravity: gravityIn(scene, stage), timestep: timestepOf(scene) };
}

const EARTH = 9.81;

function gravityIn(scene: UsdPrim, stage: UsdStage): Vector3 {
  const isOff = ['newton:gravityEnabled', 'mjc:flag:gravity'].some((name) => scene.value(name) === false);
  if (isOff) return [0, 0, 0];
  const [x, y, z] = unit(
    rotated(stageFrame(stage), vectorOf(scene.value('physics:gravityDirection')) ?? [0, 0, 0]),
  );
  const said = numberOf(scene.value('physics:gravityMagnitude'));
  const magnitude = said === undefined || said < 0 ? EARTH : said * stage.metersPerUnit;
  // A direction of zeros is down.
  const along = (part: number) => part * magnitude + 0;
  return Math.hypot(x, y, z) > 0 ? [along(x), along(y), along(z)] : [0, 0, -magnitude];
}

function timestepOf(scene: UsdPrim): number | undefined {
  const said = (name: string) => {
    const number = numberOf(scene.value(name));
    return number !== undefined && number > 0 ? number : undefined;
  };
  const rate = said('newton:timeStepsPerSecond');
  return numberOf(keptData(scene).timestep) ?? (rate === undefined ? said('mjc:option:timestep') : 1 / rate);
}
