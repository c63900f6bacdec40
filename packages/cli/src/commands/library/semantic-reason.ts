/** What may be done about a search by keyword alone. */
const REMEDIES: Readonly<Record<string, string>> = {
  'encoder-unavailable':
    'the service has no model ready; it is loading, failed or is switched off: see the log of the service',
  'no-sidecar': 'there are no vectors; "library push --thumbnails --embed" makes them',
  'model-mismatch':
    'the vectors were made with another model than the service searches with; "push --embed --model" makes matching ones',
};

/** The service's word for why a search is not semantic, and what may be done about it where something may. */
export function explainReason(reason: string): string {
  const remedy = REMEDIES[reason];
  return remedy === undefined ? reason : `${reason}: ${remedy}`;
}
