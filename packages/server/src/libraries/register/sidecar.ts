import type { LibraryRow } from '../../access/libraries.ts';
import type { Parts } from '../../parts.ts';
import type { Sidecar } from './revision-builder.ts';

/**
 * What the library says of its vectors. A sidecar that cannot be used counts as none, and a warning says why; it never
 * keeps a library from being registered.
 */
export async function readSidecar(
  { objects, revisionBuilder }: Pick<Parts, 'objects' | 'revisionBuilder'>,
  storeId: string,
  library: LibraryRow | null,
  sidecar: Sidecar | null,
): Promise<{ vectors: { dim: number | null; model: string | null }; warnings: string[] }> {
  const none = { dim: null, model: null };
  if (sidecar === null) return { vectors: none, warnings: [] };
  if (sidecar.unchanged && library && library.vectors_dim !== null) {
    return { vectors: { dim: library.vectors_dim, model: library.vectors_model }, warnings: [] };
  }
  const { dim, model, problem } = await revisionBuilder.inspectSidecar({
    documentFile: await objects.localFile({ storeId, sha256: sidecar.document.sha256 }),
    matrixFile: await objects.localFile({ storeId, sha256: sidecar.matrix.sha256 }),
  });
  if (problem === null) return { vectors: { dim, model }, warnings: [] };
  return { vectors: none, warnings: [`The embeddings cannot be used: ${problem}.`] };
}
