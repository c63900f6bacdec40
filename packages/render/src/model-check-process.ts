import { killOnMemoryLimitOrOrphaned, serveProcessTasks } from '@bindery/concurrency/process';
import type { ModelsToCheck, ModelVerdict } from '@bindery/formats';
import { toMessageText } from '@bindery/formats/reading/asset-files';
import { checkModels } from './check-models.ts';

killOnMemoryLimitOrOrphaned(Number(process.env.BINDERY_RENDER_MEMORY));
serveProcessTasks<undefined, ModelsToCheck>(() => check);

async function check(models: ModelsToCheck): Promise<ModelVerdict> {
  try {
    return await checkModels(models);
  } catch (error) {
    return {
      unfinished: `cannot be checked: ${toMessageText(error instanceof Error ? error.message : String(error))}`,
    };
  }
}
