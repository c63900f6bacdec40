import type { RevisionRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import type { FileClosure } from '../../revision/file-closure.ts';
import { openClosure } from '../references.ts';
import type { StoredObject } from '../store.ts';
import { inBatches } from './check.ts';
import { damagedObjects } from './damage.ts';
import type { Finding, FsckOptions } from './finding.ts';

const PUSH = 'anyone with a copy can restore it with "bindery library push --verify"';

/** The findings of a check of one revision, and how much was checked. */
export interface CheckedRevision {
  findings: Finding[];
  objects: number;
  objectsRead: number;
}

/**
 * Checks that everything a revision refers to is stored with its size and, as far as it is read, with its hash. With
 * `repair`, rebuilds a damaged or missing index. Deletes nothing.
 */
export async function checkRevision(
  context: MaintenanceContext,
  row: RevisionRow,
  address: string,
  options: FsckOptions,
): Promise<CheckedRevision> {
  const checked: CheckedRevision = { findings: [], objects: 0, objectsRead: 0 };
  const found = (finding: Pick<Finding, 'problem' | 'what' | 'sha256' | 'remedy'> & Partial<Finding>) =>
    checked.findings.push({
      storeId: row.store_id,
      library: address,
      revision: row.revision,
      path: null,
      isRepaired: false,
      ...finding,
    });

  for (const [what, sha256, size] of documentsOf(row)) {
    const problem = await problemOf(context, row.store_id, sha256, size);
    checked.objects++;
    checked.objectsRead++;
    if (problem !== null) found({ problem, what, sha256, remedy: PUSH });
  }

  const { files, problem } = await openFiles(context, row);
  checked.objects++;
  checked.objectsRead++;
  if (problem === null) await checkFiles(files);
  else await repairIndex(problem);
  return checked;

  async function repairIndex(problem: Finding['problem']): Promise<void> {
    const { differences } = row;
    if (differences !== undefined) {
      found({
        problem,
        what: 'differences',
        sha256: differences,
        remedy: 'what is older cannot be read again',
      });
      return;
    }
    const finding = { problem, what: 'index', sha256: row.index_sha256 } as const;
    if (!options.repair) {
      found({ ...finding, remedy: '"bindery admin fsck --repair" rebuilds it; the files were not checked' });
      return;
    }
    try {
      const repaired = await openFiles(context, await context.indexRepairer.repair(row));
      if (repaired.problem !== null) throw new Error('the index was damaged again');
      found({ ...finding, isRepaired: true, remedy: 'it was rebuilt' });
      await checkFiles(repaired.files);
    } catch (error) {
      found({ ...finding, remedy: `it could not be rebuilt (${(error as Error).message})` });
    }
  }

  async function checkFiles(files: FileClosure): Promise<void> {
    const { store_id: storeId } = row;
    const contents = new Map<string, number>();
    for (let place = 0; place < files.count; place++) contents.set(files.sha256(place), place);
    checked.objects += contents.size;
    const absent = new Set(
      (await context.objects.findAbsent(storeId, files.contents)).map((at) => files.sha256(at)),
    );
    const known = await damagedObjects(context.db, storeId);
    const damaged = new Set<string>();
    const restored: string[] = [];
    const toRead: StoredObject[] = [];
    for (const [sha256, place] of contents) {
      if (absent.has(sha256)) continue;
      if (options.readShare > 0 && Math.random() < options.readShare) {
        toRead.push({ sha256, size: files.size(place) });
      } else if (known.has(sha256)) damaged.add(sha256);
    }
    for (const batch of inBatches(toRead)) {
      const intact = await context.objects.findIntact(storeId, batch);
      checked.objectsRead += batch.length;
      for (const { sha256 } of batch) {
        if (!intact.has(sha256)) damaged.add(sha256);
        else if (known.has(sha256)) restored.push(sha256);
      }
    }
    for (const sha256 of restored) {
      const { path } = files.at(contents.get(sha256) ?? 0);
      found({
        problem: 'recorded-as-damaged',
        what: 'file',
        sha256,
        path,
        isRepaired: options.repair,
        remedy: options.repair
          ? 'the record was removed'
          : '"bindery admin fsck --read-data --repair" removes the record',
      });
    }
    for (const sha256 of [...absent, ...damaged]) {
      const { path } = files.at(contents.get(sha256) ?? 0);
      const isThere = absent.has(sha256) && (await context.objects.size({ storeId, sha256 })) !== null;
      const problem = damaged.has(sha256) ? 'damaged' : isThere ? 'wrong-size' : 'missing';
      found({ problem, what: 'file', sha256, path, remedy: PUSH });
    }
  }
}

type Document = [what: Finding['what'], sha256: string, size: number | null];

function documentsOf(row: RevisionRow): Document[] {
  const isMade = row.differences !== undefined;
  const documents: [Finding['what'], string | null, number | null][] = [
    ['manifest', isMade ? null : row.manifest_sha256, row.manifest_size],
    ['codes', row.codes_sha256, null],
    ['artifacts', row.artifacts_sha256, null],
  ];
  return documents.filter((document): document is Document => document[1] !== null);
}

async function problemOf(
  { objects }: MaintenanceContext,
  storeId: string,
  sha256: string,
  expected: number | null,
): Promise<'missing' | 'wrong-size' | 'damaged' | null> {
  const size = await objects.size({ storeId, sha256 });
  if (size === null) return 'missing';
  if (expected !== null && size !== expected) return 'wrong-size';
  return (await objects.findIntact(storeId, [{ sha256, size }])).has(sha256) ? null : 'damaged';
}

type OpenedFiles = { files: FileClosure; problem: null } | { files: null; problem: 'missing' | 'damaged' };

/** Opens the files that keep a revision: all, or those that the next revision lacks. */
async function openFiles(
  { objects }: MaintenanceContext,
  { store_id: storeId, index_sha256, differences }: RevisionRow,
): Promise<OpenedFiles> {
  const index = { storeId, sha256: differences ?? index_sha256 };
  const files = await openClosure(objects, index);
  if (files !== null) return { files, problem: null };
  const isThere = (await objects.size(index)) !== null;
  return { files: null, problem: isThere ? 'damaged' : 'missing' };
}
