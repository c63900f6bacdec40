import type { LossList } from '../model/losses.ts';
import { lost, type Meaning, UNKNOWN_WORD, whyLost } from '../model/vocabulary.ts';
import { shownName } from './physics.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { numbersOf } from './values.ts';

/** What is done with properties of physics, by their names: `*` stands for an instance, `**` for the rest of a name. */
type Words = Readonly<Record<string, Meaning>>;

/** The same meaning for several properties of a namespace. */
function all(meaning: Meaning, namespace: string, names: string): Words {
  return Object.fromEntries(names.split(/\s+/).map((name) => [`${namespace}${name}`, meaning]));
}

const AT_REST = lost('bodies begin at rest', '0 0 0');
const CONE = lost('a ball turns without limits', '-1');
const SOLVER: Meaning = 'meaningless';

const JOINT: Words = {
  ...all('read', 'physics:', 'body0 body1 localPos0 localRot0 localPos1 localRot1 jointEnabled'),
  'physics:excludeFromArticulation': 'read',
  'physics:collisionEnabled': lost('bodies that a joint connects do not collide', 'false'),
  ...all(lost('joints never break', 'Infinity'), 'physics:', 'breakForce breakTorque'),
};
const AXIS: Words = { ...JOINT, ...all('read', 'physics:', 'axis lowerLimit upperLimit') };

/** What UsdPhysics can say, by its schemas. */
const USD_PHYSICS: Readonly<Record<string, Words>> = {
  PhysicsScene: all('read', 'physics:', 'gravityDirection gravityMagnitude'),
  PhysicsRigidBodyAPI: {
    'physics:rigidBodyEnabled': 'read',
    'physics:kinematicEnabled': lost('it is kept as a body that does not move', 'false'),
    // There is one scene: others are named.
    'physics:simulationOwner': 'meaningless',
    'physics:startsAsleep': lost('bodies are awake from the beginning', 'false'),
    ...all(AT_REST, 'physics:', 'velocity angularVelocity'),
  },
  PhysicsMassAPI: all('read', 'physics:', 'mass density centerOfMass diagonalInertia principalAxes'),
  PhysicsCollisionAPI: { 'physics:collisionEnabled': 'read', 'physics:simulationOwner': 'meaningless' },
  PhysicsMeshCollisionAPI: { 'physics:approximation': 'read' },
  PhysicsMaterialAPI: {
    ...all('read', 'physics:', 'density dynamicFriction staticFriction'),
    'physics:restitution': lost('shapes do not bounce', '0'),
  },
  PhysicsCollisionGroup: all('read', 'physics:', 'filteredGroups mergeGroup invertFilteredGroups'),
  PhysicsFilteredPairsAPI: { 'physics:filteredPairs': 'read' },
  PhysicsArticulationRootAPI: {},
  PhysicsJoint: JOINT,
  PhysicsFixedJoint: JOINT,
  PhysicsRevoluteJoint: AXIS,
  PhysicsPrismaticJoint: AXIS,
  PhysicsSphericalJoint: {
    ...JOINT,
    'physics:axis': 'meaningless',
    ...all(CONE, 'physics:', 'coneAngle0Limit coneAngle1Limit'),
  },
  PhysicsDistanceJoint: {
    ...JOINT,
    ...all(lost('the joint is kept fixed'), 'physics:', 'minDistance maxDistance'),
  },
  PhysicsLimitAPI: all('read', 'limit:*:physics:', 'low high'),
  PhysicsDriveAPI: all(
    'read',
    'drive:*:physics:',
    'type maxForce targetPosition targetVelocity stiffness damping',
  ),
};

