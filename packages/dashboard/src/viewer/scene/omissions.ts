import type { Omissions, Shortfall } from '@bindery/render/models';
import { messages } from '../messages.ts';

/** Describes what is missing from a model: how much of what, and the first names with reasons. */
export function omissionSentences(omissions: Omissions | undefined): string[] {
  return (Object.entries(omissions ?? {}) as [keyof Omissions, Shortfall][]).map(([part, shortfall]) => {
    const { missing, total, named } = shortfall;
    const counted = messages.omission[part](missing, total);
    const names = named.slice(0, 5).map(({ name, reason }) => `${name}: ${reason}`);
    const more = named.length > names.length || missing > named.length ? '; …' : '';
    return `${counted} (${names.join('; ')}${more})`;
  });
}
