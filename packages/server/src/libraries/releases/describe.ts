import type { Release } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { ReleasesTable } from '../../database/tables/libraries.ts';

/** The columns that `describeRelease` needs. */
export const DESCRIBED_COLUMNS = [
  'releases.name',
  'releases.revision',
  'releases.notes',
  'releases.manifest_sha256',
  'releases.manifest_size',
  'releases.asset_count',
  'releases.file_count',
  'releases.total_bytes',
  'releases.created_at',
] as const;

type Described = Pick<
  Selectable<ReleasesTable>,
  | 'name'
  | 'revision'
  | 'notes'
  | 'manifest_sha256'
  | 'manifest_size'
  | 'asset_count'
  | 'file_count'
  | 'total_bytes'
  | 'created_at'
>;

/** A release as the API returns it; `createdBy` is null for viewers who cannot manage the library. */
export function describeRelease(row: Described, createdBy: string | null): Release {
  return {
    name: row.name,
    revision: row.revision,
    notes: row.notes,
    manifest: { sha256: row.manifest_sha256, size: row.manifest_size },
    assetCount: row.asset_count,
    fileCount: row.file_count,
    totalBytes: row.total_bytes,
    createdBy,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