const SOFT = lost('soft bodies, cloth, grains and fluids are not converted');
const HARD = lost('how hard contacts and limits are is for the simulator', '0', '-Infinity', 'false');
const SLIDING = lost('contacts only resist that shapes slide', '0', '0.005', '0.0001', '3');
const AT_SURFACE = lost('shapes collide at their surface', '0', '-Infinity');
const FILLED = lost('bodies are filled', 'false', 'solid', '-Infinity', 'legacy');
const AS_PLACED = lost('bodies begin where the file has them, and at rest', '0');
const COUPLED = lost('couplings of joints do not give way', '0');
const NOTHING_ELSE = lost(
  'nothing but gravity and joints moves bodies, or slows them',
  '0',
  '0 0 0',
  'false',
);
const AS_FAST = lost('bodies are as fast, and contacts as strong, as they become', 'Infinity');
const SWITCHED = lost('nothing of what simulators do is switched off', 'true');
const COMBINED = lost('how two materials go together is for the simulator', 'average');
const ACTUATORS = lost('only the drives of joints are converted');
const CONSTRAINT = lost('of constraints only joints, and what they follow, are converted');
const CAMERAS = lost('cameras are not converted');

/** What the schemas of simulators add, on whichever prim. */
const SIMULATORS: Words = {
  ...all('read', 'newton:', 'gravityEnabled timeStepsPerSecond selfCollisionEnabled inertia'),
  ...all('read', 'newton:', 'armature damping friction velocityLimit'),
  ...all('read', 'newton:', 'mimicEnabled mimicJoint mimicCoef0 mimicCoef1'),
  ...all(SOLVER, 'newton:', 'maxSolverIterations xpbd:** kamino:** vbd:** maxHullVertices contactGap sdf**'),
  ...all(SOFT, 'newton:', 'mpm:** curves**'),
  ...all(HARD, 'newton:', 'limitStiffness limitDamping contactStiffness contactDamping contactFrictionGain'),
  ...all(HARD, 'newton:', 'contactAdhesion hydroelasticEnabled'),
  'newton:hydroelasticStiffness': SOLVER,
  'newton:jointsAddMobility': lost('joints only hold bodies', 'false'),
  ...all(FILLED, 'newton:', 'massModel shellThickness'),
  'newton:contactMargin': AT_SURFACE,
  ...all(SLIDING, 'newton:', 'torsionalFriction rollingFriction'),
  ...all(ACTUATORS, 'newton:', 'targets delaySteps constEffort kp kd ki integralMax modelPath maxEffort'),
  ...all(ACTUATORS, 'newton:', 'maxMotorEffort saturationEffort lookupPositions lookupEfforts'),
  'physics:masses': SOFT,

  ...all('read', 'mjc:', 'option:timestep flag:gravity armature damping frictionloss stiffness springref'),
  ...all('read', 'mjc:', 'actuatorfrclimited actuatorfrcrange:min actuatorfrcrange:max'),
  ...all(NOTHING_ELSE, 'mjc:', 'option:wind option:density option:viscosity actuatorgravcomp'),
  ...all(SWITCHED, 'mjc:flag:', 'contact limit equality frictionloss damper spring actuation'),
  ...all(SOLVER, 'mjc:', 'option:** flag:** compiler:** margin gap priority sol** group maxhullvert'),
  'mjc:compiler:angle': lost('angles of MuJoCo are read in degrees', 'degree'),
  'mjc:ref': lost('joints are at zero where their frames agree', '0'),
  'mjc:springdamper': lost('springs are given by their stiffness', '0 0'),
  ...all(FILLED, 'mjc:', 'shellinertia inertia'),
  ...all(SLIDING, 'mjc:', 'condim torsionalfriction rollingfriction'),
  ...all(CONSTRAINT, 'mjc:', 'target torqueScale coef0 coef1 coef2 coef3 coef4'),

  ...all('read', 'physxJoint:', 'armature maxJointVelocity jointFriction'),
  ...all('read', 'physxJointAxis:*:', 'armature maxJointVelocity dynamicFrictionEffort staticFrictionEffort'),
  'physxJointAxis:*:viscousFrictionCoefficient': 'read',
  ...all('read', 'physxMimicJoint:*:', 'gearing offset referenceJoint'),
  'physxMimicJoint:*:referenceJointAxis': 'meaningless',
  ...all(COUPLED, 'physxMimicJoint:*:', 'naturalFrequency dampingRatio'),
  ...all(HARD, 'physxLimit:*:', 'stiffness damping restitution bounceThreshold'),
  ...all(HARD, 'physxPhysicsDistanceJoint:', 'springEnabled springStiffness springDamping'),
  'physxDrivePerformanceEnvelope:**': lost('actuators are as strong at any speed', '0', 'Infinity'),
  ...all(AS_PLACED, 'state:*:physics:', 'position velocity'),
  'physxArticulation:enabledSelfCollisions': 'read',
  'physxArticulation:articulationEnabled': SWITCHED,
  ...all(SOLVER, 'physxArticulation:', 'solverPositionIterationCount solverVelocityIterationCount'),
  ...all(SOLVER, 'physxArticulation:', 'sleepThreshold stabilizationThreshold'),
  'physxScene:timeStepsPerSecond': lost('it is the step of PhysX'),
  'physxScene:invertCollisionGroupFilter': lost('groups are as UsdPhysics has them', 'false'),
  'physxScene:**': SOLVER,
  'physxSceneQuasistatic:**': SWITCHED,
  ...all(
    NOTHING_ELSE,
    'physxRigidBody:',
    'disableGravity linearDamping angularDamping lockedPosAxis lockedRotAxis',
  ),
  ...all(AS_FAST, 'physxRigidBody:', 'maxLinearVelocity maxAngularVelocity maxContactImpulse'),
  ...all(SWITCHED, 'physxRigidBody:', 'enableGyroscopicForces solveContact'),
  ...all(
    SOLVER,
    'physxRigidBody:',
    'solverPositionIterationCount solverVelocityIterationCount sleepThreshold',
  ),
  ...all(
    SOLVER,
    'physxRigidBody:',
    'stabilizationThreshold enableCCD enableSpeculativeCCD retainAccelerations',
  ),
  ...all(SOLVER, 'physxRigidBody:', 'cfmScale contactSlopCoefficient maxDepenetrationVelocity'),
  ...all(AT_SURFACE, 'physxCollision:', 'restOffset'),
  ...all(SLIDING, 'physxCollision:', 'torsionalPatchRadius minTorsionalPatchRadius'),
  'physxCollision:contactOffset': SOLVER,
  ...all(SOLVER, 'physx', 'ConvexHullCollision:** ConvexDecompositionCollision:** TriangleMesh**'),
  ...all(SOLVER, 'physx', 'SDFMeshCollision:** SphereFillCollision:** CookedData:**'),
  ...all(COMBINED, 'physxMaterial:', 'frictionCombineMode restitutionCombineMode dampingCombineMode'),
  ...all(HARD, 'physxMaterial:', 'compliantContactStiffness compliantContactDamping'),
  'physxMaterial:compliantContactAccelerationSpring': HARD,
  'physxMaterial:improvePatchFriction': SOLVER,
  ...all(NOTHING_ELSE, 'physx', 'Force:** SurfaceVelocity:** SplinesSurfaceVelocity:**'),
  ...all(lost('contacts are not reported'), 'physx', 'ContactReport:** Trigger:**'),
  'physxTendon:**': lost('tendons are not converted'),
  'physxCharacterController:**': lost('characters are not converted'),
  'physxVehicle**': lost('vehicles are bodies and joints only'),
  ...all(CAMERAS, 'physx', 'Camera:** Follow** DroneCamera:**'),
  ...all(SOFT, 'physx', 'Particle** DiffuseParticles:** PBDMaterial:** Deformable** AutoDeformable**'),
  ...all(SOFT, '', 'deformablePose:** omniphysics:**'),
  'isaac**': lost('it is for Isaac Sim only'),
};

