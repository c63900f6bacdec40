/** A setting that cannot be used; the message names the variable, its rule and the value that was found. */
export class ConfigurationError extends Error {}
