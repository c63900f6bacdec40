import { decompose, IDENTITY, type Matrix4, multiply, type Vector3 } from '../model/matrix.ts';
import type { Motion, MotionClip } from '../model/scene.ts';
import { named } from '../named.ts';
import type { Budget } from '../reading/limits.ts';
import type { FbxDocument, FbxObject } from './document.ts';
import { type FbxNode, type FbxPose, worldsOf } from './nodes.ts';
import { numbersWithin } from './reading.ts';
import { recordNamed } from './record.ts';

const TICKS_PER_SECOND = 46_186_158_000;
const FRAMES_PER_SECOND = 30;
/** Matrices of one animation; a longer one is sampled less often. */
const MAX_SAMPLES = 200_000;

/** The numbers of keys, and what they are at times between. */
interface Curve {
  /** In seconds, ascending. */
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** For each key: how it goes on to the next, and the slopes at both ends, per second. */
  readonly kinds: Uint32Array;
  readonly slopes: Float64Array;
}

type Axes = Partial<Record<'x' | 'y' | 'z', Curve>>;
type Moves = Partial<Record<keyof FbxPose, Axes>>;

const PROPERTIES: Readonly<Record<string, keyof FbxPose>> = named({
  'Lcl Translation': 'translation',
  'Lcl Rotation': 'rotation',
  'Lcl Scaling': 'scaling',
});
const AXES: Readonly<Record<string, keyof Axes>> = named({ 'd|X': 'x', 'd|Y': 'y', 'd|Z': 'z' });

/** The animations of a document as matrices of some of its nodes, `frame` applied after them; undefined without any. */
export function motionOf(
  document: FbxDocument,
  nodes: readonly FbxNode[],
  joints: readonly FbxObject[],
  frame: Matrix4,
  budget: Budget,
): Motion | undefined {
  const clips = document.ofType('AnimationStack').flatMap((stack): MotionClip[] => {
    const moves = movesOf(document, stack, budget);
    const times = timesOf(moves, nodes.length);
    if (times.length < 2) return [];
    budget.spend('vertices', times.length * joints.length);
    const tracks = joints.map(() => ({
      translations: new Float32Array(times.length * 3),
      rotations: new Float32Array(times.length * 4),
      scales: new Float32Array(times.length * 3),
    }));
    for (const [at, time] of times.entries()) {
      const worlds = worldsOf(nodes, (node) => poseAt(node.rest, moves.get(node.object), time));
      for (const [joint, object] of joints.entries()) {
        const place = decompose(multiply(frame, worlds.get(object) ?? IDENTITY));
        tracks[joint]?.translations.set(place.translation, at * 3);
        tracks[joint]?.rotations.set(place.rotation, at * 4);
        tracks[joint]?.scales.set(place.scale, at * 3);
      }
    }
    const first = times[0] ?? 0;
    return [{ name: stack.name, times: Float32Array.from(times, (time) => time - first), tracks }];
  });
  if (clips.length === 0) return undefined;
  const worlds = worldsOf(nodes);
  return { joints: joints.map((object) => multiply(frame, worlds.get(object) ?? IDENTITY)), clips };
}

/** The curves of the first layer that moves a node. */
function movesOf(document: FbxDocument, stack: FbxObject, budget: Budget): ReadonlyMap<FbxObject, Moves> {
  const moves = new Map<FbxObject, Moves>();
  const groups = document
    .connectedTo(stack, 'AnimationLayer')
    .flatMap(({ object }) => document.connectedTo(object, 'AnimationCurveNode'));
  budget.spend('nodes', groups.length);
  for (const { object: group } of groups) {
    const axes: Axes = {};
    for (const { object, property = '' } of document.connectedTo(group, 'AnimationCurve')) {
      const axis = AXES[property];
      const curve = axis && curveOf(object, budget);
      if (axis !== undefined && curve !== undefined) axes[axis] = curve;
    }
    for (const { object, property } of document.targetsOf(group)) {
      const moved = PROPERTIES[property ?? ''];
      const own = moves.get(object) ?? {};
      if (moved !== undefined && own[moved] === undefined) moves.set(object, { ...own, [moved]: axes });
    }
  }
  return moves;
}

