import type { ErrorCode } from '../errors.ts';
import { jsonPointer } from '../json-pointer.ts';
import { LIMITS } from '../limits.ts';

/** The codes of refused manifests. */
export type ManifestErrorCode = Extract<ErrorCode, `manifest_${string}`>;

/** One problem: its place (a JSON pointer), and which rule it breaks. */
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

/** Collects the issues of one check, up to the number that is reported. */
export class Issues {
  readonly #list: ManifestIssue[] = [];

  get full(): boolean {
    return this.#list.length >= LIMITS.manifest.issues;
  }

  add(steps: readonly PropertyKey[], message: string): void {
    if (!this.full) this.#list.push({ path: jsonPointer(steps), message });
  }

  /** Returns the issues as an error, or null if there are none. */
  asError(code: ManifestError['code']): ManifestError | null {
    return this.#list.length > 0 ? manifestError(code, this.#list) : null;
  }
}