const MARK = lost('marks on bodies are not converted');

/** Prims and applied schemas that are lost as such. What such a prim says is not named again. */
const WHOLE: Words = {
  ...all(ACTUATORS, '', 'NewtonActuator MjcActuator'),
  ...all(MARK, '', 'MjcSiteAPI NewtonSiteAPI'),
  ...all(CONSTRAINT, '', 'MjcEqualityAPI MjcEqualityConnectAPI MjcEqualityWeldAPI MjcEqualityJointAPI'),
  ...all(CONSTRAINT, '', 'PhysxPhysicsGearJoint PhysxPhysicsRackAndPinionJoint'),
  ...all(lost('bodies are not copied'), '', 'PhysxPhysicsInstancer PhysxPhysicsJointInstancer'),
  ...all(SOFT, '', 'PhysxParticleSystem NewtonPointsDeformableSimAPI OmniPhysics**'),
  MjcKeyframe: lost('stored states are not converted'),
  MjcTendon: lost('tendons are not converted'),
  PhysxTriggerAPI: lost('contacts are not reported'),
  PhysxVehicleTireFrictionTable: lost('vehicles are bodies and joints only'),
  PhysxCameraFollowVelocityAPI: CAMERAS,
  // What these say is in other schemas.
  ...all('meaningless', '', 'NewtonActuatorControlBaseAPI NewtonActuatorClampingBaseAPI'),
  PhysxMeshMergeCollisionAPI: 'meaningless',
};

