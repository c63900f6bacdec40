import { expect, test } from 'vitest';
import { tellWords } from '../../../../test/tallies.ts';
import { type LOST_KINDS, LOST_TABLES } from '../../../formats/src/mjcf/lost-tables.ts';
import { memoryFiles } from '../../../formats/src/reading/asset-files.ts';
import { type ConversionTarget, convertModel, readModel } from '../../src/convert/convert.ts';
import { withMujoco } from '../../src/host/mujoco.ts';

const request = (text: string) => ({
  kind: 'mjcf',
  format: undefined,
  entry: 'a.xml',
  files: memoryFiles(new Map([['a.xml', new TextEncoder().encode(`<mujoco model="a">${text}</mujoco>`)]])),
});

const lossesOf = (losses: Awaited<ReturnType<typeof readModel>>['losses']) =>
  losses.map(({ what, names }) => [what, ...names].join(' '));

const lostIn = async (text: string) => lossesOf((await readModel(request(text))).losses);

const lostAs = async (text: string, target: ConversionTarget) =>
  lossesOf((await convertModel({ ...request(text), target })).losses);

const BODY =
  '<worldbody><body name="b" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom name="g" size="0.1"/></body></worldbody>';

/** What a mechanism is read of, and what decides how. */
const READ = `
  names opt qpos0 qpos_spring
  body_parentid body_jntadr body_jntnum body_pos body_quat body_mass body_inertia body_ipos body_iquat
  jnt_type jnt_qposadr jnt_dofadr jnt_bodyid jnt_pos jnt_axis jnt_stiffness jnt_limited jnt_actfrcrange jnt_actfrclimited
  jnt_actgravcomp
  dof_jntid dof_armature dof_damping dof_frictionloss
  geom_type geom_contype geom_conaffinity geom_bodyid geom_dataid geom_matid geom_group geom_size geom_pos geom_quat geom_rgba
  eq_type eq_obj1id eq_obj2id eq_objtype eq_active0 eq_data exclude_signature
  actuator_trntype actuator_trnid actuator_dyntype actuator_gaintype actuator_biastype actuator_gainprm actuator_biasprm
  actuator_gear actuator_ctrllimited actuator_ctrlrange actuator_forcelimited actuator_forcerange
  hfield_nrow hfield_ncol hfield_size hfield_data
  mesh_pos mesh_quat mesh_vert mesh_face mesh_texcoord mesh_facetexcoord
  mat_rgba mat_emission mat_shininess mat_metallic mat_roughness mat_texrepeat mat_texuniform
  tex_width tex_height tex_nchannel tex_data`
  .trim()
  .split(/\s+/);

/** Kinds of things that are lost whole: the beginnings of their tables. */
const WHOLE: Readonly<Record<keyof typeof LOST_KINDS, RegExp>> = {
  tendon: /^(?:tendon|ten|wrap)_/,
  keyframe: /^key_/,
  sensor: /^sensor_/,
  plugin: /^plugin(?:_|$)/,
  flex: /^flex(?:edge|vert)?_/,
  skin: /^skin_/,
  site: /^site_/,
  camera: /^cam_/,
  light: /^light_/,
  pair: /^pair_/,
  numeric: /^numeric_/,
  text: /^text_/,
  tuple: /^tuple_/,
};

/** What follows from the rest of a model, says where other tables begin, or is for MuJoCo's own viewer. */
const MEANINGLESS: readonly RegExp[] = [
  /^(?:constructor|buffer|signature|stat|vis|paths|names_map|flg_\w+)$/,
  /^n[A-Za-z0-9_]+$/,
  /^(?:name|tree|bvh|oct|M|B|D|efm0)_|^map[DM]2[DM]$/,
  /^(?:actuator|body|cam|eq|exclude|geom|hfield|jnt|key|light|mat|mesh|numeric|pair|sensor|site|skin|tendon|tex|tuple)$/,
  // Of actuators whose state, length or history counts, nothing is kept.
  /^actuator_(?:act\w+|acc0|length\w+|cranklength|history\w*|dynprm|group|\w+adr|\w+num|ctrlspec)$/,
  /^body_(?:bvh\w+|conaffinity|contype|margin|dof\w+|geom\w+|invweight0|rootid|weldid|treeid|sameframe|simple|subtreemass)$/,
  /^dof_(?:M0|Madr|bodyid|invweight0|length|parentid|simplenum|treeid)$/,
  /^geom_(?:aabb|rbound|sameframe)$/,
  /^jnt_(?:actuatorid|group)$/,
  /^mesh_(?:bvh|extrema|graph|normal|oct|poly|face|vert|texcoord|path|scale)\w*$/,
  /^(?:hfield|tex)_(?:adr|pathadr|colorspace)$/,
];

