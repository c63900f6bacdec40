import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/* Preloaded: writes the URL of each module that the program loads, a line each. */
registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.RECORD_MODULES ?? '', `${url}\n`);
    return nextLoad(url, context);
  },
});
