import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertifiedModel } from '../certify-asset.ts';
import type { EngineTask } from './prepare.ts';
import { type EngineLimits, howToInstallEngine, runEngine } from './run.ts';
import { type EngineFinding, type EngineRun, judgeEngine } from './verdict.ts';

/** Engines that simulate beside MuJoCo. */
export interface Engines extends EngineLimits {
  /** By their names; empty for one that is not installed. */
  readonly versions: ReadonlyMap<string, string>;
}

/** A certified model, and what engines are to do with it, or why none gets it. */
export interface CertifiedForEngines extends CertifiedModel {
  readonly task?: EngineTask | { readonly refused: string };
}

/** Adds to the certification of a model what engines make of it, one after the other. `certify` writes the model for them. */
export async function inEngines<Refused extends { readonly refused: string }>(
  engines: Engines,
  certify: (folder: string) => Promise<CertifiedForEngines | Refused>,
  signal: AbortSignal,
): Promise<CertifiedModel | Refused> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-engines-'));
  try {
    const certified = await certify(folder);
    if ('refused' in certified) return certified;
    const { task = { refused: 'it is not prepared' }, certification, ...rest } = certified;
    const runs: EngineRun[] = [];
    for (const [name, version] of engines.versions)
      runs.push({ name, version, ...(await find({ name, version, task, engines, signal })) });
    return { ...rest, certification: { ...certification, engines: runs } };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Run {
  readonly name: string;
  readonly version: string;
  readonly task: EngineTask | { readonly refused: string };
  readonly engines: Engines;
  readonly signal: AbortSignal;
}

async function find({ name, version, task, engines, signal }: Run): Promise<EngineFinding> {
  const losses = 'refused' in task ? [] : task.losses;
  if (version === '') return { refused: howToInstallEngine(name), isTransient: true, losses };
  if ('refused' in task) return { ...task, isTransient: false, losses };
  return judgeEngine(await runEngine(name, task, engines, signal), task);
}