test('whatever MuJoCo compiles is read, lost by name or meaningless', async () => {
  const tables = await withMujoco(async ({ MjModel }) => Object.getOwnPropertyNames(MjModel.prototype));
  const lost = new Set<string>(
    Object.values(LOST_TABLES).flatMap((own) => own.map(({ table }) => String(table))),
  );
  const patterns = [...Object.values(WHOLE), ...MEANINGLESS];
  const isKnown = (table: string) =>
    READ.includes(table) || lost.has(table) || patterns.some((pattern) => pattern.test(table));
  const kindOf = (table: string) => {
    if (READ.includes(table)) return 'read';
    if (lost.has(table) || Object.values(WHOLE).some((pattern) => pattern.test(table))) return 'named';
    return isKnown(table) ? 'meaningless' : 'unknown';
  };
  tellWords('MJCF, tables of mjModel', tables.map(kindOf));
  expect(tables.length).toBeGreaterThan(500);
  expect(tables.filter((table) => !isKnown(table))).toEqual([]);
  expect([...READ, ...lost].filter((table) => !tables.includes(table))).toEqual([]);
});

test('a plain model loses nothing', async () => {
  expect(await lostIn(BODY)).toEqual([]);
});

const ODD = `
  <asset><texture name="sky" type="skybox" builtin="flat" width="4" height="4"/><material name="m" reflectance="0.5" texuniform="true"/></asset>
  <worldbody>
    <body pos="0 0 1" gravcomp="1"><joint type="ball" range="0 40" limited="true" margin="0.1"/><geom size="0.1" fluidshape="ellipsoid"/>
      <body pos="0.3 0 0"><joint axis="0 1 0" damping="0.1 0.5" stiffness="2 9" actuatorfrcrange="-2 1" actuatorgravcomp="true"
          range="-9 9" solreflimit="0.03 1" solimplimit="0.8 0.9 0.01" frictionloss="1" solreffriction="0.04 1" solimpfriction="0.5 0.9"/>
        <geom size="0.1" condim="6" friction="1 0.1 0.2" margin="0.01" gap="0.01" solref="0.01 1" solimp="0.5 0.9" solmix="2" priority="1"/>
        <site/><camera/><light/></body>
    </body>
    <body mocap="true" pos="1 0 0"><geom size="0.1" contype="2" conaffinity="2"/><geom size="0.1" group="4" contype="0" conaffinity="0"/></body>
  </worldbody>
  <tendon><fixed><joint joint="joint" coef="1"/></fixed></tendon>
  <equality><joint joint1="joint" polycoef="0 1 1"/><weld body1="body"/></equality>
  <contact><pair geom1="geom" geom2="other"/></contact>
  <actuator>
    <muscle joint="joint" lengthrange="0 1"/><cylinder joint="joint"/><intvelocity joint="joint" actrange="0 1"/><adhesion body="body" ctrlrange="0 1"/>
    <general joint="joint" dyntype="filter" dynprm="1" gainprm="2" armature="0.1"/><general joint="joint" biastype="affine" gainprm="3" biasprm="0 -6 0"/>
  </actuator>
  <sensor><jointpos joint="joint"/></sensor><keyframe><key time="1"/></keyframe>
  <custom><numeric name="n" data="1"/><text name="t" data="x"/></custom>`
  .replace('<joint axis', '<joint name="joint" axis')
  .replace('<body pos="0.3 0 0">', '<body name="body" pos="0.3 0 0">')
  .replace('<geom size="0.1" condim', '<geom name="geom" size="0.1" condim')
  .replace('<geom size="0.1" contype="2"', '<geom name="other" size="0.1" contype="2"');

