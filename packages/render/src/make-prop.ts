import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Simulation } from '@bindery/formats';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { IDENTITY, translation } from '@bindery/formats/model/matrix';
import type { Body, Mechanism } from '@bindery/formats/model/mechanism';
import { WORLD } from '@bindery/formats/model/tree';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { writeModel } from './convert/convert.ts';
import { type PropMeasures, type PropOptions, readProp } from './convert/prop.ts';
import { createRendererContext } from './host/renderer-context.ts';
import { simulateFiles } from './simulate/simulate-files.ts';

/** A mesh to make a prop of, in a folder of this machine. Paths are relative to `root`. */
export interface PropToMake extends PropOptions {
  readonly root: string;
  readonly entry: string;
  /** Size in bytes of each file of the mesh, by path; no other file is read. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The empty folder that the prop is written into. */
  readonly into: string;
}

export interface MadeProp extends PropMeasures {
  /** Of MuJoCo, in which it was let fall. */
  readonly mujoco: string;
}

/** Where a prop has which format. Each has its own meshes, as MuJoCo reads no materials of OBJ. */
const MODELS = [
  { target: 'mjcf', folder: '', file: (name: string) => `${name}.xml` },
  { target: 'urdf', folder: 'urdf', file: (name: string) => `${name}.urdf` },
  { target: 'sdf', folder: 'sdf', file: (name: string) => `${name}.sdf` },
] as const;

/** What a prop may be if its author says so. */
const ODD: ReadonlySet<string> = new Set(['mass-implausible', 'size-implausible']);

/** Makes a rigid body of a mesh. @throws Unrenderable for a mesh that cannot be one, or that does not simulate. */
export async function makeProp({ root, entry, sizes, into, ...options }: PropToMake): Promise<MadeProp> {
  const source = { sizes, read: async (path: string) => new Uint8Array(await readFile(join(root, path))) };
  const { mechanism, measures } = await readProp(entry, options, createRendererContext(source));
  const { mujoco, problems } = await simulate(mechanism, measures.lowest);
  const [odd, wrong] = [true, false].map((isOdd) => problems.filter(({ code }) => ODD.has(code) === isOdd));
  const [problem] = wrong ?? [];
  if (problem !== undefined) throw new Unrenderable(`the prop does not simulate: ${problem.message}`);
  const warnings = [...measures.warnings, ...(odd ?? []).map(({ message }) => message)];
  for (const { target, folder, file } of MODELS) {
    const { entry: written, files } = await writeModel(mechanism, target);
    for (const [path, bytes] of files) {
      // Names the file that Gazebo opens, which is another one here.
      if (path === 'model.config') continue;
      const place = join(into, folder, path === written ? file(options.name) : path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes, { flag: 'wx' });
    }
  }
  return { ...measures, warnings, mujoco };
}

/** Lets a prop fall on a floor, and judges what happens as `library check --simulate` does. */
async function simulate(mechanism: Mechanism, lowest: number): Promise<Simulation> {
  const floor: Body = {
    name: WORLD,
    parent: undefined,
    pose: translation(0, 0, lowest - GAP),
    joints: [],
    inertial: undefined,
    shapes: [
      { name: 'floor', role: 'collision', pose: IDENTITY, form: { type: 'plane' }, material: undefined },
    ],
  };
  const files = await writeMjcf({ ...mechanism, bodies: [floor, ...mechanism.bodies] });
  return simulateFiles(files, MJCF_ENTRY);
}

/** How far above the floor a prop starts, in metres. */
const GAP = 0.001;
