import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createImportPasses } from '../accounts/import-passes.ts';
import { DiskConversions } from '../adapters/conversions/disk-conversions.ts';
import { createAssetConverter } from '../adapters/conversions/renderer.ts';
import { DiskDerivedVectors } from '../adapters/derived-vectors/disk-derived-vectors.ts';
import { DiskGitCommits } from '../adapters/git/disk-commits.ts';
import { createProcessImporter } from '../adapters/imports/process-importer.ts';
import { createInProcessLocks } from '../adapters/locks/in-process.ts';
import {
  closeDiskThreads,
  createDiskThreads,
  type DiskThreads,
} from '../adapters/objects/disk/disk-workers.ts';
import { DiskSegments } from '../adapters/segments/disk-segments.ts';
import { createWebSessions } from '../adapters/sign-in/better-auth.ts';
import { DiskThumbnails } from '../adapters/thumbnails/disk-cache.ts';
import { createThumbnailResizer } from '../adapters/thumbnails/resizer.ts';
import { createWebhookTransport } from '../adapters/webhooks/http-transport.ts';
import { createBlendReader } from '../adapters/workers/blend-reader.ts';
import { createBodyReader } from '../adapters/workers/body-reader.ts';
import { createLayerDigester } from '../adapters/workers/layer-digester.ts';
import { createRevisionWorkers } from '../adapters/workers/revision-workers.ts';
import { createVectorSearch } from '../adapters/workers/vector-search.ts';
import { cursorSecret } from '../bindrs/cursor.ts';
import { joinCluster, NO_OTHERS, type Servers } from '../cluster/cluster.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Context } from '../context.ts';
import { type AssetConverter, Conversions } from '../conversions/conversions.ts';
import { BlendFiles } from '../doors/blender/blend-files.ts';
import { ImageLayers } from '../doors/images/image-layers.ts';
import type { Upstream } from '../doors/upstream.ts';
import { StartError } from '../errors.ts';
import { formatAddress, listen, localOrigin, ReachedOrigin, stopListening } from '../http/listen.ts';
import { startJobs } from '../jobs/index.ts';
import { UploadAllowance } from '../libraries/publish/allowance.ts';
import { createIntake } from '../libraries/publish/receive.ts';
import { UseCounter } from '../libraries/use/use-counter.ts';
import { TransferLimits } from '../limits/rate-limit.ts';
import { createAuthenticate } from '../login/authenticate.ts';
import type { IdentityProvider } from '../login/ports.ts';
import { createTokens } from '../login/signed-tokens.ts';
import { ContentChecks } from '../objects/health/check.ts';
import { reportIfLost, reportUnreadable } from '../objects/health/damage.ts';
import { IndexRepairer } from '../objects/health/repair.ts';
import { presignSecret } from '../objects/presign.ts';
import { RevisionCache } from '../objects/revision-cache.ts';
import type { StoreLocks } from '../objects/store.ts';
import { Activity } from '../process/activity.ts';
import { type Encoder, NO_ENCODER } from '../search/encoder.ts';
import { ConnectedEngine } from '../search/engine/connected-engine.ts';
import { waitingChanges } from '../search/engine/engine-report.ts';
import { parseSynonyms, type Synonyms } from '../search/relevance/query.ts';
import { SmallThumbnails } from '../thumbnails/small-thumbnails.ts';
import { ThumbnailUrls } from '../thumbnails/thumbnail-urls.ts';
import { waitingDeliveries } from '../webhooks/deliveries.ts';
import { createApp, type Timeouts } from './app.ts';
import { maxUnregisteredBytes, type ObjectStorage, openObjectStorage } from './storage.ts';

/** What differs between production and tests. */
type Foundation = Pick<Context, 'configuration' | 'log' | 'metrics' | 'clock' | 'db'> & {
  objectsFolder: string;
  /** Without one the service has no dashboard. */
  dashboardFolder?: string | null;
  /** Without one the service serves no command line. */
  clientArchive?: Context['clientArchive'];
  /** Without one, searches are by keyword only. The service closes it. */
  encoder?: Encoder | undefined;
  /** Converts with the renderer of this installation, if it has one, unless another converter is given. */
  converter?: AssetConverter | undefined;
  /** How long a search waits for vectors to be loaded, in milliseconds, if not the default. */
  vectorTimeout?: number;
  /** Timeouts of connections, if not the defaults. */
  timeouts?: Partial<Timeouts> | undefined;
  /** Workers that are shared with other services and outlive this one; without them it has its own. */
  workers?: Workers;
};

/** Maximum disk space of small thumbnails, in bytes; evicted ones are created again. */
const MAX_THUMBNAIL_BYTES = 512 * 2 ** 20;
/** The same for converted assets. */
const MAX_CONVERSION_BYTES = 2 * 2 ** 30;
/** The same for what was read of Blender files. */
const MAX_BLEND_BYTES = 256 * 2 ** 20;

