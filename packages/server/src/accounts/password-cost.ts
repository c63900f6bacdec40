/** The scrypt parameters that OWASP recommends for 32 MiB: N = 2^15, r = 8, p = 3. About 0.25 s on one core. */
export const PASSWORD_COST = { N: 2 ** 15, r: 8, p: 3 } as const;
