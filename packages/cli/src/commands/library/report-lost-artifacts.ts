import type { LostArtifacts } from '@bindery/sdk/libraries';
import type { Output } from '../../output/output.ts';
import { formatCount } from '../../output/text.ts';

/** Reports that changed assets no longer have a picture or vectors, and how to make new ones. */
export function reportLostArtifacts({ thumbnails, vectors }: LostArtifacts, output: Output): void {
  const lost = [
    ...(thumbnails > 0 ? [`the drawn thumbnails of ${formatCount(thumbnails, 'asset')}`] : []),
    ...(vectors > 0 ? [`the vectors of ${formatCount(vectors, 'asset')}`] : []),
  ];
  if (lost.length === 0) return;
  output.note(`The changes dropped ${lost.join(' and ')}; --thumbnails --embed creates new ones.`);
}
