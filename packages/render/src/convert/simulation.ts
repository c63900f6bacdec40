import type { ProofLine } from '@bindery/formats';
import { forMujoco } from '@bindery/formats/mjcf/adapt';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { atOrigin, type Configuration } from '@bindery/formats/model/kinematics';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { withCompiled } from './compiled.ts';
import { check, largestDifference } from './proof.ts';

/** The largest difference of frames after a second, in metres. */
const CLOSE = 1e-3;

/**
 * Simulates a mechanism and what it became for a second in MuJoCo, falling and swinging freely: without contacts, which
 * formats say too differently. @throws Unrenderable if they do not move alike.
 */
export async function simulationLine(mechanism: Mechanism, result: Mechanism): Promise<ProofLine> {
  const start = atOrigin(mechanism);
  const [one, other] = [await afterSecond(mechanism, start), await afterSecond(result, start)];
  let measured = 0;
  for (const { name } of mechanism.bodies) {
    const [frame, counterpart] = [one.get(name), other.get(name)];
    if (frame === undefined || counterpart === undefined) continue;
    measured = Math.max(measured, largestDifference(frame, counterpart));
  }
  const line = {
    what: 'frames after a second of simulation without contacts, in metres',
    measured,
    bound: CLOSE,
  };
  check([line]);
  return line;
}

async function afterSecond(mechanism: Mechanism, start: Configuration) {
  const bare = {
    ...mechanism,
    bodies: mechanism.bodies.map((body) => ({ ...body, shapes: [] })),
    excluded: [],
  };
  const files = await writeMjcf(forMujoco(bare));
  return withCompiled(MJCF_ENTRY, files, (compiled) => compiled.placeAfterSecond(start));
}
