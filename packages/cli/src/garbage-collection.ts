import { setFlagsFromString } from 'node:v8';

/** The first Node whose V8 has the flag, as 26 still has; V8 in earlier versions does so by default. */
const FIRST_WITH_FLAG = 24;

/**
 * For programs that transfer many bytes. Each 64 KiB that Node reads are outside V8's heap, and V8 marks the whole heap
 * for every 35 MB of them, unless it counts all memory together: then it collects young objects, which costs next to
 * nothing.
 */
export function tuneGcForTransfers(): void {
  if (Number.parseInt(process.versions.node, 10) >= FIRST_WITH_FLAG)
    setFlagsFromString('--external-memory-accounted-in-global-limit');
}

/**
 * For programs that serve requests, with many objects that live for one request. V8 takes the few that it finds alive
 * as a sign that such objects live long, and allocates all of them as old, where only its longest pauses collect them.
 */
export function tuneGcForRequests(): void {
  tuneGcForTransfers();
  setFlagsFromString('--no-allocation-site-pretenuring');
}
