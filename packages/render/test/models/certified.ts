/** Small robots that are sound, and ones with a single fault, each with what must be found in it. */

export interface CertifiedModel {
  readonly what: string;
  readonly kind: 'mjcf' | 'urdf' | 'sdf';
  readonly text: string;
}

export interface FaultyModel extends CertifiedModel {
  readonly code: string;
  /** In the message that says it. */
  readonly says: RegExp;
}

const PLANE = '<geom name="floor" type="plane" size="5 5 .1"/>';

/** A model whose angles are radians. */
function mjcf(world: string, rest = '', option = ''): string {
  return `<mujoco><compiler angle="radian"/><option ${option}/>${rest}<worldbody>${world}</worldbody></mujoco>`;
}

interface Arm {
  readonly range?: string;
  readonly joint?: string;
  readonly geom?: string;
  readonly body?: string;
  readonly drive?: string;
  readonly rest?: string;
  readonly world?: string;
  readonly angle?: string;
}

/** Two links of 0.3 m and about 1 kg, which two servos hold. */
function arm({
  range = '-1.5 1.5',
  joint = '',
  geom = '',
  body = '',
  drive = [0, 1]
    .map((at) => `<position name="a${at}" joint="j${at}" kp="80" ctrlrange="-1.5 1.5" forcerange="-40 40"/>`)
    .join(''),
  rest = '',
  world = '',
  angle = 'radian',
}: Arm = {}): string {
  const link = (at: number, z: number, inside = '') =>
    `<body name="l${at}" pos="0 0 ${z}" ${body}><joint name="j${at}" axis="0 1 0" damping="2" armature=".02" range="${range}" ${joint}/>
      <geom name="g${at}" type="capsule" fromto="0 0 .04 0 0 .26" size=".03" ${geom}/>${inside}</body>`;
  return `<mujoco><compiler angle="${angle}"/><worldbody>${world}${link(0, 1, link(1, 0.3))}</worldbody>
    <actuator>${drive}</actuator>${rest}</mujoco>`;
}

/** A free box of 0.2 m above a ground. */
const block = (pos: string, attributes = '', inside = '') =>
  `<body name="block" pos="${pos}"><freejoint/><geom type="box" size=".1 .1 .1" mass="2" ${attributes}/>${inside}</body>`;
const APART = 'contype="2" conaffinity="2"';
const HILLS = `<asset><hfield name="h" nrow="3" ncol="3" size="5 5 .2 .1" elevation="0 0 0 0 .5 0 0 0 0"/></asset>`;
const SLAB = `<asset><mesh name="m" vertex="-4 -4 -.1 4 -4 -.1 -4 4 -.1 4 4 -.1 -4 -4 .1 4 -4 .1 -4 4 .1 4 4 .1"/></asset>`;

interface Robot {
  readonly mass?: string;
  readonly centre?: string;
  readonly limit?: string;
  readonly inertia?: string;
  readonly shape?: string;
  readonly collision?: string;
  readonly more?: string;
  readonly type?: string;
  readonly size?: number;
}

/** An arm of one link on a base, in URDF. */
function urdf({
  mass = '.8',
  centre = '0 0 .15',
  limit = 'lower="-1.5" upper="1.5" effort="20" velocity="3"',
  inertia = '.006',
  size = 1,
  shape = `<box size="${0.05 * size} ${0.05 * size} ${0.3 * size}"/>`,
  collision = shape,
  more = '',
  type = 'revolute',
}: Robot = {}): string {
  const shapes = (at: string, seen: string, hit: string) =>
    `<visual><origin xyz="${at}"/><geometry>${seen}</geometry></visual>${hit && `<collision><origin xyz="${at}"/><geometry>${hit}</geometry></collision>`}`;
  const base = `<box size="${0.2 * size} ${0.2 * size} ${0.2 * size}"/>`;
  return `<robot name="r"><link name="world"/><link name="base"><inertial><mass value="5"/><inertia ixx="${0.04 * size * size}" iyy="${0.04 * size * size}" izz="${0.04 * size * size}" ixy="0" ixz="0" iyz="0"/></inertial>${shapes('0 0 0', base, base)}</link>
    <link name="arm"><inertial><origin xyz="${centre}"/><mass value="${mass}"/><inertia ixx="${inertia}" iyy="${inertia}" izz="${inertia}" ixy="0" ixz="0" iyz="0"/></inertial>${shapes(`0 0 ${0.15 * size}`, shape, collision)}</link>
    <joint name="mount" type="fixed"><parent link="world"/><child link="base"/></joint>
    <joint name="swing" type="${type}"><origin xyz="0 0 ${0.12 * size}"/><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit ${limit}/><dynamics damping="1"/></joint>${more}</robot>`;
}

