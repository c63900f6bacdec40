import type { SchemaChange } from '../schema-change.ts';
import { namespaceCreators } from './0028-namespace-creators.ts';
import { people } from './0029-people.ts';
import { history } from './0031-history.ts';
import { sumsAndLists } from './0032-sums-and-lists.ts';
import { searchEngine } from './0033-search-engine.ts';
import { unfinishedPublications } from './0034-unfinished-publications.ts';
import { signatures } from './0035-signatures.ts';
import { watches } from './0036-watches.ts';
import { images } from './0037-images.ts';
import { proposals } from './0038-proposals.ts';
import { covers } from './0039-covers.ts';
import { thumbnailsOfLibraries } from './0040-thumbnails-of-libraries.ts';
import { proposalChecks } from './0041-proposal-checks.ts';
import { BASELINE, BEFORE_BASELINE, baseline } from './baseline.ts';

/** Every migration by name; names sort in the order in which the migrations run. A released migration never changes. */
export const migrations: Record<string, SchemaChange> = {
  ...Object.fromEntries(BEFORE_BASELINE.map((name) => [name, { up: async () => {} }])),
  [BASELINE]: baseline,
  '0028-namespace-creators': namespaceCreators,
  '0029-people': people,
  '0031-history': history,
  '0032-sums-and-lists': sumsAndLists,
  '0033-search-engine': searchEngine,
  '0034-unfinished-publications': unfinishedPublications,
  '0035-signatures': signatures,
  '0036-watches': watches,
  '0037-images': images,
  '0038-proposals': proposals,
  '0039-covers': covers,
  '0040-thumbnails-of-libraries': thumbnailsOfLibraries,
  '0041-proposal-checks': proposalChecks,
};
