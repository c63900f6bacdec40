import type { Field, PrimSpec, Spec } from './values.ts';

/** What a layer says about something, as it was read. */
export class WrittenSpec implements Spec {
  readonly values = new Map<string, Field>();

  get fields(): Iterable<string> {
    return this.values.keys();
  }

  get(field: string): Field | undefined {
    return this.values.get(field);
  }
}

export class WrittenPrim extends WrittenSpec implements PrimSpec {
  readonly children = new Map<string, WrittenPrim>();
  readonly properties = new Map<string, WrittenSpec>();
  readonly variantSets = new Map<string, Map<string, WrittenPrim>>();
}
