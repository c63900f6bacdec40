/** A problem with stored bytes, or with a row about them. */
export interface Finding {
  /**
   * `missing`, `wrong-size`, `damaged`: an object that a revision refers to. `orphan`: bytes that nothing refers to.
   * `recorded-as-damaged`: a file that is recorded as damaged and was read intact. `stale-row`: a row about bytes that
   * are not stored. `miscounted`: the sums of uploads that are not registered.
   */
  problem:
    | 'missing'
    | 'wrong-size'
    | 'damaged'
    | 'recorded-as-damaged'
    | 'orphan'
    | 'stale-row'
    | 'miscounted';
  what: 'file' | 'manifest' | 'index' | 'codes' | 'artifacts' | 'differences' | 'object' | 'store' | 'row';
  storeId: string;
  /** `namespace/name`; null if no library has the store. */
  library: string | null;
  revision: number | null;
  /** The object; null if the finding is about a whole store. */
  sha256: string | null;
  /** The path of a file with this content. */
  path: string | null;
  isRepaired: boolean;
  /** What repairs the problem, or has repaired it. */
  remedy: string;
}

export interface FsckOptions {
  /**
   * The share of the files that is read and hashed: 0 for none, 1 for all. Manifests, indexes, codes and artifact lists
   * always are.
   */
  readShare: number;
  repair: boolean;
}

export interface FsckReport {
  /** Libraries, including those in the Trash. */
  libraries: number;
  /** Their current revisions and releases. Those that share an index count once. */
  revisions: number;
  /** Objects that were looked up, and how many of them were read as well. */
  objects: number;
  objectsRead: number;
  findings: Finding[];
  /** The number of findings that are not listed. */
  further: number;
  /** Whether every problem found was repaired. */
  isSound: boolean;
}

const MAX_FINDINGS = 10_000;

/** Collects the findings of a check in bounded memory. */
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
