import type { Manifest } from '@bindery/contract';
import type { LibraryClient } from '../client/call.ts';
import type { NumberedAddress } from './library-address.ts';
import { type RemoteOptions, readRemoteLibrary } from './manifest-cache.ts';
import { partsThatDiffer, readChanges } from './read-changes.ts';
import { downloadManifest, readHead } from './read-library.ts';

/** A revision of a library, and its manifest or the part of it that another one does not have alike. */
export interface Version {
  address: NumberedAddress;
  revision: number;
  manifest: Manifest;
}

/** Two revisions, the earlier one first; `shared` are paths that one of the parts lacks and its whole has. */
export interface Versions {
  from: Version;
  to: Version;
  shared?: ReadonlySet<string>;
}

/** Reads what is to be compared: of two revisions of one library, if the service can compare them, what differs. */
export async function readVersions(
  client: LibraryClient,
  earlier: NumberedAddress,
  later: NumberedAddress,
  options: RemoteOptions,
): Promise<Versions> {
  const isOneLibrary = earlier.namespace === later.namespace && earlier.name === later.name;
  const found = isOneLibrary ? await readChanges(client, earlier, later, options.signal) : null;
  const parts = found && partsThatDiffer(found);
  if (found === null || parts === null) {
    return {
      from: await readVersion(client, earlier, options),
      to: await readVersion(client, later, options),
    };
  }
  return {
    from: { address: earlier, revision: found.from.revision, manifest: parts.before },
    to: { address: later, revision: found.to.revision, manifest: parts.after },
    shared: parts.shared,
  };
}

async function readVersion(
  client: LibraryClient,
  address: NumberedAddress,
  options: RemoteOptions,
): Promise<Version> {
  if (address.revision !== undefined) {
    const { manifest } = await downloadManifest(client, address, options.signal);
    return { address, revision: address.revision, manifest };
  }
  const head = await readHead(client, address, options.signal);
  const { manifest } = await readRemoteLibrary(client, address, head, options);
  return { address, revision: head.row.revision, manifest };
}
