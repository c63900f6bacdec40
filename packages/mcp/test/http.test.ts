import { describe } from 'vitest';
import { connectOverHttp } from './agent.ts';
import { describeCatalogTools } from './tools-suite.ts';

describe('over HTTP', () => {
  describeCatalogTools(() => connectOverHttp);
});
