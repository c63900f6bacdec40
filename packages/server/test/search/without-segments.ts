import type { Segments } from '../../src/search/segments/segments.ts';

/** What a server has before it has joined anything. */
export const NO_SEGMENTS: Segments = {
  opened: Promise.resolve(),
  isWanted: false,
  list: () => [],
  find: () => null,
  hasRoom: () => false,
  join: async () => [],
  joinVectors: async () => {},
  remove: async () => {},
  close: async () => {},
};
