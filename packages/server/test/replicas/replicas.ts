import { openPostgres } from '../../src/adapters/database/postgres.ts';
import type { Configuration } from '../../src/configuration/configuration.ts';
import { Actor } from '../actor.ts';
import { databases, type LocatedDatabase } from '../databases.ts';
import { bucketOf, type S3Access } from '../objects/s3/bucket.ts';
import { startService, type TestService, type TestServiceOptions } from '../service.ts';
import { type Balancer, startBalancer } from './balancer.ts';

/** PostgreSQL, which alone several processes can share; null where there is none. */
export const postgres = databases.find(({ name }) => name === 'PostgreSQL') ?? null;

/** Several services over one database and one store, behind a balancer. */
export interface Replicas {
  balancer: Balancer;
  services: TestService[];
  database: LocatedDatabase;
  /** Speaks to the balancer: each request of an actor reaches another replica than the one before. */
  anonymous: Actor;
  member(userName: string): Promise<Actor>;
  /** The same person, speaking to one replica alone. */
  at(replica: number, actor: Actor): Actor;
  close(): Promise<void>;
}

export interface ReplicasOptions {
  count?: number;
  /** The store of their bucket; null where each has a folder of its own, for what needs no files. */
  s3: S3Access | null;
  configuration?: Partial<Configuration>;
  service?: (replica: number) => Partial<TestServiceOptions>;
}

export async function startReplicas({
  count = 3,
  s3,
  configuration,
  service = () => ({}),
}: ReplicasOptions): Promise<Replicas> {
  if (!postgres) throw new Error('replicas need PostgreSQL');
  const database = await postgres.open();
  const balancer = await startBalancer();
  const store = s3 === null ? {} : await bucketOf(s3);
  const services: TestService[] = [];
  for (let replica = 0; replica < count; replica++) {
    const db = openPostgres(database.location);
    const started = await startService({
      database: { db, close: () => db.destroy() },
      ...service(replica),
      configuration: {
        publicUrl: balancer.url,
        databaseUrl: database.location,
        ...store,
        ...configuration,
        ...service(replica).configuration,
      },
    });
    services.push(started);
    balancer.targets.push(started.url);
  }
  const urlOf = (replica: number) => services[replica % count]?.url ?? '';
  return {
    balancer,
    services,
    database,
    anonymous: new Actor(balancer.url),
    member: async (userName) => {
      const { headers } = (await services[0]?.member(userName)) ?? {};
      return new Actor(balancer.url, { ...headers });
    },
    at: (replica, { headers }) => new Actor(urlOf(replica), { ...headers }),
    close: async () => {
      await balancer.close();
      for (const one of services) await one.close();
      await database.close();
    },
  };
}
