import type { LossList } from '../model/losses.ts';
import { lost, type Meaning, UNKNOWN_WORD, whyLost } from '../model/vocabulary.ts';
import { shownName } from './physics.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { numbersOf } from './values.ts';

/** What is done with properties of physics, by their names: `*` stands for an instance, `**` for the rest of a name. */
type Words = Readonly<Record<string, Meaning>>;

const AT_REST = lost('bodies begin at rest', '0 0 0', '0');
const NEVER_BREAKS = lost('joints never break', 'Infinity');
const ONE_SCENE = 'meaningless';
const SOLVER = 'meaningless';

const JOINT: Words = {
  'physics:body0': 'read',
  'physics:body1': 'read',
  'physics:localPos0': 'read',
  'physics:localRot0': 'read',
  'physics:localPos1': 'read',
  'physics:localRot1': 'read',
  'physics:jointEnabled': 'read',
  'physics:collisionEnabled': lost('bodies that a joint connects do not collide', 'false'),
  'physics:excludeFromArticulation': 'read',
  'physics:breakForce': NEVER_BREAKS,
  'physics:breakTorque': NEVER_BREAKS,
};
const AXIS: Words = {
  ...JOINT,
  'physics:axis': 'read',
  'physics:lowerLimit': 'read',
  'physics:upperLimit': 'read',
};
const CONE = lost('a ball turns without limits', '-1');
const DISTANCE = lost('the joint is kept fixed');

/** What UsdPhysics can say, by its schemas. */
const USD_PHYSICS: Readonly<Record<string, Words>> = {
  PhysicsScene: { 'physics:gravityDirection': 'read', 'physics:gravityMagnitude': 'read' },
  PhysicsRigidBodyAPI: {
    'physics:rigidBodyEnabled': 'read',
    'physics:kinematicEnabled': lost('it is kept as a body that does not move', 'false'),
    'physics:simulationOwner': ONE_SCENE,
    'physics:startsAsleep': lost('bodies are awake from the beginning', 'false'),
    'physics:velocity': AT_REST,
    'physics:angularVelocity': AT_REST,
  },
  PhysicsMassAPI: {
    'physics:mass': 'read',
    'physics:density': 'read',
    'physics:centerOfMass': 'read',
    'physics:diagonalInertia': 'read',
    'physics:principalAxes': 'read',
  },
  PhysicsCollisionAPI: { 'physics:collisionEnabled': 'read', 'physics:simulationOwner': ONE_SCENE },
  PhysicsMeshCollisionAPI: { 'physics:approximation': 'read' },
  PhysicsMaterialAPI: {
    'physics:density': 'read',
    'physics:dynamicFriction': 'read',
    'physics:staticFriction': 'read',
    'physics:restitution': lost('shapes have none', '0'),
  },
  PhysicsCollisionGroup: {
    'physics:filteredGroups': 'read',
    'physics:mergeGroup': 'read',
    'physics:invertFilteredGroups': 'read',
  },
  PhysicsFilteredPairsAPI: { 'physics:filteredPairs': 'read' },
  PhysicsArticulationRootAPI: {},
  PhysicsJoint: JOINT,
  PhysicsFixedJoint: JOINT,
  PhysicsRevoluteJoint: AXIS,
  PhysicsPrismaticJoint: AXIS,
  PhysicsSphericalJoint: {
    ...JOINT,
    'physics:axis': 'meaningless',
    'physics:coneAngle0Limit': CONE,
    'physics:coneAngle1Limit': CONE,
  },
  PhysicsDistanceJoint: { ...JOINT, 'physics:minDistance': DISTANCE, 'physics:maxDistance': DISTANCE },
  PhysicsLimitAPI: { 'limit:*:physics:low': 'read', 'limit:*:physics:high': 'read' },
  PhysicsDriveAPI: {
    'drive:*:physics:type': 'read',
    'drive:*:physics:maxForce': 'read',
    'drive:*:physics:targetPosition': 'read',
    'drive:*:physics:targetVelocity': 'read',
    'drive:*:physics:stiffness': 'read',
    'drive:*:physics:damping': 'read',
  },
};

