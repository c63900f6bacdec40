import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ImportPasses } from './access/import-pass.ts';
import type { Viewer } from './access/viewer.ts';
import type { Servers } from './cluster/cluster.ts';
import type { Configuration } from './configuration/configuration.ts';
import type { Conversions } from './conversions/conversions.ts';
import type { Database } from './database/schema.ts';
import type { BlendFiles } from './doors/blender/blend-files.ts';
import type { GitCommits } from './doors/git/commits.ts';
import type { ImageLayers } from './doors/images/image-layers.ts';
import type { Upstream } from './doors/upstream.ts';
import type { ServiceError } from './errors.ts';
import type { BodyReader } from './http/body.ts';
import type { ReachedOrigin } from './http/listen.ts';
import type { UploadAllowance } from './libraries/publish/allowance.ts';
import type { RevisionWorkers } from './libraries/publish/revision-workers.ts';
import type { UseCounter } from './libraries/use/use-counter.ts';
import type { Importer } from './libraries/watching/importer.ts';
import type { IdentityProvider, Tokens, WebSessions } from './login/ports.ts';
import type { Metrics } from './metrics.ts';
import type { ContentChecker, IndexRepair } from './objects/health/ports.ts';
import type { RevisionCache } from './objects/revision-cache.ts';
import type { ObjectAddress, ObjectStore, StoreLocks } from './objects/store.ts';
import type { Activity } from './process/activity.ts';
import type { DerivedVectors } from './search/derived/derived-vectors.ts';
import type { Encoder } from './search/encoder.ts';
import type { ConnectedEngine } from './search/engine/connected-engine.ts';
import type { Synonyms } from './search/relevance/query.ts';
import type { Segments } from './search/segments/segments.ts';
import type { VectorSearch } from './search/vectors/vector-search.ts';
import type { SmallThumbnails } from './thumbnails/small-thumbnails.ts';
import type { ThumbnailUrls } from './thumbnails/thumbnail-urls.ts';
import type { Webhooks } from './webhooks/transport.ts';

/** The credentials that a request carries. */
export interface Credentials {
  authorization: string | undefined;
  shareToken: string | undefined;
}

/** The time in milliseconds since 1970; tests set it forward. */
export type Clock = () => number;

/** What statements need; `db` may be a transaction. */
export interface DatabaseContext {
  db: Database;
  clock: Clock;
}

/** What checks, repairs and collections need, with the service running or not. */
export interface MaintenanceContext extends DatabaseContext {
  configuration: Configuration;
  log: Logger;
  metrics: Metrics;
  objects: ObjectStore;
  /** Serialises changes to the store of a library. */
  storeLocks: StoreLocks;
  /** Reads manifests and builds revision indexes, off the event loop. */
  revisionWorkers: RevisionWorkers;
  /** Opened indexes of library revisions. */
  revisions: RevisionCache;
  /** Rebuilds indexes that were found damaged. */
  indexRepairer: IndexRepair;
}

/** What searches ask for. */
export interface SearchContext extends MaintenanceContext {
  /** The URLs of thumbnails in the sizes of lists. */
  thumbnailUrls: ThumbnailUrls;
  /** Turns queries into vectors. */
  encoder: Encoder;
  /** Finds the vectors nearest to a query's. */
  vectors: VectorSearch;
  /** The vectors that this server made itself. */
  derivedVectors: DerivedVectors;
  /** The indexes of many libraries, joined to be searched at once. */
  segments: Segments;
  /** What searches ask besides this process; null for nothing. */
  engine: ConnectedEngine | null;
  /** Words that searches by relevance treat as nearly the same. */
  synonyms: Synonyms;
}

/** What signing in asks for. */
export interface PeopleContext extends DatabaseContext, Pick<MaintenanceContext, 'configuration' | 'log'> {
  /** The service's own signed tokens. */
  tokens: Tokens;
  /** Passwords and signed-in browsers. */
  webSessions: WebSessions;
  /** Where people can sign in besides with passwords; null for nowhere. */
  identityProvider: IdentityProvider | null;
  /**
   * The origin that clients see, without a trailing slash: as configured, else the one by which the client of the
   * running request reached the service, and outside of requests the one of this machine. Known once the server listens.
   */
  publicUrl(): string;
}

/** What the service's use cases and views work with; put together in `main.ts`, and by tests. */
export interface Context extends SearchContext, PeopleContext {
  /** What this process did recently. */
  activity: Activity;
  /** Pictures of assets in the sizes of lists. */
  smallThumbnails: SmallThumbnails;
  /** Assets in other formats. */
  conversions: Conversions;
  /** Revisions as commits of git. */
  gitCommits: GitCommits;
  /** Layers of container images. */
  imageLayers: ImageLayers;
  /** What is in Blender files. */
  blendFiles: BlendFiles;
  /** Limits what each account can have uploaded and not registered. */
  uploadAllowance: UploadAllowance;
  /** Reads the bodies of requests. */
  bodies: BodyReader;
  /** Counts downloads and uses of assets. */
  useCounter: UseCounter;
  /** Checks which stored objects are intact. */
  contentChecks: ContentChecker;
  /** Turns credentials into a viewer; throws `invalid_token` for a token that is not valid. */
  authenticate(credentials: Credentials): Promise<Viewer>;
  /** Signs cursors; the same on every replica. */
  cursorSecret: string;
  /** As `publicUrl`, but whatever a request says, so that it can be relied on. */
  ownUrl(): string;
  /** The origins by which clients reach a service that has no configured one; null if it has. */
  reachedOrigin: ReachedOrigin | null;
  /** What the door of Hugging Face fetches where it lacks something; null for nothing. */
  upstream: Upstream | null;
  /** Imports what other places hold, in processes of their own. */
  importer: Importer;
  /** The tokens of running imports. */
  importPasses: ImportPasses;
  /** Sends changes to external receivers. */
  webhooks: Webhooks;
  /** The other servers that use the same database. */
  servers: Servers;
  /** Whether this process was told to stop, and accepts requests only until load balancers have noticed. */
  isStopping(): boolean;
  /** The built dashboard, or null if the service has none. */
  dashboardFolder: string | null;
  /** What `/install` serves, or null if the service came without it. */
  clientArchive: ClientArchive | null;
  /** The origin of presigned URLs that are not the service's own; null if there are none. */
  storageOrigin: string | null;
  objectResponses: ObjectResponses;
}

/** The packed command line, for people who have nothing but the address of a service. */
export interface ClientArchive {
  /** `bindery-cli-<version>.tgz` */
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** Answers requests with objects, as many at a time as are admitted. */
export interface ObjectResponses {
  /** Counts a response as a transfer until it is closed. Throws `rate_limited` and `unavailable` where there are too many. */
  admit(request: IncomingMessage, response: ServerResponse): void;

  /** Handles presigned URLs of the service's own; returns false for other requests. */
  serveObjects(request: IncomingMessage, response: ServerResponse): boolean;

  /**
   * Sends an object, or the ranges of it that are requested, to a client that may read it. `headers` are names and
   * values in turn; those for length, ranges and the entity tag are added. Failures are answered as other routes do,
   * unless `refuse` does.
   */
  sendObject(
    request: IncomingMessage,
    response: ServerResponse,
    object: ObjectAddress,
    headers: readonly string[],
    refuse?: Refuse,
  ): void;
}

/** Answers a request with a failure. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, failure: ServiceError) => void;
