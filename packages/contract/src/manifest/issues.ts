import type { ErrorCode } from '../errors.ts';
import { jsonPointer } from '../json-pointer.ts';
import { LIMITS } from '../limits.ts';

/** The codes with which a manifest is refused. */
export type ManifestErrorCode = Extract<ErrorCode, `manifest_${string}`>;

/** One thing that is wrong: where (a JSON pointer), and which rule it breaks. */
export interface ManifestIssue {
  path: string;
  message: string;
}

export interface ManifestError {
  code: Exclude<ManifestErrorCode, 'manifest_missing'>;
  /** At least one, at most 100. */
  issues: ManifestIssue[];
}

export function manifestError(code: ManifestError['code'], issues: ManifestIssue[]): ManifestError {
  return { code, issues };
}

/** Collects the issues of one check until there are as many as are reported. */
export class Issues {
  readonly #list: ManifestIssue[] = [];

  get full(): boolean {
    return this.#list.length >= LIMITS.manifest.issues;
  }

  add(steps: readonly PropertyKey[], message: string): void {
    if (!this.full) this.#list.push({ path: jsonPointer(steps), message });
  }

  /** The error that they make, or null if there are none. */
  asError(code: ManifestError['code']): ManifestError | null {
    return this.#list.length > 0 ? manifestError(code, this.#list) : null;
  }
}
