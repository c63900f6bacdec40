import { killOnMemoryLimitOrOrphaned, serveProcessTasks } from '@bindery/concurrency/process';
import { checkModels, type ModelsToCheck } from './check-models.ts';
import { toMessageText } from './files.ts';
import type { ModelVerdict } from './process-pools.ts';

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