const SOFT = lost('soft bodies, cloth, grains and fluids are not converted');
const HARD = lost('how hard contacts and limits are is for the simulator', '0', '-Infinity', 'false');
const SLIDING = lost('contacts resist only that shapes slide', '0', '0.005', '0.0001');
const AT_SURFACE = lost('shapes collide at their surface', '0', '-Infinity');
const SHELL = lost('bodies are filled', 'false', 'solid', '-Infinity');
const AS_PLACED = lost('bodies begin where the file has them, and at rest', '0');
const COUPLED = lost('couplings of joints do not give way', '0');
const MEDIUM = lost('bodies move in empty space', '0', '0 0 0');
const SWITCHED = lost('nothing of what a simulator does is switched off', 'true');
const COMBINED = lost('how two materials go together is for the simulator', 'average');

/** What the schemas of simulators add, on whichever prim. */
const SIMULATORS: Words = {
  'newton:gravityEnabled': 'read',
  'newton:timeStepsPerSecond': 'read',
  'newton:maxSolverIterations': SOLVER,
  'newton:xpbd:**': SOLVER,
  'newton:kamino:**': SOLVER,
  'newton:vbd:**': SOLVER,
  'newton:mpm:**': SOFT,
  'newton:curves**': SOFT,
  'newton:selfCollisionEnabled': 'read',
  'newton:jointsAddMobility': lost('joints only hold bodies', 'false'),
  'newton:armature': 'read',
  'newton:damping': 'read',
  'newton:friction': 'read',
  'newton:velocityLimit': 'read',
  'newton:limitStiffness': HARD,
  'newton:limitDamping': HARD,
  'newton:inertia': 'read',
  'newton:massModel': SHELL,
  'newton:shellThickness': SHELL,
  'newton:contactMargin': AT_SURFACE,
  'newton:contactGap': SOLVER,
  'newton:contactStiffness': HARD,
  'newton:contactDamping': HARD,
  'newton:contactFrictionGain': HARD,
  'newton:contactAdhesion': HARD,
  'newton:maxHullVertices': SOLVER,
  'newton:sdf**': SOLVER,
  'newton:hydroelasticEnabled': HARD,
  'newton:hydroelasticStiffness': SOLVER,
  'newton:torsionalFriction': SLIDING,
  'newton:rollingFriction': SLIDING,
  'newton:mimicEnabled': 'read',
  'newton:mimicJoint': 'read',
  'newton:mimicCoef0': 'read',
  'newton:mimicCoef1': 'read',
  'physics:masses': SOFT,
  'mjc:option:timestep': 'read',
  'mjc:option:wind': MEDIUM,
  'mjc:option:density': MEDIUM,
  'mjc:option:viscosity': MEDIUM,
  'mjc:option:**': SOLVER,
  'mjc:flag:gravity': 'read',
  'mjc:flag:contact': SWITCHED,
  'mjc:flag:limit': SWITCHED,
  'mjc:flag:equality': SWITCHED,
  'mjc:flag:frictionloss': SWITCHED,
  'mjc:flag:damper': SWITCHED,
  'mjc:flag:spring': SWITCHED,
  'mjc:flag:actuation': SWITCHED,
  'mjc:flag:**': SOLVER,
  'mjc:compiler:angle': lost('angles of MuJoCo are read in degrees', 'degree'),
  'mjc:compiler:**': SOLVER,
  'mjc:armature': 'read',
  'mjc:damping': 'read',
  'mjc:frictionloss': 'read',
  'mjc:stiffness': 'read',
  'mjc:springref': 'read',
  'mjc:actuatorfrcrange:*': 'read',
  'mjc:actuatorfrclimited': 'read',
  'mjc:actuatorgravcomp': lost('gravity is not compensated', 'false'),
  'mjc:ref': lost('joints are at zero where their frames agree', '0'),
  'mjc:springdamper': lost('springs are given by their stiffness', '0 0'),
  'mjc:margin': SOLVER,
  'mjc:gap': SOLVER,
  'mjc:priority': SOLVER,
  'mjc:sol**': SOLVER,
  'mjc:group': SOLVER,
  'mjc:maxhullvert': SOLVER,
  'mjc:condim': lost('contacts resist only that shapes slide', '3'),
  'mjc:shellinertia': SHELL,
  'mjc:inertia': lost('bodies are filled', 'legacy'),
  'mjc:torsionalfriction': SLIDING,
  'mjc:rollingfriction': SLIDING,
  'physxJoint:armature': 'read',
  'physxJoint:maxJointVelocity': 'read',
  'physxJoint:jointFriction': 'read',
  'physxJointAxis:*:armature': 'read',
  'physxJointAxis:*:maxJointVelocity': 'read',
  'physxJointAxis:*:dynamicFrictionEffort': 'read',
  'physxJointAxis:*:staticFrictionEffort': 'read',
  'physxJointAxis:*:viscousFrictionCoefficient': 'read',
  'physxMimicJoint:*:gearing': 'read',
  'physxMimicJoint:*:offset': 'read',
  'physxMimicJoint:*:referenceJoint': 'read',
  'physxMimicJoint:*:referenceJointAxis': 'meaningless',
  'physxMimicJoint:*:naturalFrequency': COUPLED,
  'physxMimicJoint:*:dampingRatio': COUPLED,
  'physxLimit:**': HARD,
  'physxPhysicsDistanceJoint:**': HARD,
  'physxDrivePerformanceEnvelope:**': lost('actuators are as strong at any speed', '0', 'Infinity'),
  'state:*:physics:position': AS_PLACED,
  'state:*:physics:velocity': AS_PLACED,
  'physxArticulation:enabledSelfCollisions': 'read',
  'physxArticulation:articulationEnabled': lost(
    'joints are the same in an articulation and out of it',
    'true',
  ),
  'physxArticulation:**': SOLVER,
  'physxScene:timeStepsPerSecond': lost('it is the step of PhysX'),
  'physxScene:invertCollisionGroupFilter': lost('groups are as UsdPhysics has them', 'false'),
  'physxScene:**': SOLVER,
  'physxSceneQuasistatic:**': SWITCHED,
  'physxRigidBody:disableGravity': lost('gravity acts on all bodies', 'false'),
  'physxRigidBody:linearDamping': MEDIUM,
  'physxRigidBody:angularDamping': MEDIUM,
  'physxRigidBody:maxLinearVelocity': lost('bodies are as fast as they become', 'Infinity'),
  'physxRigidBody:maxAngularVelocity': lost('bodies are as fast as they become', 'Infinity'),
  'physxRigidBody:lockedPosAxis': lost('bodies are only held by joints', '0'),
  'physxRigidBody:lockedRotAxis': lost('bodies are only held by joints', '0'),
  'physxRigidBody:enableGyroscopicForces': SWITCHED,
  'physxRigidBody:solveContact': SWITCHED,
  'physxRigidBody:maxContactImpulse': lost('contacts are as strong as they become', 'Infinity'),
  'physxRigidBody:**': SOLVER,
  'physxCollision:restOffset': AT_SURFACE,
  'physxCollision:torsionalPatchRadius': SLIDING,
  'physxCollision:minTorsionalPatchRadius': SLIDING,
  'physxCollision:contactOffset': SOLVER,
  'physxConvexHullCollision:**': SOLVER,
  'physxConvexDecompositionCollision:**': SOLVER,
  'physxTriangleMesh**': SOLVER,
  'physxSDFMeshCollision:**': SOLVER,
  'physxSphereFillCollision:**': SOLVER,
  'physxCookedData:**': SOLVER,
  'physxMaterial:frictionCombineMode': COMBINED,
  'physxMaterial:restitutionCombineMode': COMBINED,
  'physxMaterial:dampingCombineMode': COMBINED,
  'physxMaterial:compliantContact**': HARD,
  'physxMaterial:**': SOLVER,
  'physxContactReport:**': lost('contacts are not reported'),
  'physxTrigger:**': lost('triggers are not converted'),
  'physxForce:**': lost('nothing but joints and gravity moves bodies', '0 0 0', 'false'),
  'physxSurfaceVelocity:**': lost('surfaces do not move by themselves', '0 0 0', 'false'),
  'physxSplinesSurfaceVelocity:**': lost('surfaces do not move by themselves'),
  'physxTendon:**': lost('tendons are not converted'),
  'physxCharacterController:**': lost('characters are not converted'),
  'physxVehicle**': lost('vehicles are bodies and joints only'),
  'physxCamera:**': lost('cameras are not converted'),
  'physxFollow**': lost('cameras are not converted'),
  'physxDroneCamera:**': lost('cameras are not converted'),
  'physxParticle**': SOFT,
  'physxDiffuseParticles:**': SOFT,
  'physxPBDMaterial:**': SOFT,
  'physxDeformable**': SOFT,
  'physxAutoDeformable**': SOFT,
  'deformablePose:**': SOFT,
  'omniphysics:**': SOFT,
  'isaac**': lost('it is for Isaac Sim only'),
};

