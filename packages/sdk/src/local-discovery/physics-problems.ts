import { scanXml } from '@bindery/formats';
import { type CheckCode, type Problem, problem, type Severity } from '../curation/check-codes.ts';

/** How far a moment may exceed the sum of the others, as a fraction of it: numbers in files are rounded. */
const TOLERANCE = 0.01;
const MOMENTS = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz'] as const;
type Moments = Partial<Record<(typeof MOMENTS)[number], number>>;

interface Body {
  name: string;
  line: number;
  mass?: number;
  moments: Moments;
}

interface Limits {
  name: string;
  line: number;
  lower?: number;
  upper?: number;
}

/** Finds physically impossible masses, inertias and joint limits in URDF (attributes) or SDFormat (element text). */
export function checkPhysics(asset: string, file: string, bytes: Uint8Array): Problem[] {
  const bodies: Body[] = [];
  const joints: Limits[] = [];
  let inPlace = { link: '', joint: '' };
  scanXml(bytes, {
    open({ name, attributes, line }, above) {
      const parent = above.at(-1)?.name;
      if (name === 'link') inPlace = { ...inPlace, link: attributes.name ?? '' };
      if (name === 'joint') inPlace = { ...inPlace, joint: attributes.name ?? '' };
      if (name === 'inertial') bodies.push({ name: inPlace.link, line, moments: {} });
      if (name === 'limit') joints.push({ name: inPlace.joint, line, ...bounds(attributes) });
      const body = bodies.at(-1);
      if (body === undefined || parent !== 'inertial') return;
      if (name === 'mass' && attributes.value !== undefined) body.mass = Number(attributes.value);
      if (name === 'inertia') Object.assign(body.moments, momentsOf(attributes));
    },
    text(text, around) {
      const [parent, element] = [around.at(-2)?.name, around.at(-1)?.name ?? ''];
      const body = bodies.at(-1);
      const joint = joints.at(-1);
      if (parent === 'inertial' && element === 'mass' && body !== undefined) body.mass = Number(text);
      if (parent === 'inertia' && body !== undefined)
        Object.assign(body.moments, momentsOf({ [element]: text }));
      if (parent === 'limit' && joint !== undefined) Object.assign(joint, bounds({ [element]: text }));
    },
  });
  const at = (code: CheckCode, line: number, message: string, severity?: Severity) =>
    problem(code, asset, message, { file, line }, severity);
  return [
    ...bodies.flatMap(({ name, line, mass, moments }) => [
      // Links without mass are frames: sensors, tools, the tips of fingers.
      ...(mass !== undefined && !(mass > 0)
        ? [at('mass-not-positive', line, `the mass of ${name} is ${mass}`, mass === 0 ? 'note' : 'error')]
        : []),
      ...(isImpossible(moments)
        ? [
            at(
              'inertia-impossible',
              line,
              `no physical body has the inertia of ${name}: ${momentsInWords(moments)}`,
            ),
          ]
        : []),
    ]),
    ...joints.flatMap(({ name, line, lower, upper }) =>
      lower !== undefined && upper !== undefined && lower > upper
        ? [at('joint-limits-reversed', line, `${name} has its lower limit ${lower} above its upper ${upper}`)]
        : [],
    ),
  ];
}

function bounds({ lower, upper }: Readonly<Record<string, string>>): Pick<Limits, 'lower' | 'upper'> {
  return {
    ...(lower === undefined ? {} : { lower: Number(lower) }),
    ...(upper === undefined ? {} : { upper: Number(upper) }),
  };
}

function momentsOf(values: Readonly<Record<string, string>>): Moments {
  return Object.fromEntries(
    MOMENTS.flatMap((key) => (values[key] === undefined ? [] : [[key, Number(values[key])]])),
  );
}

/** Whether the principal moments are not all positive, or one is larger than the sum of the other two. */
function isImpossible(moments: Moments): boolean {
  if (moments.ixx === undefined || moments.iyy === undefined || moments.izz === undefined) return false;
  const [small, middle, large] = principalMoments(moments);
  // Many files give a frame without a body an all-zero inertia.
  if (large === 0 && small === 0) return false;
  return !(small > 0) || large > (small + middle) * (1 + TOLERANCE);
}

/** Eigenvalues of the symmetric matrix, ascending, in closed form (Smith 1961). */
function principalMoments({
  ixx = 0,
  iyy = 0,
  izz = 0,
  ixy = 0,
  ixz = 0,
  iyz = 0,
}: Moments): [number, number, number] {
  const off = ixy ** 2 + ixz ** 2 + iyz ** 2;
  if (off === 0) return [ixx, iyy, izz].sort((a, b) => a - b) as [number, number, number];
  const mean = (ixx + iyy + izz) / 3;
  const spread = Math.sqrt(((ixx - mean) ** 2 + (iyy - mean) ** 2 + (izz - mean) ** 2 + 2 * off) / 6);
  const [a, b, c] = [ixx - mean, iyy - mean, izz - mean];
  const determinant = a * (b * c - iyz ** 2) - ixy * (ixy * c - iyz * ixz) + ixz * (ixy * iyz - b * ixz);
  const angle = Math.acos(Math.min(1, Math.max(-1, determinant / (2 * spread ** 3)))) / 3;
  const large = mean + 2 * spread * Math.cos(angle);
  const small = mean + 2 * spread * Math.cos(angle + (2 * Math.PI) / 3);
  return [small, 3 * mean - large - small, large];
}

function momentsInWords(moments: Moments): string {
  return MOMENTS.map((key) => `${key} ${moments[key] ?? 0}`).join(', ');
}
