import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { libraryName } from '../name-schemas.ts';
import { libraryParams, namespaceParams, text, timestamp } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { WATCH_SCHEDULES } from '../watch-schedules.ts';

const count = z.int().min(0);

/** A source that the service imports into a library again and again, as whoever set it. */
export const watch = z.object({
  library: libraryName,
  source: z.string(),
  every: z.enum(WATCH_SCHEDULES),
  /** User name of who set it, as whom it publishes. */
  setBy: z.string(),
  setAt: timestamp,
  /** `failing`: the last run failed, and others will follow. `stopped`: there are no more until it is set again. */
  state: z.enum(['waiting', 'running', 'failing', 'stopped']),
  /** Why the last run failed, or why there are no more; null if it did not. */
  problem: z.string().nullable(),
  lastRunAt: timestamp.nullable(),
  /** When it runs next, or tries again; null if it is stopped. */
  nextRunAt: timestamp.nullable(),
  /** What the last run found that did not fail. */
  lastResult: z
    .object({
      at: timestamp,
      /** What the source was pinned to; null if it has no revisions. */
      sourceRevision: z.string().nullable(),
      /** The revision that was published; null if nothing had changed. */
      revision: z.int().nullable(),
      assets: z.object({ added: count, changed: count }),
      /** Assets that the source no longer has, and that stay: how many, and the first of them. */
      gone: z.object({ count, ids: z.array(z.string()).max(LIMITS.listedPaths) }),
      /** Files of the source that no library holds. */
      leftOut: count,
    })
    .nullable(),
});
export type Watch = z.infer<typeof watch>;

/** `hosts` are those of which sources can be watched; with none, watching is off. */
export const listWatches = defineRoute({
  ...endpoints.watches.listWatches,
  summary: 'The watched libraries of a namespace (members)',
  params: namespaceParams,
  response: z.object({
    hosts: z.array(z.string()).max(LIMITS.watches.hosts),
    watches: z.array(watch).max(LIMITS.watches.perNamespace),
  }),
  errors: ['not_found', 'forbidden'],
});

/** Replaces the watch that the library has, and runs at once. */
export const setWatch = defineRoute({
  ...endpoints.watches.setWatch,
  summary: 'Has the service import a source into a library again and again',
  params: libraryParams,
  body: z.strictObject({ source: text(LIMITS.watches.source), every: z.enum(WATCH_SCHEDULES) }),
  response: watch,
  errors: ['not_found', 'forbidden', 'unavailable'],
});

export const removeWatch = defineRoute({
  ...endpoints.watches.removeWatch,
  summary: 'Ends the watch of a library, which stays as it is',
  params: libraryParams,
  errors: ['not_found', 'forbidden'],
});
