import { request } from 'node:http';
import type { HttpResponse } from '../src/index.ts';

/** One GET over a connection of its own. */
export function httpGet(address: string, headers: Record<string, string>): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    request(address, { headers, agent: false }, (body) => {
      resolve({ status: body.statusCode ?? 0, headers: body.headers as Record<string, string>, body });
    })
      .on('error', reject)
      .end();
  });
}
