/** Returns JSON in which equal values have equal texts, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortedKeys);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
