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
