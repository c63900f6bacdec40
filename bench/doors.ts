import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWNER } from '@bindery/server/testing';
import { writeRobots, writeSmallFiles } from '../test/generated-files.ts';
import { processorMeter } from './processes.ts';
import { type BenchmarkRow, limitRow, median, ratioRow, scaled, secondsOf } from './results.ts';
import { withCommand } from './world.ts';

const ROUNDS = 3;
const LISTS = 100;

/** S3's protocol compared with permanent addresses of the same files, asked in the same way. */
export function benchS3(): Promise<BenchmarkRow[]> {
  return withCommand(async ({ folder, env, pid, library }) => {
    const [small, robots] = [join(folder, 'small'), join(folder, 'robots')];
    writeSmallFiles(small, 2_000);
    const { files } = writeRobots(robots, scaled(1_000));
    for (const [name, source] of Object.entries({ small, robots }))
      library('push', source, `${OWNER}/${name}`, '--visibility', 'public');
    const url = env.BINDERY_API_URL ?? '';
    const keys = await keysOf(`${url}/s3/${OWNER}.small?list-type=2`);

    const requests = { raw: [] as number[], s3: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      requests.raw.push(requestsPerSecond(`${url}/raw/${OWNER}/small/`, keys, folder));
      requests.s3.push(requestsPerSecond(`${url}/s3/${OWNER}.small/`, keys, folder));
    }
    const used = processorMeter(pid);
    for (let at = 0; at < LISTS; at++) await keysOf(`${url}/s3/${OWNER}.small?list-type=2&encoding-type=url`);
    const list = used() / LISTS;
    let copies = 0;
    const copy = (remote: string) =>
      secondsOf(() =>
        execFileSync('rclone', ['copy', remote, join(folder, `copied-${copies++}`), '--transfers', '16'], {
          env: { PATH: process.env.PATH },
          stdio: 'ignore',
        }),
      );
    const times = { raw: [] as number[], s3: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      times.raw.push(copy(`:http,url='${url}/raw/${OWNER}/robots/':`));
      times.s3.push(copy(`:s3,provider=Other,endpoint='${url}/s3':${OWNER}.robots`));
    }
    const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} requests/s`;
    const beside = (
      work: string,
      [own, raw]: [number, number],
      say: (value: number) => string,
      least: number,
    ) => ratioRow({ work, bindery: say(own), peer: `/raw ${say(raw)}` }, own / raw, { least });
    const rates: [number, number] = [files / median(times.s3), files / median(times.raw)];
    return [
      beside(
        '/s3, small files, 32 kept connections',
        [median(requests.s3), median(requests.raw)],
        perSecond,
        0.5,
      ),
      limitRow('/s3, a list of 1,000 keys, processor of the service', list, 10, 'ms', 1),
      beside(
        `rclone copy of ${files.toLocaleString('en')} files of robots`,
        rates,
        (rate) => `${Math.round(rate).toLocaleString('en')} files/s`,
        1,
      ),
    ];
  });
}

async function keysOf(url: string): Promise<string[]> {
  const text = await (await fetch(url)).text();
  return [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
}

/** Asks for the files in turn with wrk, which costs less than the server. */
function requestsPerSecond(url: string, keys: readonly string[], folder: string): number {
  const script = join(folder, 'paths.lua');
  const paths = keys.map((key) => JSON.stringify(new URL(url + key).pathname)).join(',');
  writeFileSync(
    script,
    `local p = {${paths}}\nlocal n = 0\nrequest = function() n = n + 1; return wrk.format("GET", p[n % #p + 1]) end\n`,
  );
  const printed = execFileSync('wrk', ['-t1', '-c32', '-d5', '-s', script, url], { encoding: 'utf8' });
  if (printed.includes('Non-2xx')) throw new Error(printed);
  return Number(/Requests\/sec: +([\d.]+)/.exec(printed)?.[1]);
}
