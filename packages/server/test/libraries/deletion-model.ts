/*
 * A plain model of how processes publish to one store and delete from it, without any lock between them: everybody's
 * steps may come in any order, and anybody may stop for good between two of them. What one function does up to the next
 * `yield` is what the database or the store does in one go.
 */

export interface World {
  rows: Map<string, { state: 'leased' | 'pending' | 'deleting'; deleter: number | null }>;
  objects: Set<string>;
  /** Objects moved aside, each by its own name. */
  withdrawn: Map<number, string>;
  staged: Set<string>;
  revision: number;
  deletions: number;
  /** What the current revision consists of. */
  current: ReadonlySet<string>;
  /** What each release consists of, oldest first. */
  releases: ReadonlySet<string>[];
  releaseChanges: number;
  /** Contents of which somebody was told that they are stored. */
  promised: Set<string>;
  nextName: number;
}

/** What keeps contents safe. The model is run without each in turn, to show that it is needed. */
export type Guard =
  | 'a register compares the number of deletions'
  | 'a register finishes deletions first'
  | 'a deletion that changes hands is counted again'
  | 'a register spares what is pending'
  | 'a deletion is confirmed'
  | 'marks hold for one revision'
  | 'marks hold for the same releases'
  | 'a reclaim keeps what releases name'
  | 'a release names what is current in the step that makes it'
  | 'a lease is asked for first';

export type Process = Generator<undefined, void>;

export function newWorld(): World {
  return {
    rows: new Map(),
    objects: new Set(),
    withdrawn: new Map(),
    staged: new Set(),
    revision: 0,
    deletions: 0,
    current: new Set(),
    releases: [],
    releaseChanges: 0,
    promised: new Set(),
    nextName: 1,
  };
}

export class Model {
  readonly world = newWorld();
  readonly #without: Guard | null;

  constructor(without: Guard | null = null) {
    this.#without = without;
  }