function curveOf({ record }: FbxObject, budget: Budget): Curve | undefined {
  const read = (name: string) => numbersWithin(recordNamed(record.children, name), budget);
  const [times, values] = [read('KeyTime').map((ticks) => ticks / TICKS_PER_SECOND), read('KeyValueFloat')];
  const isSound = times.every((time, at) => Number.isFinite(time) && !(time < (times[at - 1] ?? -Infinity)));
  if (times.length === 0 || times.length !== values.length || !isSound) return undefined;
  if (!values.every(Number.isFinite)) return undefined;
  const [flags, data, counts] = [read('KeyAttrFlags'), read('KeyAttrDataFloat'), read('KeyAttrRefCount')];
  const kinds = new Uint32Array(times.length);
  const slopes = new Float64Array(times.length * 2);
  let key = 0;
  for (const [attribute, count] of counts.entries()) {
    for (let k = 0; k < count && key < times.length; k++, key++) {
      kinds[key] = flags[attribute] ?? 0;
      slopes[key * 2] = slopeOf(data[attribute * 4]);
      slopes[key * 2 + 1] = slopeOf(data[attribute * 4 + 1]);
    }
  }
  return { times, values, kinds, slopes };
}

/** Files as text write the bits of a number as a whole number, which is large for all but the least slopes. */
const MIN_BITS = 2 ** 20;

function slopeOf(written = 0): number {
  if (!Number.isInteger(written) || Math.abs(written) < MIN_BITS) return written;
  return new Float32Array(Int32Array.of(written).buffer)[0] ?? 0;
}

/** From the first key to the last, in even steps. */
function timesOf(moves: ReadonlyMap<FbxObject, Moves>, nodes: number): Float64Array {
  let [start, end] = [Infinity, -Infinity];
  for (const move of moves.values()) {
    for (const axes of Object.values(move)) {
      for (const { times } of Object.values(axes)) {
        start = Math.min(start, times[0] ?? Infinity);
        end = Math.max(end, times.at(-1) ?? -Infinity);
      }
    }
  }
  if (!(end > start)) return new Float64Array();
  const most = Math.max(2, Math.floor(MAX_SAMPLES / Math.max(1, nodes)));
  const count = Math.max(2, Math.min(most, Math.ceil((end - start) * FRAMES_PER_SECOND) + 1));
  return Float64Array.from({ length: count }, (_, at) => start + ((end - start) * at) / (count - 1));
}

function poseAt(rest: FbxPose, moves: Moves | undefined, time: number): FbxPose {
  if (moves === undefined) return rest;
  const at = (property: keyof FbxPose): Vector3 => {
    const { x, y, z } = moves[property] ?? {};
    const [restX, restY, restZ] = rest[property];
    return [valueAt(x, time, restX), valueAt(y, time, restY), valueAt(z, time, restZ)];
  };
  return { translation: at('translation'), rotation: at('rotation'), scaling: at('scaling') };
}

const [CONSTANT, CUBIC] = [2, 8];

function valueAt(curve: Curve | undefined, time: number, otherwise: number): number {
  if (curve === undefined) return otherwise;
  const { times, values, kinds, slopes } = curve;
  let [low, high] = [0, times.length - 1];
  if (time <= (times[0] ?? 0)) return values[0] ?? otherwise;
  if (time >= (times[high] ?? 0)) return values[high] ?? otherwise;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const [from, to] = [values[low] ?? 0, values[high] ?? 0];
  const span = (times[high] ?? 0) - (times[low] ?? 0);
  const kind = kinds[low] ?? 0;
  if ((kind & CONSTANT) !== 0 || !(span > 0)) return from;
  const t = (time - (times[low] ?? 0)) / span;
  if ((kind & CUBIC) === 0) return from + (to - from) * t;
  const [leave, arrive] = [(slopes[low * 2] ?? 0) * span, (slopes[low * 2 + 1] ?? 0) * span];
  const value =
    (1 + 2 * t) * (1 - t) ** 2 * from +
    t * (1 - t) ** 2 * leave +
    t ** 2 * (3 - 2 * t) * to +
    t ** 2 * (t - 1) * arrive;
  return Number.isFinite(value) ? value : from;
}
