/*
 * What engines other than MuJoCo are asked and say; `python/bindery/engines` reads and writes the same.
 */

/** A hinge or slide that is held and driven; radians or metres, and newton metres or newtons for each of them. */
export interface DrivenJoint {
  readonly name: string;
  readonly start: number;
  readonly target: number;
  readonly stiffness: number;
  readonly damping: number;
  /** Whether it is coupled to another one. */
  readonly follows: boolean;
}

export interface EngineTrial {
  /** Whether joints go to their targets, in half of the time, or stay where they start. */
  readonly isDriven: boolean;
  /** Whether there is a floor, and contacts with it. Parts of one model never touch each other. */
  readonly hasContacts: boolean;
  readonly seconds: number;
}

/** A model and its trials. Metres, kilograms, seconds. */
export interface EngineRequest {
  /** Whether the root of the URDF is free. */
  readonly floats: boolean;
  /** Bodies that weigh something. */
  readonly bodies: readonly string[];
  readonly joints: readonly DrivenJoint[];
  /** Free joints other than that of the root. */
  readonly floating: readonly string[];
  readonly gravity: readonly number[];
  /** The height of the floor, if there is one. */
  readonly floor: number | null;
  readonly timestep: number;
  readonly lookSeconds: number;
  /** A number that nothing reaches which moves. */
  readonly hugeValue: number;
  readonly trials: readonly EngineTrial[];
}

/** What happened in one trial. Energies are in joules. */
export interface Measured {
  /** When a number became huge or none, in seconds. */
  readonly broken: number | null;
  /** The most by which the energy grew beyond what the joints put in. */
  readonly gain: number;
  /** The largest kinetic energy. */
  readonly peak: number;
  /** Values of the joints, one look after the other. */
  readonly course: readonly (readonly number[])[];
  /** Centres of mass of the bodies when it ends; empty if it broke. */
  readonly centres: readonly (readonly number[])[];
}

/** Why an engine does not run a model; `isTransient`: it may another time. */
export interface Refused {
  readonly refused: string;
  readonly isTransient: boolean;
}

/** What an engine measured, with what it leaves out of the model; or why it does not run it. */
export type EngineAnswer =
  | { readonly losses: readonly string[]; readonly trials: readonly Measured[] }
  | Refused;