const ACTUATORS = lost('only the drives of joints are converted');
const CONSTRAINT = lost('of constraints only joints, and what they follow, are converted');
const COPIES = lost('bodies are not copied');

/** Prims and applied schemas that are lost as such, with all that they say. */
const WHOLE: Readonly<Record<string, Meaning>> = {
  NewtonActuator: ACTUATORS,
  MjcActuator: ACTUATORS,
  MjcKeyframe: lost('stored states are not converted'),
  MjcTendon: lost('tendons are not converted'),
  MjcSiteAPI: lost('marks on bodies are not converted'),
  NewtonSiteAPI: lost('marks on bodies are not converted'),
  MjcEqualityAPI: CONSTRAINT,
  MjcEqualityConnectAPI: CONSTRAINT,
  MjcEqualityWeldAPI: CONSTRAINT,
  MjcEqualityJointAPI: CONSTRAINT,
  PhysxPhysicsGearJoint: CONSTRAINT,
  PhysxPhysicsRackAndPinionJoint: CONSTRAINT,
  PhysxPhysicsInstancer: COPIES,
  PhysxPhysicsJointInstancer: COPIES,
  PhysxTriggerAPI: lost('triggers are not converted'),
  PhysxVehicleTireFrictionTable: lost('vehicles are bodies and joints only'),
  PhysxParticleSystem: SOFT,
  NewtonPointsDeformableSimAPI: SOFT,
  // These have no properties of their own.
  NewtonActuatorControlBaseAPI: 'meaningless',
  NewtonActuatorClampingBaseAPI: 'meaningless',
  PhysxMeshMergeCollisionAPI: 'meaningless',
  PhysxCameraFollowVelocityAPI: lost('cameras are not converted'),
};