/** A torso that floats, with arms of light links whose joints are strong, and slow enough. */
function urdfHumanoid(): string {
  const link = (name: string, mass: number, length: number) => {
    const moment = (mass * length ** 2) / 12;
    return `<link name="${name}"><inertial><origin xyz="0 0 ${-length / 2}"/><mass value="${mass}"/><inertia ixx="${moment}" iyy="${moment}" izz="${moment / 8}" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="0 0 ${-length / 2}"/><geometry><box size="${length / 3} ${length / 3} ${length}"/></geometry></collision></link>`;
  };
  const chain = (side: number) => {
    let parent = 'torso';
    const parts = [
      ['shoulder_pitch', '0 1 0', 1.2, 0.08],
      ['shoulder_roll', '1 0 0', 0.9, 0.08],
      ['shoulder_yaw', '0 0 1', 0.8, 0.2],
      ['elbow', '0 1 0', 0.5, 0.08],
      ['wrist_yaw', '0 0 1', 0.3, 0.15],
      ['wrist_pitch', '0 1 0', 0.1, 0.05],
      ['finger', '0 1 0', 0.02, 0.05],
    ].map(([name, axis, mass, length], at, all) => {
      const child = `${name}_${side > 0 ? 'left' : 'right'}`;
      const origin = at === 0 ? `0 ${side * 0.25} 0` : `0 0 ${-Number(all[at - 1]?.[3])}`;
      const joint = `<joint name="${child}_joint" type="revolute"><origin xyz="${origin}"/><parent link="${parent}"/><child link="${child}"/><axis xyz="${axis}"/><limit lower="-.6" upper=".6" effort="80" velocity="5"/></joint>`;
      parent = child;
      return link(child, Number(mass), Number(length)) + joint;
    });
    return parts.join('');
  };
  return `<robot name="humanoid">${link('torso', 8, 0.5)}${chain(1)}${chain(-1)}</robot>`;
}

/** A cart with a pole in SDFormat. */
function sdf(limit: string, mass = '1', size = '.05 .05 .4'): string {
  const link = (name: string, pose: string, box: string, weight: string) =>
    `<link name="${name}"><pose>${pose}</pose><inertial><mass>${weight}</mass><inertia><ixx>.02</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>${box}</size></box></geometry></collision><visual name="v"><geometry><box><size>${box}</size></box></geometry></visual></link>`;
  return `<sdf version="1.9"><model name="cart">${link('base', '0 0 .5 0 0 0', '.3 .2 .1', '5')}${link('pole', '0 0 .8 0 0 0', size, mass)}
    <joint name="fix" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="tilt" type="revolute"><pose>0 0 -.2 0 0 0</pose><parent>base</parent><child>pole</child>
    <axis><xyz>0 1 0</xyz><limit>${limit}</limit><dynamics><damping>.5</damping></dynamics></axis></joint></model></sdf>`;
}

const SDF_LIMIT = '<lower>-1</lower><upper>1</upper><effort>10</effort><velocity>2</velocity>';

const fault = (
  what: string,
  code: string,
  says: RegExp,
  text: string,
  kind: CertifiedModel['kind'] = 'mjcf',
): FaultyModel => ({ what, code, says, text, kind });