const PHYSICAL = /^(?:physics|physx\w*|omniphysics|deformablePose|newton|mjc|drive|limit|state|isaac\w*):/;
const SCHEMA = /^(?:Physics|Physx|OmniPhysics|Newton|Mjc)/;
/** Applied schemas of simulators, which say nothing but properties. */
const BY_PROPERTIES = /^(?:Physx|Newton|Mjc)\w+API$|^PhysicsJointStateAPI$/;
const NOT_APPLIED = lost('its schema is not applied to the prim');

/** Names what prims say of physics that the reader of a mechanism does not read. */
export function nameUnread(prims: Iterable<UsdPrim>, losses: LossList): void {
  for (const prim of prims) {
    const lose = (what: string, meaning: Meaning, value: string) => {
      const why = whyLost(meaning, value);
      if (why !== undefined) losses.add(what, shownName(prim), why);
    };
    const applied = prim.schemas.map((schema) => schema.replace(/:.*/, ''));
    for (const schema of [prim.typeName, ...applied]) lose(schema, meaningOfSchema(schema), '');
    if (wordIn(WHOLE, prim.typeName) !== undefined) continue;
    for (const name of prim.properties)
      if (PHYSICAL.test(name) && says(prim, name))
        lose(name, meaningOf(name, [prim.typeName, ...applied]), writtenValue(prim, name));
  }
}

function says(prim: UsdPrim, property: string): boolean {
  return prim.value(property) !== undefined || prim.targets(property).length > 0;
}

/** What is done with a type of prims, or an applied schema, as such. */
export function meaningOfSchema(schema: string): Meaning {
  const isKnown = !SCHEMA.test(schema) || Object.hasOwn(USD_PHYSICS, schema) || BY_PROPERTIES.test(schema);
  return wordIn(WHOLE, schema) ?? (isKnown ? 'read' : UNKNOWN_WORD);
}

/** What is done with a property of a prim with these schemas. */
export function meaningOf(property: string, schemas: readonly string[]): Meaning {
  for (const schema of schemas) {
    const meaning = Object.hasOwn(USD_PHYSICS, schema) && wordIn(USD_PHYSICS[schema] as Words, property);
    if (meaning) return meaning;
  }
  const added = wordIn(SIMULATORS, property);
  if (added !== undefined) return added;
  const isKnown = Object.values(USD_PHYSICS).some((words) => wordIn(words, property) !== undefined);
  return isKnown ? NOT_APPLIED : UNKNOWN_WORD;
}

/** The meaning of a property: by its whole name, by what it is an instance of, or by how it begins. */
function wordIn(words: Words, property: string): Meaning | undefined {
  const instance = property.replace(/:[^:]+/, ':*');
  const exact = [property, instance].find((name) => Object.hasOwn(words, name));
  const found =
    exact ?? Object.keys(words).find((word) => word.endsWith('**') && property.startsWith(word.slice(0, -2)));
  return found === undefined ? undefined : words[found];
}

/** A value as a vocabulary has it: numbers with spaces in between. */
function writtenValue(prim: UsdPrim, property: string): string {
  const value = prim.value(property);
  const numbers = typeof value === 'object' ? numbersOf(value) : undefined;
  if (numbers !== undefined) return Array.from(numbers, shortened).join(' ');
  return typeof value === 'number' ? shortened(value) : String(value ?? '');
}

/** A number without what is left of single precision. */
function shortened(number: number): string {
  return String(Number(number.toPrecision(6)) + 0);
}