/** The same for revisions as commits of git: those of some 10 million files. */
const MAX_GIT_BYTES = 2 ** 30;

/** Disk space of vectors from which this server makes no more: those of 1.4 million assets, in bytes. */
const MAX_DERIVED_VECTOR_BYTES = 4 * 2 ** 30;

type Workers = Pick<Context, 'bodies' | 'revisionWorkers'> & { diskThreads: DiskThreads };

export function createWorkers(): Workers {
  return {
    bodies: createBodyReader(),
    revisionWorkers: createRevisionWorkers(),
    diskThreads: createDiskThreads(),
  };
}

/** Assembles store, parts and application around an open database. It does not listen yet. */
export async function assemble({
  objectsFolder,
  encoder = NO_ENCODER,
  converter,
  dashboardFolder = null,
  clientArchive = null,
  vectorTimeout,
  timeouts,
  workers,
  metrics,
  ...others
}: Foundation): Promise<{
  context: Context;
  /** Starts to listen and returns the URL with the actual port. */
  listen(): Promise<string>;
  /** Turns load balancers away through `/readyz`, and resolves once they have had time to notice. */
  drain(): Promise<void>;
  close(): Promise<void>;
}> {
  const { configuration, db, clock, log } = others;
  const activity = new Activity(clock);
  const foundation = { ...others, metrics: activity.of(metrics) };
  let localUrl = '';
  let stopping = false;
  const reachedOrigin = configuration.publicUrl === null ? new ReachedOrigin() : null;
  const ownUrl = () => configuration.publicUrl ?? localUrl;
  const publicUrl = () => reachedOrigin?.get() ?? ownUrl();
  const transfers = new TransferLimits(configuration, clock);
  const uploadAllowance = new UploadAllowance(
    db,
    await maxUnregisteredBytes(configuration, objectsFolder),
    (storeId) => storage.unregisteredBytes(storeId),
  );
  const secret = await presignSecret(db);
  const { bodies, revisionWorkers, diskThreads } = workers ?? createWorkers();
  const storage: ObjectStorage = await openObjectStorage({
    configuration,
    db,
    objectsFolder,
    secret,
    publicUrl,
    clock,
    log,
    admit: (request, response) => transfers.begin(request, response),
    isLost: (object) => reportIfLost(context, object),
    reportDamaged: (object) => void reportUnreadable(context, object),
    intake: createIntake({ db, clock }, uploadAllowance),
    diskThreads,
  });
  const { objects } = storage;
  const tokens = createTokens({ db, clock });
  const importPasses = createImportPasses({ db, clock });
  const storeLocks = await createLocks(configuration);
  const vectors = createVectorSearch(
    { objects, log },
    { memoryBytes: configuration.vectorMemoryBytes, loadTimeout: vectorTimeout },
  );
  const smallThumbnails = new SmallThumbnails(
    objects,
    createThumbnailResizer(objects),
    new DiskThumbnails({
      folder: join(configuration.dataDir, 'thumbnails'),
      maxBytes: MAX_THUMBNAIL_BYTES,
      log,
    }),
  );
  const conversions = new Conversions(
    objects,
    converter ?? createAssetConverter({}, configuration),
    new DiskConversions(join(configuration.dataDir, 'conversions'), MAX_CONVERSION_BYTES),
  );
  const gitCommits = new DiskGitCommits({
    folder: join(configuration.dataDir, 'git'),
    maxBytes: MAX_GIT_BYTES,
    objects,
  });
  const imageLayers = new ImageLayers(db, createLayerDigester(objects));
  const blendFiles = new BlendFiles(
    objects,
    createBlendReader(),
    new DiskConversions(join(configuration.dataDir, 'blend-files'), MAX_BLEND_BYTES),
  );
  const transport = createWebhookTransport({ networks: configuration.webhookNetworks });
  // Half for single libraries, half for many at once.
  const indexBytes = Math.ceil(configuration.indexCacheBytes / 2);
  const revisions = new RevisionCache(objects, indexBytes);
  const segments = new DiskSegments(join(configuration.dataDir, 'segments'), {
    capacity: indexBytes,
    objects,
    log,
  });
  const repaired = { ...foundation, objects, storeLocks, revisionWorkers, revisions };
  const maintenance = { ...repaired, indexRepairer: new IndexRepairer(repaired) };
  const context: Context = {
    ...maintenance,
    activity,
    encoder,
    useCounter: new UseCounter(configuration.countsUse, clock),
    dashboardFolder,
    clientArchive,
    smallThumbnails,
    conversions,
    gitCommits,
    imageLayers,
    blendFiles,
    thumbnailUrls: new ThumbnailUrls({ secret, clock, publicUrl }),
    uploadAllowance,
    bodies,
    vectors,
    derivedVectors: await openDerivedVectors(configuration, log),
    segments,
    engine: await connectEngine(configuration, log),
    synonyms: await readSynonyms(configuration),
    tokens,
    webSessions: createWebSessions({ db, log, publicUrl: ownUrl }),
    identityProvider: await openIdentityProvider(configuration, log),
    authenticate: createAuthenticate({ db, clock, tokens, importPasses }),
    importer: createProcessImporter(configuration, { local: () => localUrl, public: ownUrl }, log),
    importPasses,
    upstream: await openUpstream(configuration, log),
    contentChecks: new ContentChecks(maintenance),
    cursorSecret: await cursorSecret(db),
    publicUrl,
    ownUrl,
    reachedOrigin,
    webhooks: { transport, wake: () => jobs.wakeWebhooks() },
    servers: await joinOthers(configuration, { ...foundation, encoder }, storage.place),
    isStopping: () => stopping,
    objectResponses: storage.responses,
    storageOrigin: storage.origin,
  };
  const app = await createApp(context, timeouts);
  const jobs = startJobs(context);
  context.metrics.webhooksWaiting(() => waitingDeliveries(context));
  if (context.engine) context.metrics.searchChangesWaiting(() => waitingChanges(context));
  return {
    context,
    listen: async () => {
      const { host } = configuration;
      const port = await listen(app, configuration);
      localUrl = localOrigin(host, port);
      return `http://${formatAddress(host, port)}`;
    },
    drain: async () => {
      stopping = true;
      await wait(configuration.drainSeconds * 1_000);
    },
    close: async () => {
      await stopListening(app);
      await jobs.stop();
      await encoder.close();
      await vectors.close();
      await segments.close();
      await context.engine?.close();
      await context.upstream?.close();
      await smallThumbnails.close();
      await conversions.close();
      await gitCommits.close();
      await imageLayers.close();
      await blendFiles.close();
      if (!workers) {
        await revisionWorkers.close();
        await bodies.close();
      }
      await objects.close();
      if (!workers) await closeDiskThreads(diskThreads);
      await storeLocks.close();
    },
  };
}

