import type { LibraryRow } from '../../access/libraries.ts';
import type { Parts } from '../../parts.ts';
import type { BuiltRevision } from './revision-builder.ts';

/**
 * What the library says of its vectors. A sidecar that cannot be used counts as none, and a warning says why; it never
 * keeps a library from being registered.
 */
export async function readSidecar(
  { objects, revisionBuilder }: Pick<Parts, 'objects' | 'revisionBuilder'>,
  { storeId, indexSha256, library }: { storeId: string; indexSha256: string; library: LibraryRow | null },
  sidecar: BuiltRevision['sidecar'],
): Promise<{ vectors: { dim: number | null; model: string | null }; warnings: string[] }> {
  const none = { dim: null, model: null };
  if (sidecar === null) return { vectors: none, warnings: [] };
  if ('half' in sidecar) return { vectors: none, warnings: [warning(`${sidecar.half} has no other half`)] };
  const file = (sha256: string) => objects.localFile({ storeId, sha256 });
  const { dim, model, problem } = await revisionBuilder.inspectSidecar({
    documentFile: await file(sidecar.document.sha256),
    matrixFile: await file(sidecar.matrix.sha256),
    indexFile: await file(indexSha256),
    rowsChecked: sidecar.unchanged && (library?.vectors_dim ?? null) !== null,
  });
  if (problem === null) return { vectors: { dim, model }, warnings: [] };
  return { vectors: none, warnings: [warning(problem)] };
}

function warning(problem: string): string {
  return `The embeddings cannot be used: ${problem}.`;
}