export const FAULTY: readonly FaultyModel[] = [
  fault(
    'a block through a box',
    'falls-through-floor',
    /falls .* m, through slab/,
    mjcf(`<geom name="slab" type="box" size="5 5 .05"/>${block('0 0 .5', APART)}`),
  ),
  fault(
    'a block through hills',
    'falls-through-floor',
    /through hills/,
    mjcf(`<geom name="hills" type="hfield" hfield="h"/>${block('0 0 .8', APART)}`, HILLS),
  ),
  fault(
    'a block through a mesh',
    'falls-through-floor',
    /through plate/,
    mjcf(`<geom name="plate" type="mesh" mesh="m"/>${block('0 0 .5', APART)}`, SLAB),
  ),
  fault(
    'a block through a tilted plane',
    'falls-through-floor',
    /through slope/,
    mjcf(`<geom name="slope" type="plane" size="5 5 .1" euler="0 .3 0"/>${block('1 0 .9', APART)}`),
  ),
  fault(
    'a block through a tilted box',
    'falls-through-floor',
    /through ramp/,
    mjcf(`<geom name="ramp" type="box" size="5 5 .05" euler="0 .3 0"/>${block('0 0 .9', APART)}`),
  ),
  fault(
    'a block through a table onto the floor',
    'falls-through-floor',
    /through table/,
    mjcf(
      `${PLANE}<geom name="table" type="box" size=".5 .5 .02" pos="0 0 1" contype="4" conaffinity="4"/>${block('0 0 1.5')}`,
    ),
  ),
  fault(
    'a block through what is only seen',
    'falls-through-floor',
    /through deck/,
    mjcf(`<geom name="deck" type="box" size="5 5 .05" contype="0" conaffinity="0"/>${block('0 0 .5')}`),
  ),
  fault(
    'a block through an invisible box',
    'falls-through-floor',
    /through slab/,
    mjcf(`<geom name="slab" type="box" size="5 5 .05" rgba="1 1 1 0"/>${block('0 0 .5', APART)}`),
  ),
  fault(
    'a block through the cylinder that it stands on',
    'falls-through-floor',
    /through stand/,
    mjcf(`<geom name="stand" type="cylinder" size=".5 .2"/>${block('0 0 .31', APART)}`),
  ),
  fault(
    'limits of 10 radians',
    'limits-implausible',
    /-10 to 10 rad: are these degrees/,
    arm({ range: '-10 10' }),
  ),
  fault('limits of 90 radians', 'limits-implausible', /-90 to 90 rad/, arm({ range: '-90 90' })),
  fault(
    'limits of 180 radians in URDF',
    'limits-implausible',
    /-180 to 180 rad/,
    urdf({ limit: 'lower="-180" upper="180" effort="20" velocity="3"' }),
    'urdf',
  ),
  fault(
    'limits of 45 radians in SDFormat',
    'limits-implausible',
    /-45 to 45 rad/,
    sdf(SDF_LIMIT.replaceAll('1<', '45<')),
    'sdf',
  ),
  fault(
    'radians that are read as degrees',
    'limits-implausible',
    /radians read as degrees/,
    arm({ angle: 'degree' }),
  ),
  fault(
    'radians that were divided by 57 in URDF',
    'limits-implausible',
    /-0.0274 to 0.0274 rad/,
    urdf({ limit: 'lower="-.0274" upper=".0274" effort="20" velocity="3"' }),
    'urdf',
  ),
  fault(
    'a slide in millimetres',
    'limits-implausible',
    /0 to 200 m: are these millimetres/,
    mjcf(
      `<body><joint name="lift" type="slide" axis="0 0 1" range="0 200" damping="50"/><geom type="box" size=".1 .1 .05"/></body>`,
    ),
  ),
  fault(
    'reversed limits',
    'joint-limits-reversed',
    /j0 has its lower limit 1.5 above its upper -1.5/,
    arm({ range: '1.5 -1.5' }),
  ),
  fault(
    'reversed limits of a default in degrees',
    'joint-limits-reversed',
    /lower limit/,
    `<mujoco><default><default class="hip"><joint range="60 -60"/></default></default><worldbody><body childclass="hip"><joint name="hip" axis="0 1 0" damping="1"/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>`,
  ),
  fault(
    'reversed limits in URDF',
    'joint-limits-reversed',
    /the limits of .*swing.* are reversed: 1.5 is above -1.5/,
    urdf({ limit: 'lower="1.5" upper="-1.5" effort="20" velocity="3"' }),
    'urdf',
  ),
  fault(
    'reversed limits in SDFormat',
    'joint-limits-reversed',
    /the limits of .*tilt.* are reversed: 1 is above -1/,
    sdf('<lower>1</lower><upper>-1</upper><effort>10</effort>'),
    'sdf',
  ),
  fault(
    'effort 0 of a driven joint',
    'actuator-too-weak',
    /swing is driven, as fast as 3 a second, but its effort is 0/,
    urdf({ limit: 'lower="-1.5" upper="1.5" effort="0" velocity="3"' }),
    'urdf',
  ),
  fault(
    'effort 0 of a joint with a transmission',
    'actuator-too-weak',
    /its effort is 0/,
    urdf({
      limit: 'lower="-1.5" upper="1.5" effort="0" velocity="0"',
      more: '<transmission name="t"><joint name="swing"/></transmission>',
    }),
    'urdf',
  ),
  fault(
    'a servo that cannot hold its arm',
    'actuator-too-weak',
    /j0 takes up to .* N m .* has 1 N m at most/,
    arm({ drive: '<position name="a0" joint="j0" kp="80" ctrlrange="-1.5 1.5" forcerange="-1 1"/>' }),
  ),
  fault(
    'a gear that makes a servo too weak',
    'actuator-too-weak',
    /0.5 N m at most/,
    arm({
      drive: '<position name="a0" joint="j0" gear=".1" kp="800" ctrlrange="-.15 .15" forcerange="-5 5"/>',
    }),
  ),
  fault(
    'a joint whose actuators may hardly push',
    'actuator-too-weak',
    /0.2 N m at most/,
    arm({ joint: 'actuatorfrcrange="-.2 .2"' }),
  ),
  fault(
    'nothing that collides',
    'nothing-collides',
    /none of the 2 shapes/,
    arm({ geom: 'contype="0" conaffinity="0"' }),
  ),
  fault(
    'a mass in tonnes',
    'mass-implausible',
    /weighs 0.0008 kg in .* m³, which is 1.07 kg\/m³/,
    urdf({ mass: '.0008', inertia: '6e-6' }),
    'urdf',
  ),
  fault(
    'a mass in grams',
    'mass-implausible',
    /weighs 800 kg in/,
    urdf({ mass: '800', inertia: '6' }),
    'urdf',
  ),
  fault(
    'a mass of a feather in SDFormat',
    'mass-implausible',
    /pole weighs 0.001 kg/,
    sdf(SDF_LIMIT, '.001'),
    'sdf',
  ),
  fault(
    'a centre of mass beside its link',
    'mass-outside-shapes',
    /of arm is 1.2 m outside of its shapes, which are 0.308 m/,
    urdf({ centre: '0 0 1.5' }),
    'urdf',
  ),
  fault(
    'a centre of mass in millimetres',
    'mass-outside-shapes',
    /150 m outside|14\d m outside/,
    urdf({ centre: '0 0 150' }),
    'urdf',
  ),
  fault(
    'an arm of 600 m',
    'size-implausible',
    /m large: are its lengths in another unit/,
    mjcf(
      `<body name="boom"><joint axis="0 1 0" damping="1e9"/><geom type="capsule" fromto="0 0 0 0 0 600" size="20"/></body>`,
    ),
  ),
  fault(
    'an arm of 0.6 mm',
    'size-implausible',
    /0.000735 m large/,
    mjcf(
      `<body name="boom"><joint axis="0 1 0" damping="1e-12"/><geom type="box" size=".00015 .00015 .0003" density="7800"/></body>`,
    ),
  ),
  fault(
    'a keyframe outside of limits',
    'starts-outside-limits',
    /in keyframe high, j0 is at 1.8, outside of -1.5 to 1.5/,
    arm({ rest: '<keyframe><key name="high" qpos="1.8 0" ctrl="1.5 0"/></keyframe>' }),
  ),
  fault(
    'stiff springs that explode without damping',
    'simulation-unstable',
    /joints without damping and armature have some/,
    mjcf(
      `<body><joint axis="0 1 0" stiffness="1000"/><geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/></body>`,
      '',
      'integrator="Euler" timestep=".01"',
    ),
  ),
  fault(
    'a servo of the wrong sign',
    'actuator-misses-target',
    /told/,
    arm({ range: '-.2 1.5', drive: '<position name="a0" joint="j0" gear="-1" kp="80" ctrlrange="0 1.5"/>' }),
  ),
  fault(
    'a filtered servo without strength',
    'actuator-misses-target',
    /told/,
    arm({
      drive:
        '<position name="a0" joint="j1" kp="80" timeconst=".1" ctrlrange="-1.5 1.5" forcerange="-.001 .001"/>',
    }),
  ),
];

