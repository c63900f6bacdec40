import { hash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkerFailure, WorkerPool } from '@bindery/concurrency';
import type { Logger } from 'pino';
import { unlessLost } from '../../objects/damaged.ts';
import type { ObjectStore } from '../../objects/store.ts';
import type { JoinedSidecar, JoinedSidecars } from '../../revision/vectors/join-sidecars.ts';
import type { MemberVectors } from '../../search/segments/segments.ts';
import type { JoinedPlace, JoinedVectors, RevisionVectors } from '../../search/vectors/vector-search.ts';
import type { SegmentVectorTask } from '../workers/segment-vector-worker.ts';
import { vectorFiles } from '../workers/vector-source.ts';

/** What is joined of a part, named by the segment and the SHA-256 of this; beside it the files of the vectors. */
export const VECTORS = '.vectors';
const MATRIX = '.matrix';
const CODES = '.codes';

/** The most assets of a part with several libraries: as many as the largest library has. */
const MAX_ASSETS = 50_000;

/** The vectors of consecutive members of a segment. */
interface Part {
  /** So that no two have the same name. */
  id: string;
  first: number;
  assetCount: number;
  codesSha256: string;
  members: (Pick<JoinedPlace, 'documentSha256' | 'matrixSha256'> & { first: number; isJoined: boolean })[];
}

export interface OpenPart {
  name: string;
  part: Part;
  vectors: JoinedVectors;
}

/** The vectors of the members of segments, in the folder of these. */
export class DiskSegmentVectors {
  readonly #folder: string;
  readonly #objects: Pick<ObjectStore, 'localFile'>;
  readonly #log: Logger;
  readonly #worker = new WorkerPool({
    entry: new URL('../workers/segment-vector-worker.ts', import.meta.url),
    maxWorkers: 1,
    maxWaiting: 1,
    idleTimeout: 0,
    heapMegabytes: 512,
  });

  constructor(folder: string, { objects, log }: { objects: Pick<ObjectStore, 'localFile'>; log: Logger }) {
    this.#folder = folder;
    this.#objects = objects;
    this.#log = log;
  }

  /** Opens what is named in the folder; null if it cannot be opened. */
  async open(name: string): Promise<OpenPart | null> {
    const bytes = await readFile(this.#path(name, VECTORS));
    if (!name.endsWith(hash('sha256', bytes))) return null;
    const part = JSON.parse(bytes.toString()) as Part;
    const codes = { file: this.#path(name, CODES), sha256: part.codesSha256 };
    const { assetCount } = part;
    return {
      ...{ name, part },
      vectors: { matrixFile: this.#path(name, MATRIX), codes, assetCount, isDamaged: false },
    };
  }

  /** Joins the vectors of the members of a segment, except those of parts whose vectors are the same as before. */
  async join(
    segment: string,
    members: readonly MemberVectors[],
    before: readonly OpenPart[],
  ): Promise<OpenPart[]> {
    const parts: OpenPart[] = [];
    for (const own of partsOf(members)) {
      const first = own[0]?.member.first as number;
      const kept = before.find(({ part, vectors }) => part.first === first && !vectors.isDamaged);
      if (kept && isUnchanged(kept.part, own)) parts.push(kept);
      else if (own.some(({ vectors }) => vectors !== null)) parts.push(await this.#joinPart(segment, own));
    }
    return parts;
  }

  async delete({ name }: Pick<OpenPart, 'name'>): Promise<void> {
    for (const kind of [VECTORS, MATRIX, CODES]) await rm(this.#path(name, kind), { force: true });
  }

  close(): Promise<void> {
    return this.#worker.close();
  }

  async #joinPart(segment: string, own: readonly MemberVectors[]): Promise<OpenPart> {
    const [begin, end] = [own[0] as MemberVectors, own.at(-1) as MemberVectors];
    const { first } = begin.member;
    const id = randomUUID();
    const draft = `draft-${id}`;
    const joined = own.flatMap(({ member, vectors }) => (vectors ? [{ first: member.first, vectors }] : []));
    const sidecars: JoinedSidecar[] = [];
    for (const one of joined) sidecars.push(await this.#sidecarOf(one.vectors, one.first - first));
    const output = { matrixFile: this.#path(draft, MATRIX), codesFile: this.#path(draft, CODES) };
    const { codesSha256, problems } = await this.#run({ sidecars, ...output });
    const part: Part = {
      ...{ id, first, codesSha256 },
      assetCount: end.member.first + end.member.count - first,
      members: joined.map(({ first, vectors: { documentSha256, matrixSha256 } }, at) => ({
        ...{ first, documentSha256, matrixSha256 },
        isJoined: problems[at] === null,
      })),
    };
    const bytes = JSON.stringify(part);
    const name = `${segment}-${hash('sha256', bytes)}`;
    await writeFile(this.#path(draft, VECTORS), bytes);
    // Rows are not checked when they are read: an interruption must not leave any that were never written.
    for (const kind of [MATRIX, CODES, VECTORS]) {
      await sync(this.#path(draft, kind));
      await rename(this.#path(draft, kind), this.#path(name, kind));
    }
    return (await this.open(name)) as OpenPart;
  }

  async #sidecarOf(vectors: RevisionVectors, first: number): Promise<JoinedSidecar> {
    const { folder, documentSha256, matrixSha256 } = vectors;
    const lost = { indexFile: '', documentFile: '', matrixFile: '' };
    const files = (await unlessLost(vectorFiles(this.#objects, vectors))) ?? lost;
    return { ...files, hashes: folder === undefined ? { documentSha256, matrixSha256 } : null, first };
  }

  async #run(task: SegmentVectorTask): Promise<JoinedSidecars> {
    try {
      const outcome = await this.#worker.run<JoinedSidecars>(task);
      const problem = outcome.problems.find((one) => one !== null);
      if (problem) this.#log.warn({ problem }, 'vectors of some libraries cannot be joined to search');
      return outcome;
    } catch (error) {
      if (!(error instanceof WorkerFailure) || error.reason === 'closed') throw error;
      this.#log.warn({ err: error, libraries: task.sidecars.length }, 'vectors cannot be joined to search');
      return this.#worker.run<JoinedSidecars>({ ...task, sidecars: [] });
    }
  }

  #path(name: string, kind: string): string {
    return join(this.#folder, name + kind);
  }
}

/** Returns where the vectors of members are, by the first of their documents. */
export function placesIn(parts: readonly OpenPart[]): Map<number, JoinedPlace> {
  return new Map(
    parts.flatMap(({ part, vectors }) =>
      part.members.map(({ first, documentSha256, matrixSha256, isJoined }): [number, JoinedPlace] => [
        first,
        { documentSha256, matrixSha256, vectors: isJoined ? vectors : null, first: first - part.first },
      ]),
    ),
  );
}

function partsOf(members: readonly MemberVectors[]): MemberVectors[][] {
  const parts: MemberVectors[][] = [];
  let room = 0;
  for (const one of members) {
    if (parts.length === 0 || one.member.count > room) {
      parts.push([]);
      room = MAX_ASSETS;
    }
    parts.at(-1)?.push(one);
    room -= one.member.count;
  }
  return parts;
}

function isUnchanged({ members }: Part, own: readonly MemberVectors[]): boolean {
  const before = new Map(members.map((member) => [member.first, member]));
  return own.every(({ member, vectors }) => {
    const one = before.get(member.first);
    return (
      vectors === null ||
      (one?.documentSha256 === vectors.documentSha256 && one.matrixSha256 === vectors.matrixSha256)
    );
  });
}

async function sync(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
