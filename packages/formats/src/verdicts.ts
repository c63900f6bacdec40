import type { SimReady } from './model/sim-ready.ts';

/*
 * What programs that open models are asked and say of them, for those that ask and those that answer.
 */

/** Models of one asset to check, in a folder of this machine. Paths are relative to `root`. */
export interface ModelsToCheck {
  /** Those but MJCF and glTF are only simulated. */
  readonly format: 'mjcf' | 'gltf' | 'urdf' | 'sdf' | 'usd';
  readonly root: string;
  /** Size in bytes of each file of the asset, by path; no other file is read. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly entries: readonly string[];
  /** Files to read as pictures and conversions read them. */
  readonly files: readonly FileToRead[];
  /** Whether models of robots are simulated too. */
  readonly isSimulated?: boolean;
}

/** A file, and what it is read as: the kind of an asset that it opens, or the name of its format. */
export interface FileToRead {
  readonly file: string;
  readonly kind: string;
}

/** The findings in the models of an asset, or why the check could not be finished. */
export type ModelVerdict = ModelFindings | { readonly unfinished: string };

export interface ModelFindings {
  readonly issues: readonly ModelIssue[];
  /** Meshes that MJCF models place; empty for other formats. */
  readonly placed: readonly PlacedMesh[];
  /** What came of reading files. */
  readonly read: readonly ReadFile[];
  /** Of the models that no other one includes, if it was asked for. */
  readonly simulations: readonly ModelSimulation[];
  /** Models that could not be converted to MJCF, and why. */
  readonly unsimulated?: readonly { readonly file: string; readonly reason: string }[];
}

/** A problem of a model. */
export interface ModelIssue {
  readonly file: string;
  /** `note`: nothing is wrong with it, as far as can be told here. */
  readonly severity: 'error' | 'warning' | 'note';
  readonly message: string;
}

/** A mesh that a model in MJCF places. */
export interface PlacedMesh {
  readonly file: string;
  readonly name: string;
  /** The longest side of its bounding box as the model scales it, in metres. */
  readonly side: number;
}

/** What came of reading a file as pictures do. */
export interface ReadFile {
  readonly file: string;
  /** Why not all of it is drawn; `error`: nothing is. */
  readonly problem?: { readonly severity: 'error' | 'warning' | 'note'; readonly message: string };
  /** Of a mesh: the sides of its bounding box, in its own unit. */
  readonly sides?: readonly [x: number, y: number, z: number];
  /** Of a robot. */
  readonly faults?: readonly Fault[];
}

/** How a model behaves in MuJoCo: the same on every machine for the same bytes and version. */
export interface Simulation {
  readonly mujoco: string;
  /** In seconds. */
  readonly timestep: number;
  /** Absent if MuJoCo gave up. */
  readonly rest?: Course;
  /** Under random control; absent for a model without actuators, too. */
  readonly control?: Course;
  readonly problems: readonly SimulationProblem[];
  /** How fast it rested: this depends on the machine, and on what else it did. */
  readonly speed?: { readonly realTimeFactor: number; readonly millisecondsPerStep: number };
}

export interface Course {
  /** Simulated; shorter than asked for if the model broke down. */
  readonly seconds: number;
  /** Kinetic energy in joules, at equal distances in time. */
  readonly energy: readonly number[];
  /** When it ends. */
  readonly contacts: number;
}

export interface SimulationProblem {
  readonly code:
    | 'simulation-unstable'
    | 'simulation-gains-energy'
    | 'simulation-solver'
    | 'falls-through-floor'
    | 'nothing-below'
    | 'starts-in-collision'
    | 'starts-outside-limits'
    | 'joint-passes-limit'
    | 'actuator-misses-target'
    | 'actuator-too-weak'
    | 'keyframe-not-held'
    | 'inertia-implausible'
    | 'mass-implausible'
    | 'mass-outside-shapes'
    | 'size-implausible'
    | 'nothing-collides'
    | 'limits-implausible'
    | 'joint-limits-reversed'
    | 'gravity-unusual'
    | 'joint-unlike-twin';
  readonly message: string;
}

