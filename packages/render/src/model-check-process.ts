import { killOnMemoryLimitOrOrphaned, serveProcessTasks } from '@bindery/concurrency/process';
import type { ModelsToCheck, ModelVerdict } from '@bindery/formats';
import { checkModels } from './check-models.ts';
import { toMessageText } from './files.ts';

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
