import { hash } from 'node:crypto';
import {
  certificatePath,
  LIMITS,
  type Manifest,
  type ManifestFile,
  manifestText,
  validateManifest,
} from '@bindery/contract';
import { unpackList } from '../../../process/packed-list.ts';
import { AssetTable, openLibrary } from '../../../revision/asset-table.ts';
import { writeDifferences } from '../../../revision/differences.ts';
import { encodeRevisionIndex, isOfThisRelease, type StoredArtifact } from '../../../revision/encode-index.ts';
import { FileClosure } from '../../../revision/file-closure.ts';
import type { LocalFiles } from '../../../revision/local-files.ts';
import { decodeSections, type Sections, sectionOf } from '../../../revision/sections.ts';
import { spliceRevisionIndex } from '../../../revision/splice/splice-index.ts';
import { sharedPhrasesOf } from '../../../revision/splice/splice-words.ts';
import type { BuiltRevision, SpliceJob, SpliceOutcome } from '../revision-workers.ts';
import { describeRevision, readNamed, resolveArtifacts } from './build-revision.ts';
import { applyChanges, isWithinLimits, readManifest, spliceManifest } from './splice-manifest.ts';

const WHOLE: SpliceOutcome = { kind: 'whole' };

/**
 * Makes the next revision of the bytes of the current one: its manifest, and its index. What did not change is neither
 * parsed nor validated again. What this cannot do exactly, or would have to refuse, is left to `buildRevision`.
 */
export function spliceRevision(files: LocalFiles, job: SpliceJob): SpliceOutcome {
  const { changes } = job;
  const [bytes, indexBytes] = [readNamed(files, job.manifest), readNamed(files, job.index)];
  if (bytes === null || indexBytes === null) return WHOLE;
  const before = decodeSections(indexBytes);
  if (!isOfThisRelease(before)) return WHOLE;
  const table = new AssetTable(before);
  const library = openLibrary(before);
  const current = library && readManifest(bytes, library, table.ids);
  if (library === null || current === null) return WHOLE;
  const next = applyChanges(current, table.ids, library, changes);
  const { changed, notKept } = next;
  const manifest = spliceManifest(current, table.ids, next);
  if (hash('sha256', manifest) !== job.sha256 || manifest.length > LIMITS.manifest.bytes) return WHOLE;

  const text = manifestText(changed);
  const verdict = validateManifest(Buffer.from(text));
  if (!verdict.ok || !isWithinLimits(current, text.length)) return WHOLE;
  const kept = new KeptFiles(before, notKept, new Set(changed.generated));
  if (kept.artifacts !== new Set(current.generated).size || !kept.allow(verdict.files)) return WHOLE;
  if (table.count - notKept.size + changed.assets.length > LIMITS.manifest.assets) return WHOLE;
  if (kept.entries + verdict.places.length > LIMITS.manifest.files) return WHOLE;

  const artifacts = artifactsOf(changed, current.generated ?? [], unpackList(job.artifacts), kept.closure);
  if (artifacts === null) return WHOLE;
  const sections = spliceRevisionIndex(
    { earlier: before, changed: encodeRevisionIndex(verdict, artifacts, sharedPhrasesOf(before)) },
    { assets: notKept, files: kept.gone },
  );
  if (sections === null) return WHOLE;
  const revision: BuiltRevision = {
    ...describeRevision(before, sections, 'current', job.cover),
    differences: writeDifferences({ bytes, sections: before }, { bytes: manifest, sections }),
    missingArtifacts: { paths: [], total: 0 },
  };
  return { kind: 'spliced', manifest, revision };
}

/** The artifacts that are new or named, and those that changed assets refer to; null if one is not stored. */
function artifactsOf(
  { assets, generated }: Manifest,
  before: readonly string[],
  named: readonly StoredArtifact[],
  earlier: FileClosure,
): StoredArtifact[] | null {
  const referred = assets.flatMap(({ id, thumbnail = '' }) => [thumbnail, certificatePath(id)]);
  const known = new Set(before).difference(new Set([...referred, ...named.map(({ path }) => path)]));
  const paths = [...new Set(generated).difference(known)];
  const { stored, missing } = resolveArtifacts({ paths, required: true }, named, earlier);
  return missing.total > 0 ? null : stored;
}

/** The files of a revision that the next one may keep: user files of assets that stay, and declared artifacts. */
class KeptFiles {
  readonly closure: FileClosure;
  /** The places of files that no asset that stays has, and of artifacts that are not declared any more. */
  readonly gone = new Set<number>();
  /** How many artifacts the revision had. */
  readonly artifacts: number = 0;
  /** How many entries of files the assets that stay have. */
  readonly entries: number;
  readonly #keepsThumbnails: boolean;

  constructor(sections: Sections, notKept: ReadonlySet<number>, declared: ReadonlySet<string>) {
    this.closure = new FileClosure(sections);
    const table = new AssetTable(sections);
    const uses = new Uint32Array(this.closure.count);
    const all = sectionOf(sections, 'assets.files', 'Uint32Array');
    for (const place of all) uses[place] = (uses[place] as number) + 1;
    this.entries = all.length;
    for (const asset of notKept)
      for (const place of table.files(asset)) {
        this.entries -= 1;
        uses[place] = (uses[place] as number) - 1;
        if (uses[place] === 0) this.gone.add(place);
      }
    for (let place = 0; place < this.closure.count; place++) {
      if (!this.closure.isPlatform(place)) continue;
      this.artifacts += 1;
      if (!declared.has(this.closure.paths.at(place))) this.gone.add(place);
    }
    const thumbnails = sectionOf(sections, 'assets.thumbnails', 'Uint32Array');
    this.#keepsThumbnails = thumbnails.every((place, asset) => notKept.has(asset) || !this.gone.has(place));
  }

  /** Whether these files can be beside those that stay: none has another content at its path, or is inside another. */
  allow(files: readonly ManifestFile[]): boolean {
    const { paths } = this.closure;
    return (
      this.#keepsThumbnails &&
      files.every((file) => {
        const place = paths.indexOf(file.path);
        if (place >= 0) return this.gone.has(place) || this.#isSame(place, file);
        const segments = file.path.split('/');
        const folders = segments.slice(1).map((_, at) => segments.slice(0, at + 1).join('/'));
        const { first, end } = paths.startingWith(`${file.path}/`);
        return first === end && folders.every((folder) => paths.indexOf(folder) < 0);
      })
    );
  }

  #isSame(place: number, { size, sha256 }: ManifestFile): boolean {
    return this.closure.size(place) === size && this.closure.sha256(place) === sha256;
  }
}
