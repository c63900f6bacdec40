import { rawPath } from '@bindery/contract';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { type Conversions, conversionOf } from '../../conversions/conversions.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { archiveEntries, type BundledFile, findConverted, sizeOf } from '../archive.ts';
import type { DoorRevision } from '../revision.ts';
import { findFileAtDoor } from '../tree.ts';

/** An asset with all that it refers to, as one download. */
export interface Bundle {
  entries: BundledFile[];
  manifest: BundleManifest;
}

interface BundleManifest {
  root_url: string;
  file_count: number;
  total_size: number;
  files: { url: string; path: string; size: number }[];
  summary: { dependencies_reported: number; downloaded: number; download_failed: 0 };
  skipped: [];
  errors: Record<string, never>;
}

/**
 * Returns what is downloaded for a file of a search: all files of the asset that the file opens, the asset converted, or the file
 * alone. Throws `not_found`, and as `Conversions.read` does.
 */
export async function bundleOf(
  context: MaintenanceContext & { conversions: Conversions; publicUrl(): string },
  viewer: Viewer,
  revision: DoorRevision,
  path: string | null,
): Promise<Bundle> {
  const entries = await entriesOf(context, viewer, revision, path);
  const url = (name: string) =>
    context.publicUrl() + rawPath({ namespace: revision.namespace, ...revision.row }, name);
  const files = entries.map((entry) => ({ url: url(entry.name), path: entry.name, size: sizeOf(entry) }));
  const manifest: BundleManifest = {
    root_url: url(path ?? ''),
    file_count: files.length,
    total_size: files.reduce((sum, { size }) => sum + size, 0),
    files,
    summary: { dependencies_reported: files.length - 1, downloaded: files.length, download_failed: 0 },
    skipped: [],
    errors: {},
  };
  return { entries, manifest };
}

async function entriesOf(
  context: MaintenanceContext & { conversions: Conversions },
  viewer: Viewer,
  revision: DoorRevision,
  path: string | null,
): Promise<BundledFile[]> {
  const { row, index } = revision;
  const converted = findConverted(revision, path);
  if (converted !== null) {
    const conversion = conversionOf(index, { row, ...converted });
    return [{ name: path ?? '', made: await context.conversions.read(conversion, viewer) }];
  }
  const file = findFileAtDoor(index, path);
  const { first: place } = index.files.paths.startingWith(file.path);
  for (let number = 0; number < index.assetCount; number++) {
    if (index.filesOf(number).includes(place) && index.card(number).entry === file.path)
      return archiveEntries(revision, { number, format: 'zip' });
    if (turnIsOver()) await nextTurn();
  }
  return [{ name: file.path, file }];
}