  #has(guard: Guard): boolean {
    return this.#without !== guard;
  }

  /** Uploads what the store does not have, as a client does, and registers. */
  *register(contents: readonly string[]): Process {
    const { world } = this;
    for (const content of contents) if (!world.objects.has(content)) world.staged.add(content);
    yield;
    const { revision } = world;
    yield;
    const basis = { revision, deletions: world.deletions };
    if (this.#has('a register finishes deletions first')) basis.deletions = yield* this.#finishDeletions();
    yield;
    if (!contents.every((content) => world.objects.has(content) || world.staged.has(content))) return;
    for (const content of contents) {
      yield;
      if (world.staged.delete(content)) world.objects.add(content);
      else if (!world.objects.has(content)) return;
    }
    yield;
    this.#commit(contents, basis);
  }

  #commit(contents: readonly string[], basis: { revision: number; deletions: number }): void {
    const { world } = this;
    if (world.revision !== basis.revision) return;
    if (this.#has('a register compares the number of deletions') && world.deletions !== basis.deletions)
      return;
    if (this.#has('a register spares what is pending')) {
      for (const content of contents) {
        if (world.rows.get(content)?.state === 'pending') world.rows.delete(content);
      }
    }
    world.current = new Set(contents);
    world.revision += 1;
  }

  *release(): Process {
    const { world } = this;
    const { current } = world;
    yield;
    const isOneStep = this.#has('a release names what is current in the step that makes it');
    world.releases.push(isOneStep ? world.current : current);
    world.releaseChanges += 1;
  }

  /** The grace period of what it named is over as soon as it is deleted. */
  *unrelease(): Process {
    yield;
    this.world.releases.shift();
  }

  /** Rebuilds the index of a release, which becomes another object. */
  *rebuildIndex(content: string): Process {
    const { world } = this;
    yield;
    const deletions = yield* this.#finishDeletions();
    yield;
    world.objects.add(content);
    yield;
    const release = world.releases.shift();
    if (release === undefined) return;
    const isSafe = world.deletions === deletions;
    if (isSafe && world.rows.get(content)?.state === 'pending') world.rows.delete(content);
    world.releases.unshift(isSafe ? new Set([...release, content]) : release);
    world.releaseChanges += 1;
  }

  /** A pass whose grace period is over, without any lock. */
  *reclaim(): Process {
    const { world } = this;
    yield* this.#finishDeletions();
    yield;
    const { releaseChanges } = world;
    yield;
    const { revision, current } = world;
    yield;
    const released = this.#has('a reclaim keeps what releases name') ? releasedIn(world) : new Set();
    yield;
    for (const content of [...world.objects]) {
      yield;
      if (current.has(content) || released.has(content) || world.rows.has(content)) continue;
      if (this.#has('marks hold for one revision') && world.revision !== revision) break;
      if (this.#has('marks hold for the same releases') && world.releaseChanges !== releaseChanges) break;
      world.rows.set(content, { state: 'pending', deleter: null });
    }
    yield;
    const deleter = world.nextName++;
    const begun = this.#rowsIn('pending');
    for (const content of begun) world.rows.set(content, { state: 'deleting', deleter });
    if (begun.length > 0) world.deletions += 1;
    yield* this.#delete(begun, deleter);
  }

  /** Answers the number of deletions as it was when nobody else deleted. */
  *#finishDeletions(): Generator<undefined, number> {
    const { world } = this;
    const deleter = world.nextName++;
    const begun = this.#rowsIn('deleting');
    for (const content of begun) world.rows.set(content, { state: 'deleting', deleter });
    if (begun.length > 0 && this.#has('a deletion that changes hands is counted again')) world.deletions += 1;
    const { deletions } = world;
    yield* this.#delete(begun, deleter);
    return deletions;
  }

  *#delete(contents: readonly string[], deleter: number): Process {
    const { world } = this;
    const own: number[] = [];
    for (const content of contents) {
      yield;
      if (world.objects.delete(content)) own.push(this.#moveAside(content));
    }
    yield;
    const aside = [...world.withdrawn].filter(([, content]) => contents.includes(content));
    yield;
    const confirmed = new Set(contents.filter((content) => this.#isToGo(content, deleter)));
    for (const [name, content] of aside) {
      yield;
      if (confirmed.has(content)) world.withdrawn.delete(name);
    }
    for (const name of own) yield* this.#putBack(name, confirmed);
    yield;
    for (const content of contents)
      if (world.rows.get(content)?.deleter === deleter) world.rows.delete(content);
  }

  #isToGo(content: string, deleter: number): boolean {
    return !this.#has('a deletion is confirmed') || this.world.rows.get(content)?.deleter === deleter;
  }

  #moveAside(content: string): number {
    const name = this.world.nextName++;
    this.world.withdrawn.set(name, content);
    return name;
  }

  *#putBack(name: number, confirmed: ReadonlySet<string>): Process {
    const { withdrawn, objects } = this.world;
    const content = withdrawn.get(name);
    if (content === undefined || confirmed.has(content)) return;
    yield;
    const isThere = objects.has(content);
    yield;
    if (withdrawn.delete(name) && !isThere) objects.add(content);
  }

  *restoreInterrupted(): Process {
    const { world } = this;
    for (const [name, content] of [...world.withdrawn]) {
      yield;
      if (world.rows.get(content)?.state !== 'deleting') yield* this.#putBack(name, new Set());
    }
  }

  /** Asks whether a content of the current revision is stored, and counts on the answer. */
  *askPresent(content: string): Process {
    const { world } = this;
    if (!world.current.has(content)) return;
    yield;
    const asksFirst = this.#has('a lease is asked for first');
    if (asksFirst && !this.#lease(content)) return;
    yield;
    // No answer takes as long as a lease holds.
    if (asksFirst && world.rows.get(content)?.state !== 'leased') return;
    if (world.objects.has(content)) world.promised.add(content);
  }

  #lease(content: string): boolean {
    if (this.world.rows.get(content)?.state === 'deleting') return false;
    this.world.rows.set(content, { state: 'leased', deleter: null });
    return true;
  }

  /** Bytes that arrive where objects are, long after somebody was permitted to send them. */
  *putLate(content: string): Process {
    yield;
    this.world.objects.add(content);
  }

  *expireLeases(): Process {
    yield;
    for (const content of this.#rowsIn('leased')) this.world.rows.delete(content);
    this.world.promised.clear();
  }

  #rowsIn(state: string): string[] {
    return [...this.world.rows].filter(([, row]) => row.state === state).map(([content]) => content);
  }
}

/** What is counted on, and neither stored nor merely out of sight. */
export function lostIn(world: World): string[] {
  const { promised, objects, withdrawn } = world;
  const aside = new Set(withdrawn.values());
  return [...namedIn(world), ...promised].filter((content) => !objects.has(content) && !aside.has(content));
}

/** What the current revision and the releases consist of. */
export function namedIn(world: World): Set<string> {
  return releasedIn(world).union(world.current);
}

function releasedIn({ releases }: World): Set<string> {
  return new Set(releases.flatMap((release) => [...release]));
}
