/** scrypt as OWASP recommends it for 32 MiB: N = 2^15, r = 8, p = 3. About a quarter of a second of one core. */
export const PASSWORD_COST = { N: 2 ** 15, r: 8, p: 3 } as const;
