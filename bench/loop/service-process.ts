import { readConfiguration } from '../../packages/server/src/configuration.ts';
import { deleteAbandonedUploads } from '../../packages/server/src/libraries/uploads/delete-abandoned.ts';
import { startService } from '../../packages/server/src/main.ts';
import { administer } from '../../packages/server/src/operations.ts';
import type { Parts } from '../../packages/server/src/parts.ts';
import { EventLoopMeter } from './event-loop-meter.ts';
import type { ServiceCommand } from './service.ts';

/*
 * The real service, in a process that measures its event loop and is controlled by its parent.
 */
const configuration = readConfiguration(process.env);
const meter = new EventLoopMeter();
const service = await startService(configuration);
answer(service.url);

process.on('message', async (order: ServiceCommand) => {
  switch (order) {
    case 'begin':
      meter.begin();
      return answer(null);
    case 'end':
      return answer(await meter.end());
    case 'remove-abandoned':
      await administer(configuration, deleteAbandoned);
      return answer(null);
    case 'stop':
      await service.close();
      process.disconnect?.();
  }
});

function answer(value: unknown): void {
  process.send?.({ value });
}

/** The service's own periodic cleanup, except for files: there are none here. */
async function deleteAbandoned(parts: Pick<Parts, 'db' | 'clock'>): Promise<void> {
  const objects = { deleteAbandoned: async () => ({ objects: 0, bytes: 0 }) };
  await deleteAbandonedUploads({ ...parts, objects: objects as unknown as Parts['objects'] });
}
