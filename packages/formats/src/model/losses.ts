import type { OmissionLog } from '../reading/omissions.ts';
import type { Loss } from '../verdicts.ts';

/** How many losses are listed, and names of each: a file can have any number, and more say nothing new. */
const MAX_LISTED = 1_000;

/** Losses by what they are and why. */
export class LossList {
  readonly #names = new Map<
    string,
    { readonly what: string; readonly why: string; readonly names: Set<string> }
  >();

  add(what: string, name: string, why: string): void {
    const key = `${what}: ${why}`;
    const loss = this.#names.get(key) ?? { what, why, names: new Set<string>() };
    if (loss.names.size < MAX_LISTED) loss.names.add(name);
    if (this.#names.size < MAX_LISTED) this.#names.set(key, loss);
  }

  get all(): Loss[] {
    return [...this.#names.values()].map(({ what, why, names }) => ({ what, names: [...names], why }));
  }
}

/** What could not be read of a model. */
export function missingParts(omissions: OmissionLog): Loss[] {
  const losses = new LossList();
  const kinds = { meshes: 'mesh', textures: 'texture', instances: 'copies of a mesh' } as const;
  for (const { part, name, reason } of omissions.all) losses.add(kinds[part], name, reason);
  return losses.all;
}
