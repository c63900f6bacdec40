import type { SemanticReason } from '@bindery/contract';

/** The model of the one active query encoder; null while none is part of the service. */
export const ACTIVE_MODEL: string | null = null;

/**
 * Why a search is, or is not, by vectors as well; the first reason that applies. One library with vectors of the
 * active model is enough.
 * @param models models of the sidecars of the libraries searched, null where one has none
 */
export function semanticReason(
  query: string,
  activeModel: string | null,
  models: readonly (string | null)[],
): SemanticReason {
  if (query === '') return 'no-query';
  if (activeModel === null) return 'encoder-unavailable';
  if (models.every((model) => model === null)) return 'no-sidecar';
  return models.includes(activeModel) ? 'on' : 'model-mismatch';
}

/** Whether a search of a library with such a sidecar would run by vectors now. */
export function isSemantic(activeModel: string | null, model: string | null): boolean {
  return model !== null && model === activeModel;
}