async function createLocks({ databaseUrl }: Configuration): Promise<StoreLocks> {
  if (databaseUrl === null) return createInProcessLocks();
  return (await import('../adapters/locks/postgres.ts')).createPostgresLocks(databaseUrl);
}

async function openIdentityProvider({ oidc }: Configuration, log: Logger): Promise<IdentityProvider | null> {
  if (oidc === null) return null;
  return (await import('../adapters/sign-in/openid-connect.ts')).createOpenIdConnect(oidc, log);
}

/** Only a PostgreSQL database can have other servers. */
async function joinOthers(
  { databaseUrl, role }: Configuration,
  context: Parameters<typeof joinCluster>[0],
  store: string,
): Promise<Servers> {
  return databaseUrl === null ? NO_OTHERS : joinCluster(context, { store, encodes: role !== 'auth' });
}

async function connectEngine({ searchEngine }: Configuration, log: Logger): Promise<ConnectedEngine | null> {
  if (searchEngine === null) return null;
  const { OpenSearchEngine } = await import('../adapters/opensearch/opensearch-engine.ts');
  return new ConnectedEngine(await OpenSearchEngine.connect(searchEngine), log);
}

async function openUpstream(
  { upstreamHuggingFace: endpoint, upstreamBytes: maxBytes, diskReserveBytes, dataDir }: Configuration,
  log: Logger,
): Promise<Upstream | null> {
  if (endpoint === null) return null;
  const { HuggingFaceUpstream } = await import('../adapters/imports/hugging-face-upstream.ts');
  const folder = join(dataDir, 'upstream');
  return new HuggingFaceUpstream({ endpoint, folder, maxBytes, reserveBytes: diskReserveBytes, log });
}

async function readSynonyms({ synonymsFile }: Configuration): Promise<Synonyms> {
  const file = synonymsFile ?? new URL('../search/relevance/synonyms.txt', import.meta.url);
  try {
    return parseSynonyms(await readFile(file, 'utf8'));
  } catch (error) {
    throw new StartError(`BINDERY_SYNONYMS: ${file} cannot be read (${(error as Error).message}).`);
  }
}

/** Without a model to make them by, vectors of former times only take space. */
async function openDerivedVectors(
  { dataDir, derivesVectors }: Configuration,
  log: Logger,
): Promise<DiskDerivedVectors> {
  const folder = join(dataDir, 'derived-vectors');
  if (derivesVectors === 'none') await rm(folder, { recursive: true, force: true });
  return DiskDerivedVectors.open(folder, { maxBytes: MAX_DERIVED_VECTOR_BYTES, log });
}
