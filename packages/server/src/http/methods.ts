import type { FastifyInstance } from 'fastify';

/** Records which methods each path accepts, for 405 responses with `Allow`. */
export function collectMethods(app: FastifyInstance): { allowed(path: string): string[] } {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsByPattern.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methodsByPattern.set(url, known);
  });
  return {
    allowed: (path) => {
      const found = new Set<string>();
      for (const [pattern, methods] of methodsByPattern) {
        if (matches(pattern, path)) for (const method of methods) found.add(method);
      }
      return [...found].filter((method) => method !== 'OPTIONS').sort();
    },
  };
}

function matches(pattern: string, path: string): boolean {
  if (pattern.includes('*')) return false;
  const expected = pattern.split('/');
  const steps = path.split('/');
  return (
    expected.length === steps.length &&
    expected.every((step, at) => (step.startsWith(':') ? steps[at] !== '' : step === steps[at]))
  );
}