/** How a model of an asset behaved. */
export interface ModelSimulation extends Simulation {
  readonly file: string;
  /** What was left out when the model was converted to MJCF. */
  readonly losses?: readonly Loss[];
}

/** Something that is wrong with a model, and where. */
export interface Fault {
  readonly file: string;
  /** Counted from 1; absent where the format has no lines. */
  readonly line?: number;
  readonly message: string;
  /** What is physically impossible, or that bodies are no tree; absent where something else is wrong. */
  readonly of?: 'mass' | 'inertia' | 'limits' | 'tree';
}

/** Something that a conversion leaves out or changes. */
export interface Loss {
  /** What it is in the words of the format that has it: `tendon`, `equality`, `keyframe`, `sensor`, `plugin` … */
  readonly what: string;
  /** Names of those that are lost; empty if they have none. */
  readonly names: readonly string[];
  /** One clause that says why, or what it became. */
  readonly why: string;
}

/** One comparison of a model with what it became: `measured` is the largest difference, at most `bound` if it holds. */
export interface ProofLine {
  readonly what: string;
  readonly measured: number;
  readonly bound: number;
}

/** An asset whose files are on this machine. */
export interface StoredAsset {
  readonly kind: string;
  readonly format: string | undefined;
  readonly entry: string;
  /** Sizes of the asset's files in bytes, and their SHA-256, by path. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly hashes: ReadonlyMap<string, string>;
}

/** Why there is no result; `isTransient`: there may be one another time. */
export interface Refusal {
  readonly refused: string;
  readonly isTransient: boolean;
}

/** What was written of an asset that was converted: the file to open, and all files. */
export interface WrittenModel {
  readonly entry: string;
  readonly files: readonly string[];
  readonly losses: readonly Loss[];
  readonly proof: readonly ProofLine[];
}

/** How something is to stand in a scene. */
export interface Placement {
  /** What its bodies and joints are called after; no other part has it. */
  readonly name: string;
  /** Where its middle is, in metres: on the floor, or from the middle of what it stands on; beside the others if omitted. */
  readonly at?: readonly [x: number, y: number] | undefined;
  /** The name of an earlier part, on top of which it stands. */
  readonly on?: string | undefined;
  /** About the vertical axis, in degrees. */
  readonly turn: number;
  /** Resizes a mesh. Whoever gives 1 says that it is as large as it is. */
  readonly scale?: number | undefined;
}

/** Assets that are to stand together. */
export interface SceneToCompose {
  readonly parts: readonly (StoredAsset & Placement)[];
  /** The empty folder that the scene is written into. */
  readonly into: string;
}

/** Where a part stands, and the sides of the box around what is seen of it, in metres. */
export interface PlacedPart {
  readonly name: string;
  readonly at: readonly [x: number, y: number];
  /** How high above the floor it begins. */
  readonly height: number;
  readonly size: readonly [x: number, y: number, z: number];
}

/** What was written: `scene.xml` for MuJoCo and `scene.usdz`. */
export interface ComposedScene {
  readonly placed: readonly PlacedPart[];
  readonly losses: readonly Loss[];
  /** The version of MuJoCo in which the scene was simulated, and what was found. */
  readonly mujoco: string;
  readonly problems: readonly SimulationProblem[];
}

/** A mesh to make a prop of, in a folder of this machine. Paths are relative to `root`. */
export interface PropToMake extends SimReady {
  readonly name: string;
  readonly root: string;
  readonly entry: string;
  /** Size in bytes of each file of the mesh, by path; no other file is read. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The empty folder that the prop is written into. */
  readonly into: string;
}

export interface MadeProp {
  /** In kilograms. */
  readonly mass: number;
  /** The longest side in metres. */
  readonly side: number;
  /** How many convex parts collide. */
  readonly parts: number;
  /** Whether the mesh encloses a volume, whose inertia it has; otherwise that of its walls. */
  readonly isClosed: boolean;
  /** What was assumed, and what it cannot do: its unit, its mass, a stack that falls. */
  readonly warnings: readonly string[];
  /** The version of MuJoCo in which it was simulated. */
  readonly mujoco: string;
}