const sound = (what: string, text: string, kind: CertifiedModel['kind'] = 'mjcf'): CertifiedModel => ({
  what,
  text,
  kind,
});
const motors = (count: number, range: number) =>
  Array.from({ length: count }, (_, at) => `<motor joint="j${at}" ctrlrange="-${range} ${range}"/>`).join('');

const HUMANOID = (['left', 'right'] as const)
  .map((side) => {
    const y = side === 'left' ? 0.1 : -0.1;
    return `<body name="${side}_thigh" pos="0 ${y} -.2"><joint name="${side}_hip" axis="0 1 0" range="-1.5 .6" damping="4" armature=".03"/><geom type="capsule" fromto="0 0 -.05 0 0 -.35" size=".06"/>
      <body name="${side}_shank" pos="0 0 -.4"><joint name="${side}_knee" axis="0 1 0" range="0 2.2" damping="4" armature=".03"/><geom type="capsule" fromto="0 0 -.05 0 0 -.35" size=".045"/></body></body>
      <body name="${side}_arm" pos="0 ${2.4 * y} .2"><joint name="${side}_shoulder" axis="0 1 0" range="-2 1" damping="2" armature=".03"/><geom type="capsule" fromto="0 0 -.06 0 0 -.3" size=".04"/></body>`;
  })
  .join('');