test('what has no name is lost by its kind and number', async () => {
  expect(await lostIn(ODD)).toEqual([
    'tendon tendon_0',
    'keyframe keyframe_0',
    'sensor sensor_0',
    'site site_0',
    'camera camera_0',
    'light light_0',
    'pair pair_0',
    'numeric n',
    'text t',
    'mocap body_3',
    'gravcomp body_1',
    'joint/@stiffness joint',
    'joint/@range joint_0',
    'joint/@margin joint_0',
    'joint/@solreflimit joint',
    'joint/@solimplimit joint',
    'joint/@damping joint',
    'joint/@solreffriction joint',
    'joint/@solimpfriction joint',
    'geom/@condim geom',
    'geom/@friction geom',
    'geom/@margin geom',
    'geom/@gap geom',
    'geom/@solref geom',
    'geom/@solimp geom',
    'geom/@solmix geom',
    'geom/@priority geom',
    'geom/@fluidshape geom_0',
    'actuator/@armature actuator_4',
    'material/@reflectance m',
    'texture/@type sky',
    'joint/@actuatorfrcrange joint',
    'joint/@actuatorgravcomp joint',
    'material/@texuniform m',
    'equality equality_0 equality_1',
    'actuator actuator_0 actuator_1 actuator_2 actuator_3',
    'actuator actuator_4',
    'actuator actuator_5',
    'geom geom_3',
    'contype geom_0 geom other',
  ]);
});

test.each([
  ['wind="3 0 0"', 'option/@wind 3 0 0'],
  ['density="1000" viscosity="0.1"', 'option/@density 1000', 'option/@viscosity 0.1'],
  ['integrator="RK4"', 'option/@integrator rk4'],
  ['cone="elliptic" impratio="10"', 'option/@cone elliptic', 'option/@impratio 10'],
  ['magnetic="0 0 1"', 'option/@magnetic 0 0 1'],
  [
    'solver="CG" jacobian="sparse" iterations="7"',
    'option/@jacobian sparse',
    'option/@solver cg',
    'option/@iterations 7',
  ],
  ['noslip_iterations="3" o_margin="0.1"', 'option/@o_margin 0.1', 'option/@noslip_iterations 3'],
  ['actuatorgroupdisable="2"', 'option/@disableactuator 4'],
])('the option %s is lost with its value', async (option, ...lost) => {
  expect(await lostIn(`<option ${option}/>${BODY}`)).toEqual(lost);
});

test('flags that switch off what acts on bodies are lost by name, and without gravity there is none', async () => {
  const flags =
    '<option><flag contact="disable" limit="disable" override="enable" gravity="disable"/></option>';
  const { losses, physics } = await readModel(request(flags + BODY));
  expect(lossesOf(losses)).toEqual(['flag/@limit disable', 'flag/@contact disable', 'flag/@override enable']);
  expect(physics).toEqual({ gravity: [0, 0, 0], timestep: undefined });
});

test('gravity and timestep are kept by MuJoCo, and lost with their values by formats that have none', async () => {
  const text = `<option gravity="0 0 -1.62" timestep="0.0005"/>${BODY}`;
  const { physics } = await readModel(request(text));
  expect(physics).toEqual({ gravity: [0, 0, -1.62], timestep: 0.0005 });
  for (const target of ['urdf', 'sdf'] as const)
    expect(await lostAs(text, target)).toEqual(
      expect.arrayContaining(['gravity 0 0 -1.62', 'timestep 0.0005']),
    );
  // A stage of USD has gravity.
  expect(await lostAs(text, 'usd')).toEqual(['timestep 0.0005']);
  const { files, entry } = await convertModel({ ...request(text), target: 'mjcf' });
  expect(new TextDecoder().decode(files.get(entry))).toContain(
    '<option timestep="0.0005" gravity="0 0 -1.62"/>',
  );
});

test('bodies that are nested as deep as MuJoCo reads them are converted', async () => {
  const body = '<body pos="0.1 0 0"><joint axis="0 1 0"/><geom size="0.01"/>';
  const text = `<worldbody>${body.repeat(300)}${'</body>'.repeat(300)}</worldbody>`;
  expect((await readModel(request(text))).bodies).toHaveLength(300);
});
