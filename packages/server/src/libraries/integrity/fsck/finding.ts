/** What is wrong with something that is stored, or with a row about it. */
export interface Finding {
  /** `missing`, `wrong-size`, `damaged`: an object that a revision names. `orphan`: bytes that nothing names. `stale-row`: a row about bytes that are not there. */
  problem: 'missing' | 'wrong-size' | 'damaged' | 'orphan' | 'stale-row';
  what: 'file' | 'manifest' | 'index' | 'codes' | 'artifacts' | 'object' | 'store' | 'row';
  storeId: string;
  /** `namespace/name`; null where no library has the store. */
  library: string | null;
  revision: number | null;
  /** The object; null where it is about a whole store. */
  sha256: string | null;
  /** A file that has this content. */
  path: string | null;
  isRepaired: boolean;
  /** What mends it, or did. */
  mend: string;
}

export interface FsckOptions {
  /** The share of the objects that is read and hashed: 0 for none, 1 for all. Manifests and indexes always are. */
  readShare: number;
  repair: boolean;
}

export interface FsckReport {
  /** Libraries, those in the Trash included. */
  libraries: number;
  /** Their current revisions and releases. */
  revisions: number;
  /** Contents that were looked for, and those that were read besides. */
  objects: number;
  objectsRead: number;
  findings: Finding[];
  /** Findings beside those that are named one by one. */
  further: number;
  /** Whether something is wrong still. */
  isSound: boolean;
}

const MAX_FINDINGS = 10_000;

/** Collects what a check comes across, within a bound of memory. */
export class FsckProgress {
  libraries = 0;
  revisions = 0;
  objects = 0;
  objectsRead = 0;
  readonly #findings: Finding[] = [];
  #further = 0;
  #isSound = true;

  add(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (!finding.isRepaired) this.#isSound = false;
      if (this.#findings.length < MAX_FINDINGS) this.#findings.push(finding);
      else this.#further++;
    }
  }

  get report(): FsckReport {
    const { libraries, revisions, objects, objectsRead } = this;
    return {
      libraries,
      revisions,
      objects,
      objectsRead,
      findings: this.#findings,
      further: this.#further,
      isSound: this.#isSound,
    };
  }
}
