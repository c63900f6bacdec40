/** A setting that cannot be used; the message names the variable, its rule and what was there. */
export class ConfigurationError extends Error {}
