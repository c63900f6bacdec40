import { setFlagsFromString } from 'node:v8';

/** The first Node whose V8 has the flag, as 26 still has; the V8 of those before does so by itself. */
const FIRST_WITH_FLAG = 24;

/**
 * For programs through which many bytes pass. Each 64 KiB that Node reads lie outside of V8's heap, and V8 marks the whole heap
 * for every 35 MB of them, unless it counts all memory together: then it collects young objects, which takes next to nothing.
 */
export function expectTransfers(): void {
  if (Number.parseInt(process.versions.node, 10) >= FIRST_WITH_FLAG)
    setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/**
 * For programs that answer requests. Answers are made of many objects that live for one request. V8 takes the few that it finds
 * alive for a sign that such objects last, and makes all of them old, where only its longest pauses collect them.
 */
export function expectRequests(): void {
  expectTransfers();
  setFlagsFromString('--no-allocation-site-pretenuring');
}
