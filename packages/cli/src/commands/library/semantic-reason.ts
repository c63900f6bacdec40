/** What to do about searches by keyword only, by reason. */
const REMEDIES: Readonly<Record<string, string>> = {
  'encoder-unavailable':
    'the service has no model ready; it is loading, failed or is switched off: see the log of the service',
  'no-sidecar': 'there are no vectors; "library push --thumbnails --embed" computes them',
  'model-mismatch':
    'the vectors were computed with a different model than the service uses; "push --embed --model" computes matching ones',
};

/** Returns the service's reason why a search is not semantic, and what to do about it if anything can be done. */
export function explainReason(reason: string): string {
  const remedy = REMEDIES[reason];
  return remedy === undefined ? reason : `${reason}: ${remedy}`;
}