const PHYSICAL = /^(?:physics|physx\w*|omniphysics|deformablePose|newton|mjc|drive|limit|state|isaac\w*):/;
const SCHEMA = /^(?:Physics|Physx|OmniPhysics|Newton|Mjc)/;
const NOT_APPLIED = lost('its schema is not applied to the prim');

/** Names what prims say of physics that the reader of a mechanism does not read. */
export function nameUnread(prims: Iterable<UsdPrim>, losses: LossList): void {
  for (const prim of prims) {
    const schemas = [prim.typeName, ...prim.schemas.map((schema) => schema.replace(/:.*/, ''))];
    const whole = schemas.filter((schema) => Object.hasOwn(WHOLE, schema));
    for (const schema of whole) lose(losses, schema, prim, WHOLE[schema] as Meaning, '');
    if (whole.includes(prim.typeName)) continue;
    if (SCHEMA.test(prim.typeName) && !Object.hasOwn(USD_PHYSICS, prim.typeName))
      lose(losses, prim.typeName, prim, UNKNOWN_WORD, '');
    for (const name of prim.properties)
      if (PHYSICAL.test(name)) lose(losses, name, prim, meaningOf(name, schemas), writtenValue(prim, name));
  }
}

function lose(losses: LossList, what: string, prim: UsdPrim, meaning: Meaning, value: string): void {
  const why = whyLost(meaning, value);
  if (why !== undefined) losses.add(what, shownName(prim), why);
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
  if (numbers !== undefined) return Array.from(numbers, (number) => number + 0).join(' ');
  return value === undefined ? '' : String(value);
}