export const SOUND: readonly CertifiedModel[] = [
  sound('an arm with servos', arm()),
  sound(
    'a pendulum without damping',
    mjcf(
      `<body pos="0 0 1"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".02" mass="1"/></body>`,
    ),
  ),
  sound(
    'a double pendulum with motors too weak to hold it',
    arm({ joint: 'limited="false"', drive: '<motor joint="j1" ctrlrange="-1 1"/>' }),
  ),
  sound(
    'a motor with a gear',
    arm({
      drive: '<motor joint="j0" gear="30" ctrlrange="-1 1"/><motor joint="j1" gear="10" ctrlrange="-1 1"/>',
    }),
  ),
  sound(
    'a servo of velocity whose activation is a position',
    arm({
      drive:
        '<intvelocity joint="j0" kp="80" actrange="-1.5 1.5" ctrlrange="-1 1"/><intvelocity joint="j1" kp="80" actrange="-1.5 1.5" ctrlrange="-1 1"/>',
    }),
  ),
  sound(
    'dampers',
    arm({ drive: '<damper joint="j0" kv="5" ctrlrange="0 1"/><damper joint="j1" kv="5" ctrlrange="0 1"/>' }),
  ),
  sound(
    'a cylinder beside a spring',
    arm({
      joint: 'stiffness="50"',
      drive: '<cylinder joint="j0" timeconst=".2" area="20" bias="0 -5 -1" ctrlrange="-1 1"/>',
    }),
  ),
  sound(
    'servos with slow filters',
    arm({
      drive:
        '<position joint="j0" kp="80" timeconst="2" ctrlrange="-1.5 1.5"/><position joint="j1" kp="80" timeconst="1" ctrlrange="-1.5 1.5"/>',
    }),
  ),
  sound(
    'servos told from 0 to 255',
    arm({
      drive: '<general joint="j0" biastype="affine" gainprm=".94" biasprm="-120 -80 -2" ctrlrange="0 255"/>',
    }),
  ),
  sound('servos of velocity', arm({ drive: '<velocity joint="j0" kv="20" ctrlrange="-1 1"/>' })),
  sound('an arm whose gravity is compensated', arm({ body: 'gravcomp="1"' })),
  sound(
    'an arm whose actuators compensate gravity',
    arm({ body: 'gravcomp="1"', joint: 'actuatorgravcomp="true"' }),
  ),
  sound('a compensated arm that motors raise', arm({ body: 'gravcomp="1"', drive: motors(2, 4) })),
  sound('a limit of a turn and a half', arm({ range: '-9.42 9.42', drive: motors(2, 4) })),
  sound(
    'a winch of ten turns',
    mjcf(
      `<body><joint axis="0 1 0" range="0 62.8319" damping="1"/><geom type="cylinder" size=".1 .05" euler="1.5708 0 0"/></body>`,
    ),
  ),
  sound(
    'a small tilting table',
    mjcf(
      `<body pos="0 0 1"><joint axis="1 0 0" range="-.1 .1" damping="1"/><geom type="box" size=".1 .1 .01" mass=".5"/><body><joint axis="0 1 0" range="-.1 .1" damping="1"/><geom type="box" size=".08 .08 .005" pos="0 0 .05" mass=".3"/></body></body>`,
    ),
  ),
  sound(
    'keys of four degrees',
    mjcf(
      [0, 1, 2]
        .map(
          (at) =>
            `<body pos="0 ${at * 0.03} 0"><joint axis="0 1 0" range="0 .0698132" stiffness="2" damping=".05"/><geom type="box" size=".07 .01 .01" pos=".07 0 0" mass=".05"/></body>`,
        )
        .join(''),
    ),
  ),
  sound(
    'a wheel that rolls down a plane',
    mjcf(
      `<geom type="plane" size="5 5 .1" euler="0 .3 0"/><body pos="0 0 .25"><freejoint/><geom type="cylinder" size=".2 .04" euler="1.5708 0 0" mass="3"/></body>`,
    ),
  ),
  sound(
    'a ball that rolls off a ramp',
    mjcf(
      `<geom type="box" size="1 1 .05" euler="0 .2 0"/><body pos="0 0 .2"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>`,
    ),
  ),
  sound('a block on a box', mjcf(`<geom type="box" size="5 5 .05"/>${block('0 0 .2')}`)),
  sound('a block on a mesh', mjcf(`<geom type="mesh" mesh="m"/>${block('0 0 .25')}`, SLAB)),
  sound('a block on hills', mjcf(`<geom type="hfield" hfield="h"/>${block('2 2 .3')}`, HILLS)),
  sound(
    'a block through a zone that is only seen',
    mjcf(
      `${PLANE}<geom type="sphere" size=".2" pos="0 0 1" contype="0" conaffinity="0" rgba="0 1 0 .2"/>${block('0 0 2')}`,
    ),
  ),
  sound(
    'a ring around a post',
    mjcf(
      `${PLANE}<geom type="cylinder" size=".02 .3" pos="0 0 .3"/><body pos="0 0 .8"><freejoint/>${[0, 1, 2, 3, 4, 5].map((at) => `<geom type="sphere" size=".03" pos="${0.1 * Math.cos(at)} ${0.1 * Math.sin(at)} 0" mass=".05"/>`).join('')}</body>`,
    ),
  ),
  sound(
    'ball joints with servos',
    mjcf(
      `<body pos="0 0 1"><joint name="b" type="ball" damping="1" range="0 1"/><geom type="capsule" fromto="0 0 -.05 0 0 -.3" size=".03"/></body>`,
      `<actuator>${['1 0 0', '0 1 0', '0 0 1'].map((gear) => `<position joint="b" gear="${gear} 0 0 0" kp="20" ctrlrange="-1 1"/>`).join('')}</actuator>`,
    ),
  ),
  sound(
    'a gripper with coupled fingers',
    mjcf(
      `<body pos="0 0 .3"><geom type="box" size=".05 .02 .02" mass=".5"/>${[1, -1].map((sign) => `<body pos="0 0 -.08"><joint name="f${sign}" type="slide" axis="${sign} 0 0" range="0 .04" damping="5" armature=".1"/><geom type="box" size=".005 .01 .04" pos="${sign * 0.02} 0 0" mass=".05"/></body>`).join('')}</body>`,
      '<equality><joint joint1="f-1" joint2="f1"/></equality><actuator><position joint="f1" kp="200" ctrlrange="0 .04" forcerange="-10 10"/></actuator>',
    ),
  ),
  sound(
    'a humanoid that a weld holds',
    mjcf(
      `${PLANE}<body name="torso" pos="0 0 1.5"><freejoint/><geom type="box" size=".1 .14 .2"/>${HUMANOID}</body>`,
      `<equality><weld body1="torso"/></equality><actuator>${['left', 'right'].flatMap((side) => [`<position joint="${side}_hip" kp="300" ctrlrange="-1.5 .6" forcerange="-120 120"/>`, `<position joint="${side}_knee" kp="300" ctrlrange="0 2.2" forcerange="-120 120"/>`, `<position joint="${side}_shoulder" kp="100" ctrlrange="-2 1" forcerange="-40 40"/>`]).join('')}</actuator>`,
    ),
  ),
  sound(
    'a sprung leg',
    mjcf(
      `${PLANE}<body pos="0 0 .6"><joint type="slide" axis="0 0 1" damping="1"/><geom type="box" size=".1 .1 .05" mass="4"/><body pos="0 0 -.1"><joint type="slide" axis="0 0 1" range="-.1 .2" stiffness="2000" damping="30"/><geom type="capsule" fromto="0 0 0 0 0 -.4" size=".02" mass=".3"/></body></body>`,
    ),
  ),
  sound(
    'a drone that hovers',
    mjcf(
      `${PLANE}<body name="drone" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .02" mass="1"/>${[0, 1, 2, 3].map((at) => `<site name="r${at}" pos="${at < 2 ? 0.1 : -0.1} ${at % 2 ? 0.1 : -0.1} 0"/>`).join('')}</body>`,
      `<actuator>${[0, 1, 2, 3].map((at) => `<motor site="r${at}" gear="0 0 1 0 0 0" ctrlrange="0 5"/>`).join('')}</actuator><keyframe><key name="hover" qpos="0 0 1 1 0 0 0" ctrl="2.4525 2.4525 2.4525 2.4525"/></keyframe>`,
    ),
  ),
  sound(
    'a beetle of 10 mm',
    mjcf(
      `${PLANE}<body pos="0 0 .0042"><freejoint/><geom type="ellipsoid" size=".005 .003 .002" density="600"/>${[1, -1].map((sign) => `<body pos="0 ${sign * 0.0028} 0"><joint axis="1 0 0" range="-.5 .5" damping="1e-8" armature="1e-11"/><geom type="capsule" fromto="0 ${sign * 0.0006} 0 0 ${sign * 0.003} -.003" size=".0004" density="1000"/></body>`).join('')}</body>`,
      '',
      'timestep=".0005"',
    ),
  ),
  sound(
    'a crane of 60 m',
    mjcf(
      `<body name="tower"><geom type="box" size="1.5 1.5 30" pos="0 0 30" mass="60000"/><body name="jib" pos="0 0 62"><joint name="slew" axis="0 0 1" damping="2e6"/><geom type="box" size="30 1 1" pos="15 0 0" mass="20000"/><body name="trolley" pos="4 0 -2"><joint name="travel" type="slide" axis="1 0 0" range="0 40" damping="2e4"/><geom type="box" size=".8 .8 .4" mass="1500"/></body></body></body>`,
      '<actuator><position joint="slew" kp="3e6" ctrlrange="-3 3" forcerange="-4e6 4e6"/><position joint="travel" kp="2e4" ctrlrange="0 40" forcerange="-4e4 4e4"/></actuator>',
    ),
  ),
  sound('an arm in URDF', urdf(), 'urdf'),
  sound(
    'a hanging sign in URDF that nothing drives',
    urdf({ limit: 'lower="-1.5" upper="1.5" effort="0" velocity="0"' }),
    'urdf',
  ),
  sound(
    'a wheel in URDF that turns without end',
    urdf({ type: 'continuous', limit: 'effort="5" velocity="20"', centre: '0 0 0.15' }),
    'urdf',
  ),
  sound(
    'a wrist in URDF with limits of 400 degrees',
    urdf({ limit: 'lower="-6.9813" upper="6.9813" effort="20" velocity="3"' }),
    'urdf',
  ),
  sound(
    'slow strong joints in URDF',
    urdf({ limit: 'lower="-1.5" upper="1.5" effort="2000" velocity=".2"' }),
    'urdf',
  ),
  sound('a humanoid in URDF', urdfHumanoid(), 'urdf'),
  sound('an aeroplane model of foam in URDF', urdf({ mass: '.01', inertia: '1e-4' }), 'urdf'),
  sound(
    'a gripper in URDF with a finger that follows',
    urdf({
      more: `<link name="tip"><inertial><mass value=".1"/><inertia ixx="2e-5" iyy="2e-5" izz="2e-5" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size=".04 .02 .02"/></geometry></collision></link>
    <joint name="follow" type="revolute"><origin xyz="0 0 .35"/><parent link="arm"/><child link="tip"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="0" velocity="3"/><mimic joint="swing" multiplier="-1"/></joint>`,
    }),
    'urdf',
  ),
  sound('a pole in SDFormat', sdf(SDF_LIMIT), 'sdf'),
  sound('a pole without limits in SDFormat', sdf('<lower>-1e16</lower><upper>1e16</upper>'), 'sdf'),
];
