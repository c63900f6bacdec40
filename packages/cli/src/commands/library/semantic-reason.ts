/** What may be done about a search by keyword alone. */
const REMEDIES: Readonly<Record<string, string>> = {
  'encoder-unavailable':
    'the service has no model ready; it is being loaded, does not work or is switched off, as the log of the service says',
  'no-sidecar': 'there are no vectors; "library push --thumbnails --embed" makes them',
  'model-mismatch':
    'the vectors are of another model than the one the service searches with; "push --embed --model" makes those',
};

/** The service's word for why a search is not semantic, and what may be done about it where something may. */
export function explainReason(reason: string): string {
  const remedy = REMEDIES[reason];
  return remedy === undefined ? reason : `${reason}: ${remedy}`;
}
