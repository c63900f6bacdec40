import { isIP } from 'node:net';
import { z } from 'zod';

/** Named networks, allowed besides addresses and CIDR blocks. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

export function whole({ min, max }: { min: number; max?: number }) {
  const error = max === undefined ? `an integer of at least ${min}` : `an integer from ${min} to ${max}`;
  return z.coerce
    .number({ error })
    .int({ error })
    .min(min, { error })
    .max(max ?? Number.MAX_SAFE_INTEGER, { error });
}

export function oneOf<const Values extends string[]>(...values: Values) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

/** Splits a comma-separated list. */
export function list(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

export function networkList() {
  return z
    .string()
    .default('')
    .transform(list)
    .refine((networks) => networks.every(isNetwork), {
      error: `addresses, CIDR blocks or ${NAMED_NETWORKS.join(', ')}, separated by commas`,
    });
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  if (NAMED_NETWORKS.includes(entry)) return true;
  const longest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && (bits === undefined ? longest > 0 : /^\d+$/.test(bits) && Number(bits) <= longest)
  );
}
